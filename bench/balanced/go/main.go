// Goroutines in the suite `balanced`: balanced_go FIBERS ITERATIONS WORKERS prints the row as a line of JSON.
package main

import (
	"sync"
	"time"

	"ramie/bench/kernel/peer"
)

func main() {
	numbers := peer.Numbers("FIBERS", "ITERATIONS", "WORKERS")
	fibers, iterations := numbers[0], uint64(numbers[1])
	results := make([]uint64, fibers)
	var done sync.WaitGroup
	start := time.Now()
	done.Add(fibers)
	for i := 0; i < fibers; i++ {
		go func(i int) {
			results[i] = peer.BusyLoop(uint64(i), iterations)
			done.Done()
		}(i)
	}
	done.Wait()
	took := time.Since(start)
	verified := true
	for i, found := range results {
		verified = verified && found == peer.BusyLoopResult(uint64(i), iterations)
	}
	peer.Row{Suite: "balanced", Name: "balanced", Unit: "us",
		Value: float64(took.Nanoseconds()) / 1e3 / float64(fibers), Verified: verified}.Print()
}
