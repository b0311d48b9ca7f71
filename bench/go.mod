module ramie/bench

go 1.19
