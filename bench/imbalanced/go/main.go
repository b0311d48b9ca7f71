// Goroutines in the suite `imbalanced`: imbalanced_go FIBERS HEAVY LIGHT WORKERS prints the row as a line of JSON.
package main

import (
	"sync"

	"ramie/bench/kernel/peer"
)

func main() {
	numbers := peer.Numbers("FIBERS", "HEAVY", "LIGHT", "WORKERS")
	fibers := numbers[0]
	iterations := func(i int) uint64 {
		if i%10 == 0 {
			return uint64(numbers[1])
		}
		return uint64(numbers[2])
	}
	results := make([]uint64, fibers)
	repetition := func() {
		var done sync.WaitGroup
		done.Add(fibers)
		for i := 0; i < fibers; i++ {
			go func(i int) {
				results[i] = peer.BusyLoop(uint64(i), iterations(i))
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
		verified = verified && found == peer.BusyLoopResult(uint64(i), iterations(i))
	}
	peer.Row{Suite: "imbalanced", Name: "imbalanced", Unit: "us",
		Value: took.Nanoseconds / 1e3 / float64(fibers), Verified: verified, Stats: took.Stats}.Print()
}
