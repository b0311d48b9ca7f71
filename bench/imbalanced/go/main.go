// Goroutines in the suite `imbalanced`: imbalanced_go FIBERS HEAVY LIGHT WORKERS prints the row as a line of JSON.
package main

import "ramie/bench/kernel/peer"

func main() {
	numbers := peer.Numbers("FIBERS", "HEAVY", "LIGHT", "WORKERS")
	peer.BusyFibers("imbalanced", numbers[0], func(i int) uint64 {
		if i%10 == 0 {
			return uint64(numbers[1])
		}
		return uint64(numbers[2])
	})
}
