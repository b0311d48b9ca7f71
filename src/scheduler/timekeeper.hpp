// Which of the sleeping workers wakes at the next deadline of the runtime, and watches the drivers of all.
//
// Busy workers look at the heaps of deadlines in turns (worker_clock::poll()). One of the sleeping workers is the
// timekeeper: it sleeps until the earliest deadline in any heap, and then ends the waits whose time has come, in all
// heaps. The others sleep until they are called. It stops being the timekeeper with its sleep; if it then has other
// work, somebody else must fall asleep anew as the timekeeper. So timers without a timekeeper are work to be seen, like
// work in a queue, and the steps are those of the sleep gate (sleep_gate.hpp):
//
//   producer     P1 adds a timer to a heap    P2, P3 nobody sleeps: done
//                P4 full fence    P5 the timekeeper sleeps for longer: interrupts it; there is none: as P5 of a push
//   sleeper      S1    K1 is the timekeeper if there is none, until the earliest deadline that it sees    S2
//                S3 looks at the heaps again    S4 sleeps until the earlier one of the two
//   timekeeper   K2 wakes, and is it no more    X1    X2    X3 timers without a timekeeper: wakes a sleeper
//
// Where drivers can be reaped by others (idle_driver.hpp), there is one as soon as a worker sleeps, with deadlines or
// without: it watches them from K1 to K2, and S3 looks at them too.
//
// Either the producer sees the timekeeper and its deadline, or the timekeeper sees the timer in S3; the fences P4 and
// S2, P4 and X2 are those of the gate. docs/memory-model.md has the proof.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/scheduler/deadline.hpp>

#include <algorithm>
#include <cstdint>

namespace ramie::detail {

template <class Provider = native_provider>
class timekeeper {
 public:
  /// Some worker keeps the time, whether there are timers or not. Any thread; a guess by the time it is read, but for
  /// the order of the steps.
  [[nodiscard]] bool exists() const { return m_word.load(std::memory_order_relaxed) != nobody; }

  /// K1: by a worker, after S1 and before S2. True: it is the timekeeper from now on.
  [[nodiscard]] bool begin(unsigned worker, deadline_ns earliest) {
    std::uint64_t word = nobody;
    // [K1] acq_rel. Release: the driver in which the worker sleeps; pairs with [K3]. Weaker: an interrupter takes the
    // driver that the worker had before. Acquire: the timekeeper before has ceased to watch; pairs with [K2]. Weaker:
    // two workers watch the drivers, and the end of the first one's watch is the end of the second one's. The order of
    // the steps comes from the gate, here and in end().
    return m_word.compare_exchange_strong(word, word_of(worker, earliest), std::memory_order_acq_rel,
                                          std::memory_order_relaxed);
  }

  /// K2: the timekeeper, awake.
  void end() { m_word.store(nobody, std::memory_order_release); }  // [K2] release, pairs with [K1]

  /// P5: any thread, after P4. True: there is a timekeeper, and it sleeps until this deadline at most or has been
  /// interrupted by interrupt(worker).
  template <class Interrupt>
  [[nodiscard]] bool tell(deadline_ns when, Interrupt&& interrupt) {
    std::uint64_t word = m_word.load(std::memory_order_relaxed);
    for (;;) {
      if (word == nobody) return false;
      if (microseconds_of(word) <= microseconds(when)) return true;
      const unsigned worker = worker_of(word);
      // The earlier deadline stays in the word, so that a later one does not interrupt again.
      // [K3] acquire, pairs with [K1].
      if (m_word.compare_exchange_weak(word, word_of(worker, when), std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        interrupt(worker);
        return true;
      }
    }
  }

 private:
  // Microseconds << 13 | worker. So two deadlines within a microsecond are one, and those after 71 years are never.
  static constexpr unsigned worker_bits = 13;
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};
  static constexpr std::uint64_t microseconds(deadline_ns when) {
    constexpr std::uint64_t last = (std::uint64_t{1} << (64U - worker_bits)) - 2;
    return std::min(static_cast<std::uint64_t>(std::max(when, deadline_ns{0})) / 1000, last);
  }
  static constexpr std::uint64_t word_of(unsigned worker, deadline_ns until) {
    return microseconds(until) << worker_bits | worker;
  }
  static constexpr std::uint64_t microseconds_of(std::uint64_t word) { return word >> worker_bits; }
  static constexpr unsigned worker_of(std::uint64_t word) {
    return static_cast<unsigned>(word & ((std::uint64_t{1} << worker_bits) - 1));
  }

  // Written when somebody falls asleep or wakes, and by deadlines that come earlier than all others.
  alignas(cache_line_size) typename Provider::template atomic<std::uint64_t> m_word{nobody};
};

}  // namespace ramie::detail
