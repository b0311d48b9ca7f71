// Goroutines in the suite `balanced`: balanced_go FIBERS ITERATIONS WORKERS prints the row as a line of JSON.
package main

import "ramie/bench/kernel/peer"

func main() {
	numbers := peer.Numbers("FIBERS", "ITERATIONS", "WORKERS")
	peer.BusyFibers("balanced", numbers[0], func(int) uint64 { return uint64(numbers[1]) })
}
