// Goroutines in the suite `waiting`: main ROW OPERATIONS WORKERS prints one row as a line of JSON. The sizes are those
// of bench/waiting/problem.hpp.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"

	"ramie/bench/kernel/peer"
)

const (
	bound     = 1000 // of a bounded channel
	parties   = 100  // that share a mutex, a semaphore, a condition variable
	permits   = 10
	listeners = 1000 // that select over a shared stop channel
	threads   = 2    // beside the parties
	children  = 10   // of a scope
	// Of a party's locks, one in so many is timed: two looks at the clock cost more than a free mutex.
	timedEvery = 16
)

// outcome is one repetition: how often the operation happened, whether all was right, and statistics besides time.
type outcome struct {
	taken      peer.Taken
	operations int
	right      bool
	stats      map[string]interface{}
}

var rows = map[string]func(operations int) outcome{
	"channel_pingpong":  channelPingpong,
	"channel_1_1":       func(n int) outcome { return channelMany(n, 1) },
	"channel_4_4":       func(n int) outcome { return channelMany(n, 4) },
	"select_2":          select2,
	"select_16":         select16,
	"select_stop":       selectStop,
	"mutex_free":        mutexFree,
	"mutex_100":         func(n int) outcome { return mutexShared(n, false, 0) },
	"mutex_100_yield":   func(n int) outcome { return mutexShared(n, true, 0) },
	"mutex_threads":     func(n int) outcome { return mutexShared(n, false, threads) },
	"semaphore":         semaphore,
	"condvar_broadcast": condvarBroadcast,
	"timer_cancelled":   timerCancelled,
	"timers_fire":       timersFire,
	"scope_spawn_join":  scopeSpawnJoin,
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: waiting_go ROW OPERATIONS WORKERS")
		os.Exit(2)
	}
	row := os.Args[1]
	run, known := rows[row]
	operations, err := strconv.Atoi(os.Args[2])
	workers, err2 := strconv.Atoi(os.Args[3])
	if !known || err != nil || err2 != nil || operations < 1 || workers < 1 {
		fmt.Fprintln(os.Stderr, "ROW is one of the suite's, OPERATIONS and WORKERS are whole numbers from 1")
		os.Exit(2)
	}
	runtime.GOMAXPROCS(workers)
	o := run(operations)
	for name, value := range o.stats {
		o.taken.Stats[name] = value
	}
	peer.Row{Suite: "waiting", Name: row, Unit: "ns", Value: o.taken.Nanoseconds / float64(o.operations),
		Verified: o.right, Stats: o.taken.Stats}.Print()
}

// each is how many of `operations` one of `shares` does: at least one.
func each(operations, shares int) int {
	return (operations + shares - 1) / shares
}
