// Goroutines in the suite `skynet`: skynet_go LEAVES WORKERS prints the row as a line of JSON.
package main

import (
	"ramie/bench/kernel/peer"
)

const children = 10

type result struct{ sum, leaves uint64 }

func node(to chan<- result, first, leaves uint64) {
	if leaves == 1 {
		to <- result{first, 1}
		return
	}
	from := make(chan result, children)
	each := leaves / children
	for i := uint64(0); i < children; i++ {
		go node(from, first+i*each, each)
	}
	var total result
	for i := 0; i < children; i++ {
		one := <-from
		total.sum += one.sum
		total.leaves += one.leaves
	}
	to <- total
}

func root(leaves uint64) result {
	from := make(chan result, 1)
	go node(from, 0, leaves)
	return <-from
}

func main() {
	numbers := peer.Numbers("LEAVES", "WORKERS")
	leaves := uint64(numbers[0])
	root(leaves) // warms the process up
	watch := peer.Start()
	found := root(leaves)
	took := watch.Stop()
	expected := result{leaves * (leaves - 1) / 2, leaves}
	peer.Row{Suite: "skynet", Name: "skynet", Unit: "ns", Value: took.Nanoseconds / float64(leaves),
		Verified: found == expected, Stats: took.Stats}.Print()
}
