// Goroutines in the suite `fib`: fib_go N CUTOFF ITERATIONS WORKERS prints the row as a line of JSON. CUTOFF 0: a
// goroutine at every node that is not a leaf, and no busy loops.
package main

import (
	"sync"

	"ramie/bench/kernel/peer"
)

type leaves struct{ value, count, checksum uint64 }

type nodes struct{ value, count uint64 }

var cutoff int
var iterations uint64
var leavesBelow []uint64

func plainFib(n int) uint64 {
	if n < 2 {
		return uint64(n)
	}
	return plainFib(n-1) + plainFib(n-2)
}

func withCutoff(n int, first uint64) leaves {
	if n <= cutoff {
		return leaves{plainFib(n), 1, peer.BusyLoop(first, iterations)}
	}
	var left leaves
	var done sync.WaitGroup
	done.Add(1)
	go func() {
		left = withCutoff(n-1, first)
		done.Done()
	}()
	right := withCutoff(n-2, first+leavesBelow[n-1])
	done.Wait()
	return leaves{left.value + right.value, left.count + right.count, left.checksum + right.checksum}
}

func withoutCutoff(n int) nodes {
	if n < 2 {
		return nodes{uint64(n), 1}
	}
	var left nodes
	var done sync.WaitGroup
	done.Add(1)
	go func() {
		left = withoutCutoff(n - 1)
		done.Done()
	}()
	right := withoutCutoff(n - 2)
	done.Wait()
	return nodes{left.value + right.value, left.count + right.count + 1}
}

// fibonacci is computed from below, in another way than the recursions.
func fibonacci(n int) uint64 {
	here, next := uint64(0), uint64(1)
	for i := 0; i < n; i++ {
		here, next = next, here+next
	}
	return here
}

func main() {
	numbers := peer.Numbers("N", "CUTOFF", "ITERATIONS", "WORKERS")
	n := numbers[0]
	cutoff, iterations = numbers[1], uint64(numbers[2])
	if cutoff == 0 {
		withoutCutoff(n) // warms the process up
		watch := peer.Start()
		found := withoutCutoff(n)
		took := watch.Stop()
		expected := nodes{fibonacci(n), 2*fibonacci(n+1) - 1}
		peer.Row{Suite: "fib", Name: "no_cutoff", Unit: "ns",
			Value: took.Nanoseconds / float64(expected.count), Verified: found == expected, Stats: took.Stats}.Print()
		return
	}
	for k := 0; k <= n; k++ {
		if k <= cutoff {
			leavesBelow = append(leavesBelow, 1)
		} else {
			leavesBelow = append(leavesBelow, leavesBelow[k-1]+leavesBelow[k-2])
		}
	}
	withCutoff(n, 0) // warms the process up
	watch := peer.Start()
	found := withCutoff(n, 0)
	took := watch.Stop()
	expected := leaves{fibonacci(n), leavesBelow[n], 0}
	for i := uint64(0); i < expected.count; i++ {
		expected.checksum += peer.BusyLoopResult(i, iterations)
	}
	peer.Row{Suite: "fib", Name: "cutoff20", Unit: "us",
		Value: took.Nanoseconds / 1e3 / float64(expected.count), Verified: found == expected,
		Stats: took.Stats}.Print()
}
