// Goroutines in the suite `million`: main N WORKERS prints three rows, one line of JSON each.
// N goroutines block on one channel, which is then closed; twice.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

func residentBytes() int {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.Atoi(strings.Fields(string(text))[1])
	return pages * os.Getpagesize()
}

func pageTableBytes() int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "VmPTE:") {
			kilobytes, _ := strconv.Atoi(strings.Fields(line)[1])
			return kilobytes * 1024
		}
	}
	return 0
}

// One wave: the seconds to create, block, release and finish, and the memory while all are blocked.
func wave(marks []uint32, number uint32) (seconds float64, resident, tables int) {
	var arrived, finished sync.WaitGroup
	arrived.Add(len(marks))
	finished.Add(len(marks))
	gate := make(chan struct{})
	start := time.Now()
	for id := range marks {
		go func(id int) {
			arrived.Done()
			<-gate
			marks[id] = uint32(id) + number
			finished.Done()
		}(id)
	}
	arrived.Wait()
	before := time.Since(start)
	resident, tables = residentBytes(), pageTableBytes()
	start = time.Now()
	close(gate)
	finished.Wait()
	return (before + time.Since(start)).Seconds(), resident, tables
}

func verified(marks []uint32, number uint32) bool {
	for id, mark := range marks {
		if mark != uint32(id)+number {
			return false
		}
	}
	return true
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: million_go N WORKERS")
		os.Exit(2)
	}
	n, err := strconv.Atoi(os.Args[1])
	workers, err2 := strconv.Atoi(os.Args[2])
	if err != nil || err2 != nil || n < 1 || workers < 1 {
		fmt.Fprintln(os.Stderr, "N and WORKERS are whole numbers from 1")
		os.Exit(2)
	}
	runtime.GOMAXPROCS(workers)
	marks := make([]uint32, n)
	for id := range marks {
		marks[id] = 0xffffffff
	}
	resident, tables := residentBytes(), pageTableBytes()

	first, residentBlocked, tablesBlocked := wave(marks, 1)
	firstRight := verified(marks, 1)
	second, _, _ := wave(marks, 2)
	secondRight := verified(marks, 2)

	out := json.NewEncoder(os.Stdout)
	row := func(name, unit string, value float64, right bool) {
		out.Encode(map[string]interface{}{
			"suite": "million", "row": name, "runtime": "go", "workers": workers, "queue": "", "unit": unit,
			"median": value, "min": value, "max": value, "runs": 1, "verified": right,
			"stats": map[string]interface{}{
				"n": n, "page_table_bytes_each": float64(tablesBlocked-tables) / float64(n),
			},
		})
	}
	row("first_wave", "s", first, firstRight)
	row("second_wave", "s", second, secondRight)
	row("bytes_each", "bytes", float64(residentBlocked-resident)/float64(n), firstRight)
}
