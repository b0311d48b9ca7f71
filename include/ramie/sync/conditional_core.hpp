// The mutex that is taken when a condition holds, without knowing what a fiber is: the part that the model checker
// runs.
//
// One word: waiting << 2 | held << 1 | locked; `locked` is the lock of the list of waiters. While nobody waits, lock
// and unlock are one compare-exchange each.
//
// An unlock goes through the waiters, in the order in which they came, and hands the mutex to the first without a
// condition, or whose condition holds; it evaluates them itself. Meanwhile the mutex stays held, by nobody else, so a
// condition sees what the mutex guards; and the list is not locked, so a condition may take its time, and waiters come
// and go. The waiter whose condition is evaluated must not: its node is *busy*, and the waiter, if its wait has ended
// for another reason, waits until it is not.
#pragma once

#include <ramie/base/function_ref.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/sync/locked_word.hpp>
#include <ramie/sync/wait_list.hpp>

#include <cstdint>
#include <exception>

namespace ramie::detail {

template <class Provider>
class conditional_core;

template <class Provider = native_provider>
class conditional_node : public wait_node<Provider> {
  template <class T>
  using plain = typename Provider::template plain<T>;

 public:
  conditional_node() = default;
  explicit conditional_node(const function_ref<bool()>& condition) : m_condition(&condition) {}

  /// The waiter, when its wait has ended as woken: what its condition has thrown, and then it has not got the mutex.
  [[nodiscard]] const std::exception_ptr& error() const { return m_error; }

 private:
  friend class conditional_core<Provider>;
  const function_ref<bool()>* m_condition = nullptr;  // null: none
  std::exception_ptr m_error;
  plain<bool> m_is_busy = false;  // with the lock of the list
};

template <class Provider = native_provider>
class conditional_core {
 public:
  using node = conditional_node<Provider>;

  constexpr conditional_core() = default;

  [[nodiscard]] bool is_held() const { return (m_word.load(std::memory_order_relaxed) & held) != 0; }
  [[nodiscard]] bool has_waiters() const { return (m_word.load(std::memory_order_relaxed) & waiting) != 0; }

  [[nodiscard]] bool try_lock() {
    std::uint64_t word = m_word.load(std::memory_order_relaxed);
    while ((word & held) == 0) {
      if ((word & word_type::locked) != 0) {
        word = m_word.lock();
        m_word.unlock(word | held);
        return (word & held) == 0;
      }
      // [Y1] acquire: what the owner before has done; pairs with [Y2]. Weaker: it is not seen.
      if (m_word.word().compare_exchange_weak(word, word | held, std::memory_order_acquire, std::memory_order_relaxed))
        return true;
    }
    return false;
  }

  /// The owner. False: nobody has it. Wakes by wake(waiter).
  template <class Wake>
  [[nodiscard]] bool unlock(Wake&& wake) {
    node* next = nullptr;
    if (!unlock(next, wake)) return false;
    if (next != nullptr) next->finish(wake);
    return true;
  }
  /// The same, and `next`, if not null, owns it now and is yet to be woken, by finish().
  template <class Wake>
  [[nodiscard]] bool unlock(node*& next, Wake&& wake) {
    std::uint64_t word = held;
    // [Y2] release: what the owner has done; pairs with [Y1] and [L1].
    if (m_word.word().compare_exchange_weak(word, 0, std::memory_order_release, std::memory_order_relaxed)) return true;
    word = m_word.lock();
    if ((word & held) == 0) return m_word.unlock(word), false;
    next = hand_on(/*except=*/nullptr, wake);
    return true;
  }

  /// The owner, whose condition does not hold: waits, and lets the mutex go.
  template <class Wake>
  void enqueue_and_unlock(node& mine, Wake&& wake) {
    static_cast<void>(m_word.lock());
    m_waiters.push_back(mine);
    if (node* const next = hand_on(&mine, wake)) next->finish(wake);
  }

  /// The same after withdraw(), by the waiter, which does not own it.
  template <class Wake>
  void enqueue_again(node& mine, Wake&& wake) {
    const std::uint64_t word = m_word.lock();
    m_waiters.push_back(mine);
    if ((word & held) != 0) return give_up_list(held);  // the owner will evaluate its condition
    if (node* const next = hand_on(/*except=*/nullptr, wake)) next->finish(wake);
  }

  /// See wait_in.hpp.
  [[nodiscard]] bool enqueue(node& mine) {
    const std::uint64_t word = m_word.lock();
    const bool there = (word & held) == 0;
    bool got = false;
    if (there) {
      got = mine.claim_at_once();
    } else {
      m_waiters.push_back(mine);
    }
    give_up_list(got ? held : word & held);
    return !there;
  }
  void withdraw(node& mine) {
    for (unsigned round = 1;; ++round) {
      const std::uint64_t word = m_word.lock();
      const bool busy = mine.m_is_busy;
      if (!busy) m_waiters.remove(mine);
      give_up_list(word & held);
      if (!busy) return;
      round % 64 != 0 ? Provider::pause() : Provider::yield_thread();
    }
  }

 private:
  using word_type = locked_word<Provider>;
  static constexpr std::uint64_t held = 2;
  static constexpr std::uint64_t waiting = 4;

  // With the list, where the mutex is held by the caller, who leaves. Gives the list up. Wakes those whose conditions
  // have thrown. Returns the next owner, or null.
  template <class Wake>
  [[nodiscard]] node* hand_on(const node* except, Wake&& wake) {
    woken_waiters<Provider> failed;
    node* next = nullptr;
    for (auto* each = m_waiters.first(); each != nullptr && next == nullptr;) {
      auto& mine = static_cast<node&>(*each);
      const bool holds = &mine != except && (mine.m_condition == nullptr || evaluate(mine));
      each = m_waiters.behind(mine);
      if ((!holds && !has_thrown(mine)) || !mine.claim()) continue;
      m_waiters.remove(mine);
      if (holds) {
        next = &mine;
      } else {
        failed.add(mine);
      }
    }
    give_up_list(next != nullptr ? held : 0);
    failed.wake_each(wake);
    return next;
  }
  // With the list, which it gives up meanwhile.
  [[nodiscard]] bool evaluate(node& mine) {
    if (has_thrown(mine)) return false;  // its wait is over
    mine.m_is_busy = true;
    give_up_list(held);
    bool holds = false;
    try {
      holds = (*mine.m_condition)();
    } catch (...) {
      mine.m_error = std::current_exception();
    }
    static_cast<void>(m_word.lock());
    mine.m_is_busy = false;
    return holds;
  }
  static bool has_thrown(const node& mine) { return mine.m_error != nullptr; }

  void give_up_list(std::uint64_t word) { m_word.unlock(word | (m_waiters.empty() ? 0 : waiting)); }

  word_type m_word;
  wait_list<Provider> m_waiters;
};

}  // namespace ramie::detail
