// Not for users.
//
// The barrier, without knowing what a fiber is: the part that the model checker runs.
//
// One word: missing << 34 | phase << 2 | waiting << 1 | locked. `missing` counts the arrivals that the phase still
// needs. All but the last one take theirs off with one compare-exchange. The last one runs the completion function,
// without the lock and while nothing is missing, and then begins the next phase, under the lock, and wakes the waiters.
// Those that are still on their way to wait find another phase than their own.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/sync/locked_word.hpp>
#include <ramie/sync/wait_list.hpp>

#include <cstddef>
#include <cstdint>

namespace ramie::detail {

/// How many arrivals a phase needs to begin with.
inline constexpr std::ptrdiff_t most_arrivals = (std::ptrdiff_t{1} << 30U) - 1;

template <class Provider = native_provider>
class barrier_core {
 public:
  using phase = std::uint32_t;

  class node : public wait_node<Provider> {
   public:
    explicit node(phase arrived_in) : m_phase(arrived_in) {}

   private:
    friend class barrier_core;
    const phase m_phase;
  };

  constexpr explicit barrier_core(std::ptrdiff_t expected) : m_word(pack(0, expected)), m_expected(expected) {}

  [[nodiscard]] bool has_waiters() const { return (m_word.word().load(std::memory_order_relaxed) & waiting) != 0; }

  /// Any thread that waits for that phase, or may. True: nobody touches the barrier for that phase any more.
  [[nodiscard]] bool is_over(phase of) const {
    // [B1] acquire: the completion function, and what was done before all arrivals, are seen; pairs with the unlock.
    // Weaker: the caller goes on without what it has waited for.
    return phase_of(m_word.word().load(std::memory_order_acquire)) != of;
  }

  /// Any thread. `arrived_in` gets the phase of the arrivals. `drops`: later phases need one less. Calls complete() if
  /// no arrival is missing then, and wakes by wake(waiter). False: so many are not missing; nothing has changed.
  template <class Complete, class Wake>
  [[nodiscard]] bool arrive(std::ptrdiff_t amount, bool drops, phase& arrived_in, Complete&& complete, Wake&& wake) {
    std::uint64_t word = m_word.word().load(std::memory_order_relaxed);
    while (!drops && (word & lockable::locked) == 0 && missing_of(word) > amount) {
      // [B2] release: what was done before the arrival; pairs with [L1] of the last one. Those between are
      // read-modify-writes too, so that one read of the last one sees all.
      if (m_word.word().compare_exchange_weak(word, word - pack(0, amount), std::memory_order_release,
                                              std::memory_order_relaxed)) {
        arrived_in = phase_of(word);
        return true;
      }
    }
    word = m_word.lock();
    arrived_in = phase_of(word);
    const bool valid = amount <= missing_of(word);
    if (valid) {
      word -= pack(0, amount);
      if (drops) m_expected = m_expected - 1;
    }
    m_word.unlock(word);
    if (valid && missing_of(word) == 0) {
      complete();
      begin_next_phase(wake);
    }
    return valid;
  }

  /// See wait_in.hpp.
  [[nodiscard]] bool enqueue(node& mine) {
    const std::uint64_t word = m_word.lock();
    const bool over = phase_of(word) != mine.m_phase;
    if (over) {
      static_cast<void>(mine.claim_at_once());
    } else {
      m_waiters.push_back(mine);
    }
    unlock(word);
    return !over;
  }
  void withdraw(node& mine) {
    const std::uint64_t word = m_word.lock();
    m_waiters.remove(mine);
    unlock(word);
  }

 private:
  using lockable = locked_word<Provider>;
  static constexpr std::uint64_t waiting = 2;
  static constexpr std::uint64_t pack(phase of, std::ptrdiff_t missing) {
    return (static_cast<std::uint64_t>(missing) << 34U) | (std::uint64_t{of} << 2U);
  }
  static constexpr phase phase_of(std::uint64_t word) { return static_cast<phase>(word >> 2U); }
  static constexpr std::ptrdiff_t missing_of(std::uint64_t word) { return static_cast<std::ptrdiff_t>(word >> 34U); }

  // By the last to arrive. All waiters wait for this phase.
  template <class Wake>
  void begin_next_phase(Wake&& wake) {
    const phase next = phase_of(m_word.lock()) + 1;
    woken_waiters<Provider> woken;
    while (auto* const waiter = m_waiters.pop_claimed()) woken.add(*waiter);
    m_word.unlock(pack(next, m_expected));
    woken.wake_each(wake);
  }
  void unlock(std::uint64_t word) { m_word.unlock((word & ~waiting) | (m_waiters.empty() ? 0 : waiting)); }

  lockable m_word;
  typename Provider::template plain<std::ptrdiff_t> m_expected;  // in the next phase; with the lock
  wait_list<Provider> m_waiters;
};

}  // namespace ramie::detail
