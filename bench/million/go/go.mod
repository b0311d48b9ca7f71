module ramie/bench/million

go 1.19
