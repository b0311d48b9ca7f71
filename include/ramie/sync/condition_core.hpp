// The condition variable, without knowing what a fiber is: the part that the model checker runs.
//
// One word: waiting << 1 | locked, and the list of waiters, each with its record: a waiter stands in the list before it
// unlocks what it has locked, so no notification between the two is lost.
//
// The standard lets a condition variable be destroyed as soon as all are notified, while waiters still return. So a
// waiter that has been notified never touches it again. One whose wait has ended otherwise takes its node back, unless
// a notification has passed by its node meanwhile and taken it out: node and notifier agree on which it is, in one word
// of the node:
//
//   linked --(waiter)--> leaving --> gone      the waiter takes the node out; notifications leave it where it is, and
//                                              await_leavers(), before the destruction, waits for it: some instructions
//   linked --(notifier)--> passed --> gone     the notifier takes it out; the waiter waits for `gone`, some
//                                              instructions, and touches the condition variable no more
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/sync/locked_word.hpp>
#include <ramie/sync/wait_list.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Provider>
class condition_core;

template <class Provider = native_provider>
class condition_node : public wait_node<Provider> {
 private:
  friend class condition_core<Provider>;
  enum class place : std::uint32_t { linked, leaving, passed, gone };
  typename Provider::template atomic<place> m_place{place::linked};
};

template <class Provider = native_provider>
class condition_core {
 public:
  using node = condition_node<Provider>;

  constexpr condition_core() = default;

  /// The waiter, before it unlocks what its condition is about. The node has its record.
  void enqueue(node& mine) {
    static_cast<void>(m_word.lock());
    m_waiters.push_back(mine);
    m_word.unlock(waiting);
  }

  /// The waiter, when its wait has ended for another reason than a notification; does nothing the second time.
  void withdraw(node& mine) {
    place expected = place::linked;
    // relaxed: the list is guarded by its lock.
    if (mine.m_place.compare_exchange_strong(expected, place::leaving, std::memory_order_relaxed,
                                             std::memory_order_relaxed)) {
      static_cast<void>(m_word.lock());
      m_waiters.remove(mine);
      mine.m_place.store(place::gone, std::memory_order_relaxed);  // the waiter's own
      give_up_list();
      return;
    }
    // [V1] acquire: the notifier's last access to the node; pairs with [V2]. Weaker: the frame in which it lies is used
    // again while it is read.
    for (unsigned round = 1; mine.m_place.load(std::memory_order_acquire) != place::gone; ++round) wait_a_little(round);
  }

  /// Any thread: the first waiter, or at most `most` of them, in the order in which they came. Wakes by
  /// woken.wake_each().
  void notify(std::uint64_t most, woken_waiters<Provider>& woken) {
    // relaxed: a waiter that the notifier knows of, by the lock of its condition or otherwise, is seen.
    if (m_word.load(std::memory_order_relaxed) == 0) return;
    static_cast<void>(m_word.lock());
    for (auto* each = m_waiters.first(); each != nullptr && most != 0;) {
      auto& mine = static_cast<node&>(*each);
      each = m_waiters.behind(mine);
      if (mine.claim()) {
        m_waiters.remove(mine);
        woken.add(mine);
        --most;
        continue;
      }
      place expected = place::linked;
      if (!mine.m_place.compare_exchange_strong(expected, place::passed, std::memory_order_relaxed,
                                                std::memory_order_relaxed)) {
        continue;
      }
      m_waiters.remove(mine);
      mine.m_place.store(place::gone, std::memory_order_release);  // [V2], pairs with [V1]
    }
    give_up_list();
  }

  /// Before the destruction, when all are notified. False: somebody has not been.
  [[nodiscard]] bool await_leavers() {
    static_cast<void>(m_word.lock());
    bool all_leave = true;
    for (auto* each = m_waiters.first(); each != nullptr; each = m_waiters.behind(*each)) {
      all_leave &= static_cast<node&>(*each).m_place.load(std::memory_order_relaxed) == place::leaving;
    }
    give_up_list();
    // [V3] acquire: the leavers' last access; pairs with [L2]. Weaker: one unlocks a word that is something else.
    for (unsigned round = 1; all_leave && m_word.word().load(std::memory_order_acquire) != 0; ++round) {
      wait_a_little(round);
    }
    return all_leave;
  }

 private:
  using place = typename node::place;
  static constexpr std::uint64_t waiting = 2;

  void give_up_list() { m_word.unlock(m_waiters.empty() ? 0 : waiting); }
  static void wait_a_little(unsigned round) { round % 64 != 0 ? Provider::pause() : Provider::yield_thread(); }

  locked_word<Provider> m_word;
  wait_list<Provider> m_waiters;
};

}  // namespace ramie::detail
