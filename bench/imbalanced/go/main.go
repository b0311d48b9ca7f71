// Goroutines in the suite `imbalanced`: imbalanced_go FIBERS HEAVY LIGHT WORKERS prints the row as a line of JSON.
package main

import (
	"sync"
	"time"

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
	var done sync.WaitGroup
	start := time.Now()
	done.Add(fibers)
	for i := 0; i < fibers; i++ {
		go func(i int) {
			results[i] = peer.BusyLoop(uint64(i), iterations(i))
			done.Done()
		}(i)
	}
	done.Wait()
	took := time.Since(start)
	verified := true
	for i, found := range results {
		verified = verified && found == peer.BusyLoopResult(uint64(i), iterations(i))
	}
	peer.Row{Suite: "imbalanced", Name: "imbalanced", Unit: "us",
		Value: float64(took.Nanoseconds()) / 1e3 / float64(fibers), Verified: verified}.Print()
}
