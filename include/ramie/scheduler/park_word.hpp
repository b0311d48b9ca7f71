// Not for users.
//
// The word on which a kernel thread sleeps until it is its turn. 0: nothing; 1: unparked.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/scheduler/deadline.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Provider = native_provider>
class park_word {
 public:
  /// Its thread. Sleeps until unpark() has been called once since the last park() returned.
  void park() {
    // [T1] acquire: the waker's earlier writes are seen; pairs with [T2]. Weaker: the thread goes on and does not see
    // the result that it waited for.
    while (m_unparked.exchange(0, std::memory_order_acquire) == 0) Provider::futex_wait(m_unparked, 0);
  }

  /// The same, but at most until the deadline. False: the time has run out, and the next park() begins where this one
  /// did.
  [[nodiscard]] bool park_until(deadline_ns deadline) {
    if (deadline == no_deadline) return park(), true;
    while (m_unparked.exchange(0, std::memory_order_acquire) == 0) {  // [T1]
      if (!Provider::futex_wait_for(m_unparked, 0, time_of(deadline) - Provider::now())) {
        return m_unparked.exchange(0, std::memory_order_acquire) != 0;  // [T1]
      }
    }
    return true;
  }

  /// Any thread, once for each park(). The thread may end right after the store; the wake then finds an address that
  /// nobody waits on, which futex(2) allows.
  void unpark() {
    auto& word = m_unparked;
    word.store(1, std::memory_order_release);  // [T2], pairs with [T1]
    Provider::futex_wake(word, 1);
  }

 private:
  typename Provider::template atomic<std::uint32_t> m_unparked{0};
};

}  // namespace ramie::detail
