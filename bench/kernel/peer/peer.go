// Package peer is what the Go programs of the benchmarks share: arguments, the busy loop, the clock, the line of JSON.
package peer

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const (
	multiplier = 6364136223846793005
	increment  = 1442695040888963407
)

// BusyLoop is that of bench/kernel/busy_loop.hpp.
//
//go:noinline
func BusyLoop(seed, iterations uint64) uint64 {
	x := seed
	for i := uint64(0); i < iterations; i++ {
		x = x*multiplier + increment
	}
	return x
}

// BusyLoopResult is the same number in about 64 steps.
func BusyLoopResult(seed, iterations uint64) uint64 {
	a, c, x := uint64(multiplier), uint64(increment), seed
	for ; iterations != 0; iterations >>= 1 {
		if iterations&1 != 0 {
			x = a*x + c
		}
		c *= a + 1
		a *= a
	}
	return x
}

// Numbers reads the command line, which must hold a whole number for each of the names, of which the last is WORKERS;
// it sets GOMAXPROCS to that. Otherwise it says how to call the program, and ends it.
func Numbers(names ...string) []int {
	numbers := make([]int, 0, len(names))
	for _, argument := range os.Args[1:] {
		if n, err := strconv.Atoi(argument); err == nil && n >= 0 {
			numbers = append(numbers, n)
		}
	}
	if len(numbers) != len(names) || len(os.Args)-1 != len(names) || numbers[len(numbers)-1] < 1 {
		fmt.Fprintf(os.Stderr, "usage: %s", os.Args[0])
		for _, name := range names {
			fmt.Fprintf(os.Stderr, " %s", name)
		}
		fmt.Fprintln(os.Stderr, " (whole numbers)")
		os.Exit(2)
	}
	runtime.GOMAXPROCS(numbers[len(numbers)-1])
	return numbers
}

// Stopwatch is the clock around the timed part, and what that part costs the process besides time.
type Stopwatch struct {
	start time.Time
	usage syscall.Rusage
}

// Taken is what a Stopwatch has seen; Stats has the names of bench/framework/usage.hpp.
type Taken struct {
	Nanoseconds float64
	Stats       map[string]interface{}
}

func usage() (now syscall.Rusage) {
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &now); err != nil {
		panic(err)
	}
	return now
}

// Start starts the clock.
func Start() Stopwatch {
	before := usage()
	return Stopwatch{time.Now(), before}
}

// Stop reads it.
func (s Stopwatch) Stop() Taken {
	took := time.Since(s.start)
	now := usage()
	cpu := now.Utime.Nano() - s.usage.Utime.Nano() + now.Stime.Nano() - s.usage.Stime.Nano()
	return Taken{float64(took.Nanoseconds()), map[string]interface{}{
		"cpu_s": float64(cpu) / 1e9, "voluntary_switches": now.Nvcsw - s.usage.Nvcsw,
	}}
}

// BusyFibers runs BusyLoop(i, iterations(i)) in goroutine i, all started by one, and prints the time of each, verified.
func BusyFibers(suite string, fibers int, iterations func(i int) uint64) {
	results := make([]uint64, fibers)
	repetition := func() {
		var done sync.WaitGroup
		done.Add(fibers)
		for i := 0; i < fibers; i++ {
			go func(i int) {
				results[i] = BusyLoop(uint64(i), iterations(i))
				done.Done()
			}(i)
		}
		done.Wait()
	}
	repetition() // warms the process up
	for i := range results {
		results[i] = 0
	}
	watch := Start()
	repetition()
	took := watch.Stop()
	verified := true
	for i, found := range results {
		verified = verified && found == BusyLoopResult(uint64(i), iterations(i))
	}
	Row{Suite: suite, Name: suite, Unit: "us",
		Value: took.Nanoseconds / 1e3 / float64(fibers), Verified: verified, Stats: took.Stats}.Print()
}

// Row is one figure of one repetition.
type Row struct {
	Suite, Name, Unit string
	Value             float64
	Verified          bool
	Stats             map[string]interface{}
}

// Print writes the row as the line of JSON that bench/framework/child.hpp reads.
func (r Row) Print() {
	if r.Stats == nil {
		r.Stats = map[string]interface{}{}
	}
	json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"suite": r.Suite, "row": r.Name, "runtime": "go", "workers": runtime.GOMAXPROCS(0), "queue": "",
		"unit": r.Unit, "median": r.Value, "min": r.Value, "max": r.Value, "runs": 1, "verified": r.Verified,
		"stats": r.Stats,
	})
}
