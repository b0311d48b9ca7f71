// Goroutines in the suite `switch`: main ROW OPERATIONS WORKERS prints one row as a line of JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// Two goroutines hand the processor to each other.
func yield(operations int) (time.Duration, int) {
	var done sync.WaitGroup
	counts := [2]int{}
	start := time.Now()
	for who := 0; who < 2; who++ {
		done.Add(1)
		go func(who int) {
			defer done.Done()
			mine := 0
			for i := who; i < operations; i += 2 {
				runtime.Gosched()
				mine++
			}
			counts[who] = mine
		}(who)
	}
	done.Wait()
	return time.Since(start), counts[0] + counts[1]
}

// A goroutine that yields once, started and waited for.
func spawnJoin(operations int) (time.Duration, int) {
	ran := 0
	var done sync.WaitGroup
	start := time.Now()
	for i := 0; i < operations; i++ {
		done.Add(1)
		go func() {
			runtime.Gosched()
			ran++
			done.Done()
		}()
		done.Wait()
	}
	return time.Since(start), ran
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: switch_go yield|spawn_join OPERATIONS WORKERS")
		os.Exit(2)
	}
	row := os.Args[1]
	operations, err := strconv.Atoi(os.Args[2])
	workers, err2 := strconv.Atoi(os.Args[3])
	if err != nil || err2 != nil || operations < 1 || workers < 1 {
		fmt.Fprintln(os.Stderr, "OPERATIONS and WORKERS are whole numbers from 1")
		os.Exit(2)
	}
	runtime.GOMAXPROCS(workers)
	var took time.Duration
	var seen int
	switch row {
	case "yield":
		took, seen = yield(operations)
	case "spawn_join":
		took, seen = spawnJoin(operations)
	default:
		fmt.Fprintln(os.Stderr, "no such row:", row)
		os.Exit(2)
	}
	value := float64(took.Nanoseconds()) / float64(operations)
	json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"suite": "switch", "row": row, "runtime": "go", "workers": workers, "queue": "", "unit": "ns",
		"median": value, "min": value, "max": value, "runs": 1, "verified": seen == operations,
		"stats": map[string]interface{}{},
	})
}
