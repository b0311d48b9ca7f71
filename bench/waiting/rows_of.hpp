// The rows for runtimes whose parts have the standard library's names, as ramie's, Boost.Fiber's and its own have. A
// `Kit` names the parts:
//
//     Kit::mutex, Kit::condition_variable, Kit::semaphore    the types
//     Kit::spawn(function)                                    starts a flow; returns what has join()
//     Kit::yield()
//     Kit::channel                                            channel(capacity), bool send(item), bool receive(item&),
//     close()
//
// A kit has what its rows need.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "waiting/problem.hpp"

namespace bench::waiting {

/// An item goes there and comes back, through two channels without a buffer.
template <class Kit>
timed channel_pingpong(std::uint64_t operations) {
  const std::uint64_t trips = each(operations, 2);
  typename Kit::channel ping(Kit::unbuffered);
  typename Kit::channel pong(Kit::unbuffered);
  tally seen;
  const stopwatch watch;
  auto far_side = Kit::spawn([&] {
    for (std::uint64_t item = 0; ping.receive(item);) {
      if (!pong.send(item)) return;
    }
  });
  for (std::uint64_t i = 0; i < trips && ping.send(i); ++i) {
    std::uint64_t item = 0;
    if (!pong.receive(item)) break;
    seen.see(item);
  }
  ping.close();
  far_side.join();
  return judged(watch.stop(trips * 2), trips, seen);
}

/// So many senders, and as many receivers, of a channel with this capacity.
template <class Kit>
timed channel_many(std::uint64_t operations, std::uint64_t of_each_side, std::size_t capacity) {
  const std::uint64_t share = each(operations, of_each_side);
  typename Kit::channel items(capacity);
  std::vector<tally> seen(of_each_side);
  std::vector<decltype(Kit::spawn([] {}))> sending;
  std::vector<decltype(Kit::spawn([] {}))> receiving;
  const stopwatch watch;
  for (std::uint64_t side = 0; side < of_each_side; ++side) {
    sending.push_back(Kit::spawn([&, side] {
      for (std::uint64_t i = side * share; i < (side + 1) * share && items.send(i); ++i) {
      }
    }));
    receiving.push_back(Kit::spawn([&, side] {
      tally mine;
      for (std::uint64_t item = 0; items.receive(item);) mine.see(item);
      seen[side] = mine;
    }));
  }
  for (auto& one : sending) one.join();
  items.close();
  for (auto& one : receiving) one.join();
  timed run = watch.stop(share * of_each_side);
  tally all;
  for (const tally& one : seen) all += one;
  return judged(std::move(run), share * of_each_side, all);
}

template <class Kit>
timed mutex_free(std::uint64_t operations) {
  typename Kit::mutex mutex;
  std::uint64_t count = 0;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < operations; ++i) {
    const std::scoped_lock lock(mutex);
    // Read and written each time, as what a mutex protects is.
    asm volatile("incq %0" : "+m"(count));
  }
  return judged(watch.stop(operations), count);
}

/// Parties that take one mutex in turn, and keep it over a yield if they yield. Threads beside them, if there are some,
/// do one half of the operations.
template <class Kit>
timed mutex_shared(std::uint64_t operations, bool yields, std::uint64_t threads) {
  using clock = std::chrono::steady_clock;
  typename Kit::mutex mutex;
  std::uint64_t count = 0;
  const auto party = [&](std::uint64_t locks, bool may_yield) {
    duration worst{0};
    for (std::uint64_t i = 0; i < locks; ++i) {
      if (i % timed_every == 0) {
        const auto began = clock::now();
        mutex.lock();
        worst = std::max(worst, std::chrono::duration_cast<duration>(clock::now() - began));
      } else {
        mutex.lock();
      }
      ++count;
      if (may_yield) Kit::yield();
      mutex.unlock();
    }
    return worst;
  };
  const std::uint64_t of_parties = threads == 0 ? operations : each(operations, 2);
  const std::uint64_t of_a_party = each(of_parties, parties);
  const std::uint64_t of_a_thread = threads == 0 ? 0 : each(of_parties, threads);
  std::vector<duration> worst(parties + threads);
  std::vector<decltype(Kit::spawn([] {}))> team;
  std::vector<std::thread> others;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < parties; ++i) {
    team.push_back(Kit::spawn([&, i] { worst[i] = party(of_a_party, yields); }));
  }
  for (std::uint64_t i = parties; i < parties + threads; ++i) {
    others.emplace_back([&, i] { worst[i] = party(of_a_thread, false); });
  }
  for (auto& one : team) one.join();
  for (std::thread& one : others) one.join();
  timed run = watch.stop(of_a_party * parties + of_a_thread * threads);
  add_worst_wait(run, worst);
  return judged(std::move(run), count);
}

template <class Kit>
timed semaphore(std::uint64_t operations) {
  const std::uint64_t share = each(operations, parties);
  typename Kit::semaphore free(static_cast<std::ptrdiff_t>(permits));
  std::atomic<std::uint64_t> inside{0};
  std::vector<std::uint64_t> passed(parties);  // not those that found too many beside them
  std::vector<decltype(Kit::spawn([] {}))> team;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < parties; ++i) {
    team.push_back(Kit::spawn([&, i] {
      std::uint64_t mine = 0;
      for (std::uint64_t k = 0; k < share; ++k) {
        free.acquire();
        if (inside.fetch_add(1, std::memory_order_relaxed) < permits) ++mine;
        Kit::yield();
        inside.fetch_sub(1, std::memory_order_relaxed);
        free.release();
      }
      passed[i] = mine;
    }));
  }
  for (auto& one : team) one.join();
  timed run = watch.stop(share * parties);
  std::uint64_t all = 0;
  for (const std::uint64_t one : passed) all += one;
  return judged(std::move(run), all);
}

/// One waits until all parties wait, and wakes them; an operation is a party that is woken.
template <class Kit>
timed condvar_broadcast(std::uint64_t operations) {
  const std::uint64_t rounds = each(operations, parties);
  typename Kit::mutex mutex;
  typename Kit::condition_variable changed;
  typename Kit::condition_variable complete;
  std::uint64_t waiting = 0;
  std::uint64_t round = 0;
  std::uint64_t woken = 0;
  std::vector<decltype(Kit::spawn([] {}))> team;
  const stopwatch watch;
  for (std::uint64_t p = 0; p < parties; ++p) {
    team.push_back(Kit::spawn([&] {
      std::unique_lock<typename Kit::mutex> lock(mutex);
      for (std::uint64_t i = 0; i < rounds; ++i) {
        if (++waiting == parties) complete.notify_one();
        changed.wait(lock, [&] { return round != i; });
        ++woken;
      }
    }));
  }
  {
    std::unique_lock<typename Kit::mutex> lock(mutex);
    for (std::uint64_t i = 0; i < rounds; ++i) {
      complete.wait(lock, [&] { return waiting == parties; });
      waiting = 0;
      ++round;
      changed.notify_all();
    }
  }
  for (auto& one : team) one.join();
  return judged(watch.stop(rounds * parties), woken);
}

}  // namespace bench::waiting
