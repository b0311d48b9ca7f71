// The controls' way to split work: plain threads, each with its share from the start. No runtime can do better on work
// whose shares are equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "framework/timed.hpp"
#include "kernel/rendezvous.hpp"

namespace bench {

struct share {
  std::size_t begin;
  std::size_t end;
};

/// The thread's part of `count`; those of all threads are consecutive.
[[nodiscard]] constexpr share share_of(std::size_t count, unsigned thread, unsigned threads) {
  return {count * thread / threads, count * (thread + 1) / threads};
}

/// Calls body(thread) on `workers` threads, the caller's (number 0) among them, and before that start() on the
/// caller's. All are there and awake when the clock starts, just before start(); it stops when all have finished.
template <class Start, class Body>
timed on_static_threads(unsigned workers, std::uint64_t operations, const Start& start, const Body& body) {
  rendezvous all_here(workers);
  rendezvous started(1);
  rendezvous finished(workers);
  std::vector<std::jthread> threads;
  for (unsigned w = 1; w < workers; ++w) {
    threads.emplace_back([&, w] {
      all_here.arrive();
      started.wait();
      body(w);
      finished.arrive();
    });
  }
  all_here.arrive();
  all_here.wait();
  const stopwatch watch;
  start();
  started.arrive();
  body(0U);
  finished.arrive();
  finished.wait();
  return watch.stop(operations);
}

template <class Body>
timed on_static_threads(unsigned workers, std::uint64_t operations, const Body& body) {
  return on_static_threads(workers, operations, [] {}, body);
}

}  // namespace bench
