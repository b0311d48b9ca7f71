// Not for users.
//
// The event count: how workers fall asleep and are woken so that no work is left while a worker sleeps, and no worker
// is woken for nothing. docs/memory-model.md has the proof with these names; this is its outline.
//
// A worker is busy, searching (looking at others' queues) or sleeping. One word counts the searching and the sleeping.
//
//   producer   P1 push    P2 light fence    P3 look at the word; nobody sleeps: done
//                         P4 full fence     P5 look again; somebody searches: done; else wake one (it then searches)
//   sleeper    S1 word: searching - 1, sleeping + 1    S2 heavy fence    S3 look at all queues    S4 sleep
//   finder     X1 word: searching - 1    if it was the last and others sleep: X2 full fence
//              X3 look at all queues, and wake one if there is anything
//
// P1 before P3 and S1 before S3, with an asymmetric pair of fences between (P2, S2): either the producer sees the
// sleeper, or the sleeper sees the work. The producer's fence runs a million times a second, and costs nothing. The
// sleeper's fence costs microseconds, at a moment when there is nothing else to do. A producer that leaves its work to
// a searcher (P5) has fenced fully, and so has a searcher that stops. Whether it found something (X2, X3) or nothing
// (S2, S3), it sees that work after all. So at most one wake-up is under way at a time, and each searcher that finds
// work passes the search on.
//
// Changes of `sleeping` and of the list of sleepers are made under a lock: they belong to system calls of microseconds.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/scheduler/idle_word.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

namespace ramie::detail {

/// The result for a sleeper that changed its mind.
enum class [[nodiscard]] retraction {
  done,            ///< it is searching again
  already_chosen,  ///< a producer has just picked it: the interrupt is on its way and must be waited for
};

template <class Provider = native_provider>
class sleep_gate {
 public:
  /// For `workers` workers, all of them busy.
  explicit sleep_gate(unsigned workers) : m_workers(workers), m_max_searching(workers / 2 > 0 ? workers / 2 : 1) {
    static_cast<void>(Provider::light_fences_are_free());  // found out before the first of them
    Provider::writing(m_sleepers).reserve(workers);
  }

  /// [P2]–[P5] Any thread, after it pushed. Calls interrupt(worker index) for the one to wake, if any; true if it did.
  template <class Interrupt>
  bool notify(Interrupt&& interrupt) {
    return m_word.somebody_sleeps() && notify_slow(interrupt);  // P2, P3
  }

  /// [P2]–[P4] Any thread. False: no worker sleeps, and a worker that is about to sleep sees in [S3] what the caller
  /// has written.
  [[nodiscard]] bool anybody_sleeps() {
    if (!m_word.somebody_sleeps()) return false;  // P2, P3
    Provider::fence_seq_cst();                    // P4, pairs with X2 and S2
    return true;
  }

  /// A busy worker wants to search. False: enough do already (half of all; more only collide).
  [[nodiscard]] bool start_searching() {
    std::uint64_t seen = m_word.value.load(std::memory_order_relaxed);
    while (idle_counts(seen).searching() < m_max_searching) {
      if (m_word.value.compare_exchange_weak(seen, seen + idle_counts::one_searching, std::memory_order_relaxed))
        return true;
    }
    return false;
  }

  /// [X1], [X2] A searching worker has found work and is busy. True: it was the last searcher and others sleep, so it
  /// must look at all queues and call notify() if one is not empty.
  [[nodiscard]] bool stop_searching() {
    // X1. release: a later finder sees this finder's earlier writes after X2, and a later sleeper sees them after S2.
    // Weaker: they do not see that the timekeeper has woken, and take it for asleep (timekeeper.hpp).
    const idle_counts before(m_word.value.fetch_sub(idle_counts::one_searching, std::memory_order_release));
    if (before.searching() != 1 || before.sleeping() == 0) return false;
    Provider::fence_seq_cst();  // X2, pairs with P4
    return true;
  }

  /// [S1], [S2] The worker will sleep; afterwards it looks at all queues once more. `searching`: it was counted so.
  /// ask() is called in between.
  template <class Ask>
  void announce_sleep(unsigned worker, bool searching, Ask&& ask) {
    {
      const std::lock_guard guard(m_lock);
      Provider::writing(m_sleepers).push_back(worker);  // never grows: reserved
      m_word.value.fetch_add(idle_counts::one_sleeping - (searching ? idle_counts::one_searching : 0),
                             std::memory_order_relaxed);  // S1
    }
    ask();
    Provider::fence_heavy();  // S2, pairs with P2 and P4
  }
  void announce_sleep(unsigned worker, bool searching) {
    announce_sleep(worker, searching, [] {});
  }

  /// The worker has seen work at S3 and would rather search.
  retraction retract_sleep(unsigned worker) {
    const std::lock_guard guard(m_lock);
    std::vector<unsigned>& sleepers = Provider::writing(m_sleepers);
    const auto mine = std::ranges::find(sleepers, worker);
    if (mine == sleepers.end()) return retraction::already_chosen;
    take(mine);
    return retraction::done;
  }

  /// Any thread. Every worker that sleeps at the call is chosen, as if by notify(): for the end of a run.
  template <class Interrupt>
  void notify_all(Interrupt&& interrupt) {
    // The worker that has slept longest comes first, and no more are chosen than sleep now. A worker that wakes, looks
    // and sleeps again stands at the end of the list, and is not woken again.
    for (std::size_t left = m_workers; left > 0; --left) {
      const int chosen = choose_oldest();
      if (chosen < 0) return;
      interrupt(static_cast<unsigned>(chosen));
    }
  }

  [[nodiscard]] idle_counts counts() const { return m_word.counts(); }
  [[nodiscard]] const idle_word<Provider>& word() const { return m_word; }

 private:
  template <class Interrupt>
  [[gnu::noinline]] bool notify_slow(Interrupt&& interrupt) {
    Provider::fence_seq_cst();         // P4, pairs with X2 and S2
    const idle_counts now = counts();  // P5
    if (now.searching() != 0 || now.sleeping() == 0) return false;
    const int chosen = choose_newest();
    if (chosen < 0) return false;
    interrupt(static_cast<unsigned>(chosen));
    return true;
  }

  // The sleeper that fell asleep last: its cache is warmest. -1: there is none, or some worker has begun to search
  // meanwhile, and will look.
  int choose_newest() {
    const std::lock_guard guard(m_lock);
    std::vector<unsigned>& sleepers = Provider::writing(m_sleepers);
    return sleepers.empty() || counts().searching() != 0 ? -1 : take(sleepers.end() - 1);
  }
  int choose_oldest() {
    const std::lock_guard guard(m_lock);
    std::vector<unsigned>& sleepers = Provider::writing(m_sleepers);
    return sleepers.empty() ? -1 : take(sleepers.begin());
  }

  // Under the lock. From the list, in order of falling asleep; it counts as searching from now on.
  int take(std::vector<unsigned>::iterator sleeper) {
    const unsigned taken = *sleeper;
    Provider::writing(m_sleepers).erase(sleeper);
    m_word.value.fetch_add(idle_counts::one_searching - idle_counts::one_sleeping, std::memory_order_relaxed);
    return static_cast<int>(taken);
  }

  alignas(cache_line_size) idle_word<Provider> m_word;
  alignas(cache_line_size) ramie::lock_of<Provider> m_lock;
  typename Provider::template plain<std::vector<unsigned>> m_sleepers;  // under the lock
  unsigned m_workers;
  unsigned m_max_searching;
};

}  // namespace ramie::detail
