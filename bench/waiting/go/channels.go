package main

import (
	"sync"

	"ramie/bench/kernel/peer"
)

// tally is what a receiver has seen.
type tally struct {
	count, sum int
}

func (t *tally) see(item int) {
	t.count++
	t.sum += item
}

func (t *tally) add(other tally) {
	t.count += other.count
	t.sum += other.sum
}

// ofFirst is the tally of the items 0 to n-1.
func ofFirst(n int) tally {
	return tally{n, n * (n - 1) / 2}
}

// An item goes there and comes back, through two channels without a buffer.
func channelPingpong(operations int) outcome {
	trips := each(operations, 2)
	ping, pong := make(chan int), make(chan int)
	watch := peer.Start()
	go func() {
		for item := range ping {
			pong <- item
		}
		close(pong)
	}()
	var seen tally
	for i := 0; i < trips; i++ {
		ping <- i
		seen.see(<-pong)
	}
	close(ping)
	<-pong
	return outcome{taken: watch.Stop(), operations: trips * 2, right: seen == ofFirst(trips)}
}

// `sides` senders and as many receivers.
func channelMany(operations, sides int) outcome {
	share := each(operations, sides)
	items := make(chan int, bound)
	seen := make([]tally, sides)
	var sending, receiving sync.WaitGroup
	watch := peer.Start()
	for s := 0; s < sides; s++ {
		sending.Add(1)
		receiving.Add(1)
		go func(s int) {
			defer sending.Done()
			for i := s * share; i < (s+1)*share; i++ {
				items <- i
			}
		}(s)
		go func(s int) {
			defer receiving.Done()
			var mine tally
			for item := range items {
				mine.see(item)
			}
			seen[s] = mine
		}(s)
	}
	sending.Wait()
	close(items)
	receiving.Wait()
	taken := watch.Stop()
	var all tally
	for _, one := range seen {
		all.add(one)
	}
	return outcome{taken: taken, operations: share * sides, right: all == ofFirst(share*sides)}
}

// A sender for each of `channels` without a buffer; sender s sends share items from s*share on.
func senders(channels []chan int, share int) {
	for s, to := range channels {
		go func(to chan int, first int) {
			for i := first; i < first+share; i++ {
				to <- i
			}
		}(to, s*share)
	}
}

func unbuffered(count int) []chan int {
	channels := make([]chan int, count)
	for i := range channels {
		channels[i] = make(chan int)
	}
	return channels
}

func select2(operations int) outcome {
	share := each(operations, 2)
	c := unbuffered(2)
	a, b := c[0], c[1]
	var seen tally
	watch := peer.Start()
	senders(c, share)
	for i := 0; i < share*2; i++ {
		select {
		case item := <-a:
			seen.see(item)
		case item := <-b:
			seen.see(item)
		}
	}
	return outcome{taken: watch.Stop(), operations: share * 2, right: seen == ofFirst(share*2)}
}

func select16(operations int) outcome {
	share := each(operations, 16)
	c := unbuffered(16)
	c0, c1, c2, c3, c4, c5, c6, c7 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
	c8, c9, c10, c11, c12, c13, c14, c15 := c[8], c[9], c[10], c[11], c[12], c[13], c[14], c[15]
	var seen tally
	watch := peer.Start()
	senders(c, share)
	for i := 0; i < share*16; i++ {
		var item int
		select {
		case item = <-c0:
		case item = <-c1:
		case item = <-c2:
		case item = <-c3:
		case item = <-c4:
		case item = <-c5:
		case item = <-c6:
		case item = <-c7:
		case item = <-c8:
		case item = <-c9:
		case item = <-c10:
		case item = <-c11:
		case item = <-c12:
		case item = <-c13:
		case item = <-c14:
		case item = <-c15:
		}
		seen.see(item)
	}
	return outcome{taken: watch.Stop(), operations: share * 16, right: seen == ofFirst(share*16)}
}

// Pairs hand an item to each other; each receives by a select over its own channel and the stop that all share. When all
// have made their trips, they wait for the stop.
func selectStop(operations int) outcome {
	pairs := listeners / 2
	trips := each(operations, listeners)
	stop := make(chan struct{})
	seen := make([]tally, listeners)
	stopped := make([]bool, listeners)
	var arrived, ended sync.WaitGroup
	arrived.Add(listeners)
	ended.Add(listeners)
	listen := func(who int, own, other chan int, begins bool) {
		defer ended.Done()
		var mine tally
		early := false
		for i := 0; i < trips; i++ {
			if begins {
				other <- i
			}
			select {
			case item := <-own:
				mine.see(item)
				if !begins {
					other <- item
				}
			case <-stop:
				early = true
			}
		}
		seen[who] = mine
		arrived.Done()
		select {
		case <-own:
		case <-stop:
			stopped[who] = !early
		}
	}
	watch := peer.Start()
	for p := 0; p < pairs; p++ {
		a, b := make(chan int), make(chan int)
		go listen(2*p, a, b, true)
		go listen(2*p+1, b, a, false)
	}
	arrived.Wait()
	close(stop)
	ended.Wait()
	taken := watch.Stop()
	right := true
	for who := range seen {
		right = right && stopped[who] && seen[who] == ofFirst(trips)
	}
	return outcome{taken: taken, operations: trips * listeners, right: right}
}
