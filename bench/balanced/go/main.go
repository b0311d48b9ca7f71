// Goroutines in the suite `balanced`: balanced_go FIBERS ITERATIONS WORKERS prints the row as a line of JSON.
package main

import (
	"sync"

	"ramie/bench/kernel/peer"
)

func main() {
	numbers := peer.Numbers("FIBERS", "ITERATIONS", "WORKERS")
	fibers, iterations := numbers[0], uint64(numbers[1])
	results := make([]uint64, fibers)
	repetition := func() {
		var done sync.WaitGroup
		done.Add(fibers)
		for i := 0; i < fibers; i++ {
			go func(i int) {
				results[i] = peer.BusyLoop(uint64(i), iterations)
				done.Done()
			}(i)
		}
		done.Wait()
	}
	repetition() // warms the process up
	for i := range results {
		results[i] = 0
	}
	watch := peer.Start()
	repetition()
	took := watch.Stop()
	verified := true
	for i, found := range results {
		verified = verified && found == peer.BusyLoopResult(uint64(i), iterations)
	}
	peer.Row{Suite: "balanced", Name: "balanced", Unit: "us",
		Value: took.Nanoseconds / 1e3 / float64(fibers), Verified: verified, Stats: took.Stats}.Print()
}
