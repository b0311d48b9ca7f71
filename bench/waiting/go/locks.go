package main

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"ramie/bench/kernel/peer"
)

func mutexFree(operations int) outcome {
	var mutex sync.Mutex
	count := 0
	watch := peer.Start()
	for i := 0; i < operations; i++ {
		mutex.Lock()
		count++
		mutex.Unlock()
	}
	return outcome{taken: watch.Stop(), operations: operations, right: count == operations}
}

// Goroutines that take one mutex in turn, and keep it over a Gosched if they yield. `more` of them have a thread each,
// and do one half of the operations.
func mutexShared(operations int, yields bool, more int) outcome {
	var mutex sync.Mutex
	count := 0
	worst := make([]time.Duration, parties+more)
	var ended sync.WaitGroup
	party := func(who, locks int) {
		defer ended.Done()
		mine := time.Duration(0)
		for i := 0; i < locks; i++ {
			if i%timedEvery == 0 {
				began := time.Now()
				mutex.Lock()
				if waited := time.Since(began); waited > mine {
					mine = waited
				}
			} else {
				mutex.Lock()
			}
			count++
			if yields {
				runtime.Gosched()
			}
			mutex.Unlock()
		}
		worst[who] = mine
	}
	ofParties := operations
	expected := 0
	if more > 0 {
		ofParties = each(operations, 2)
	}
	watch := peer.Start()
	for who := 0; who < parties+more; who++ {
		locks := each(ofParties, parties)
		if who >= parties {
			locks = each(ofParties, more)
		}
		expected += locks
		ended.Add(1)
		go func(who int) {
			if who >= parties {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			party(who, locks)
		}(who)
	}
	ended.Wait()
	taken := watch.Stop()
	longest := time.Duration(0)
	for _, one := range worst {
		if one > longest {
			longest = one
		}
	}
	return outcome{taken: taken, operations: expected, right: count == expected,
		stats: map[string]interface{}{"worst_wait_us": float64(longest.Nanoseconds()) / 1e3}}
}

// A channel with room for the permits is Go's semaphore.
func semaphore(operations int) outcome {
	share := each(operations, parties)
	taken := make(chan struct{}, permits)
	var inside, tooMany, passed int64
	var ended sync.WaitGroup
	ended.Add(parties)
	watch := peer.Start()
	for who := 0; who < parties; who++ {
		go func() {
			defer ended.Done()
			for i := 0; i < share; i++ {
				taken <- struct{}{}
				if atomic.AddInt64(&inside, 1) > permits {
					atomic.AddInt64(&tooMany, 1)
				}
				runtime.Gosched()
				atomic.AddInt64(&inside, -1)
				<-taken
			}
			atomic.AddInt64(&passed, int64(share))
		}()
	}
	ended.Wait()
	return outcome{taken: watch.Stop(), operations: share * parties,
		right: tooMany == 0 && inside == 0 && passed == int64(share*parties)}
}

// One waits until all parties wait, and wakes them; an operation is a party that is woken.
func condvarBroadcast(operations int) outcome {
	rounds := each(operations, parties)
	var mutex sync.Mutex
	changed, complete := sync.NewCond(&mutex), sync.NewCond(&mutex)
	waiting, round, woken := 0, 0, 0
	var ended sync.WaitGroup
	ended.Add(parties)
	watch := peer.Start()
	for who := 0; who < parties; who++ {
		go func() {
			defer ended.Done()
			mutex.Lock()
			for i := 0; i < rounds; i++ {
				if waiting++; waiting == parties {
					complete.Signal()
				}
				for round == i {
					changed.Wait()
				}
				woken++
			}
			mutex.Unlock()
		}()
	}
	mutex.Lock()
	for i := 0; i < rounds; i++ {
		for waiting < parties {
			complete.Wait()
		}
		waiting = 0
		round++
		changed.Broadcast()
	}
	mutex.Unlock()
	ended.Wait()
	return outcome{taken: watch.Stop(), operations: rounds * parties, right: woken == rounds*parties}
}

func scopeSpawnJoin(operations int) outcome {
	scopes := each(operations, children)
	var results [children]int
	sum := 0
	watch := peer.Start()
	for i := 0; i < scopes; i++ {
		var scope sync.WaitGroup
		scope.Add(children)
		for c := 0; c < children; c++ {
			go func(c int) {
				defer scope.Done()
				results[c] = i + c
			}(c)
		}
		scope.Wait()
		for _, one := range results {
			sum += one
		}
	}
	expected := children*ofFirst(scopes).sum + scopes*ofFirst(children).sum
	return outcome{taken: watch.Stop(), operations: scopes * children, right: sum == expected}
}
