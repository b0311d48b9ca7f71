// The word on which a kernel thread sleeps until it is its turn. 0: nothing; 1: unparked.
#pragma once

#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Provider = native_provider>
class park_word {
 public:
  /// Its thread. Sleeps until unpark() has been called once since the last park() returned.
  void park() {
    // [T1] acquire: what the waker did before is seen; pairs with [T2]. Weaker: the thread goes on and does not see
    // what it waited for.
    while (m_unparked.exchange(0, std::memory_order_acquire) == 0) Provider::futex_wait(m_unparked, 0);
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
