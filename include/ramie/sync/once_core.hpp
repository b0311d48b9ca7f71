// What is done once, without knowing what a fiber is: the part that the model checker runs.
//
// One word: waiting << 3 | done << 2 | running << 1 | locked. One call runs; the others that come wait for it, in a
// list, whose lock is `locked`. Where it fails, the first of them runs next.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/sync/locked_word.hpp>
#include <ramie/sync/wait_list.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Provider>
class once_core;

template <class Provider = native_provider>
class once_node : public wait_node<Provider> {
 public:
  /// When its wait is over. False: it is done.
  [[nodiscard]] bool runs() const { return m_runs; }

 private:
  friend class once_core<Provider>;
  typename Provider::template plain<bool> m_runs = false;
};

template <class Provider = native_provider>
class once_core {
 public:
  using node = once_node<Provider>;

  constexpr once_core() = default;

  [[nodiscard]] bool is_done() const {
    // [Z1] acquire: what the call has done; pairs with [L2]. Weaker: it is not seen.
    return (m_word.word().load(std::memory_order_acquire) & done) != 0;
  }

  /// Where nobody has begun: the caller runs.
  [[nodiscard]] bool begin_quickly() {
    std::uint64_t word = 0;
    // [Z2] acquire: what a call that failed has done; pairs with [L2]. Weaker: it is not seen.
    return m_word.word().compare_exchange_weak(word, running, std::memory_order_acquire, std::memory_order_relaxed);
  }

  /// The one that runs. Wakes by wake(waiter).
  template <class Wake>
  void finish(bool succeeded, Wake&& wake) {
    static_cast<void>(m_word.lock());
    woken_waiters<Provider> woken;
    std::uint64_t word = succeeded ? done : 0;
    while (node* const next = static_cast<node*>(m_waiters.pop_claimed())) {
      woken.add(*next);
      if (succeeded) continue;
      next->m_runs = true;
      word = running;
      break;
    }
    give_up_list(word);
    woken.wake_each(wake);
  }

  /// See wait_in.hpp.
  [[nodiscard]] bool enqueue(node& mine) {
    std::uint64_t word = m_word.lock();
    const bool waits = (word & running) != 0;
    if (waits) {
      m_waiters.push_back(mine);
    } else if (mine.claim_at_once() && (word & done) == 0) {
      mine.m_runs = true;
      word = running;
    }
    give_up_list(word & ~waiting);
    return waits;
  }
  void withdraw(node& mine) {
    const std::uint64_t word = m_word.lock();
    m_waiters.remove(mine);
    give_up_list(word & ~waiting);
  }

 private:
  static constexpr std::uint64_t running = 2;
  static constexpr std::uint64_t done = 4;
  static constexpr std::uint64_t waiting = 8;

  void give_up_list(std::uint64_t word) { m_word.unlock(word | (m_waiters.empty() ? 0 : waiting)); }

  locked_word<Provider> m_word;
  wait_list<Provider> m_waiters;
};

}  // namespace ramie::detail
