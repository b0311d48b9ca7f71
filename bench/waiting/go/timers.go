package main

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"ramie/bench/kernel/peer"
)

const (
	lead    = 4000 * time.Nanosecond  // for each of the sleepers, before the first wakes
	spacing = 10000 * time.Nanosecond // between two deadlines
	stride  = 7919                    // a prime: deadlines do not come in the order of the sleepers
)

// One timer that is set and stopped again: cheaper than a new one each time.
func timerCancelled(operations int) outcome {
	var fired int64
	timer := time.AfterFunc(time.Hour, func() { atomic.AddInt64(&fired, 1) })
	timer.Stop()
	cancelled := 0
	watch := peer.Start()
	for i := 0; i < operations; i++ {
		timer.Reset(time.Hour)
		if timer.Stop() {
			cancelled++
		}
	}
	taken := watch.Stop()
	return outcome{taken: taken, operations: operations,
		right: cancelled == operations && atomic.LoadInt64(&fired) == 0}
}

// The row is the CPU time of one sleeper.
func timersFire(sleepers int) outcome {
	lateness := make([]time.Duration, sleepers)
	var ended sync.WaitGroup
	ended.Add(sleepers)
	watch := peer.Start()
	first := time.Now().Add(time.Duration(sleepers) * lead)
	for i := 0; i < sleepers; i++ {
		go func(i int) {
			defer ended.Done()
			deadline := first.Add(time.Duration(i*stride%sleepers) * spacing)
			time.Sleep(time.Until(deadline))
			lateness[i] = time.Since(deadline)
		}(i)
	}
	ended.Wait()
	taken := watch.Stop()
	sort.Slice(lateness, func(a, b int) bool { return lateness[a] < lateness[b] })
	taken.Nanoseconds = taken.Stats["cpu_s"].(float64) * 1e9
	us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	return outcome{taken: taken, operations: sleepers, right: lateness[0] >= 0, stats: map[string]interface{}{
		"n": sleepers, "p99_lateness_us": us(lateness[sleepers*99/100]), "worst_lateness_us": us(lateness[sleepers-1])}}
}
