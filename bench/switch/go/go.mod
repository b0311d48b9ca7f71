module ramie/bench/switch

go 1.19
