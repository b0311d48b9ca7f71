// Somebody in future_get that has nothing else to do: on its stack, in the list of the task's end_word.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/scheduler/park_word.hpp>

namespace ramie::pool {

/// A Helper is a worker of the task's pool, and has interrupt(), after which it looks at its waiter. It may have been
/// interrupted for something else.
template <class Helper, class Provider = native_provider>
class waiter {
 public:
  /// Null: a thread that is none of the pool's, and does nothing but wait.
  explicit waiter(Helper* helps) : m_helper(helps) {}
  waiter(const waiter&) = delete;
  waiter& operator=(const waiter&) = delete;

  /// A thread from outside, once.
  void park() { m_parked.park(); }

  /// A helper. True: it has been woken for the last time; nobody touches this any more.
  [[nodiscard]] bool is_released() const {
    return m_released.load(std::memory_order_acquire);  // [H1], pairs with [H2]
  }

  /// The one that has taken it out of the list, and has read `next`; it may be gone afterwards.
  void wake() {
    if (m_helper == nullptr) return m_parked.unpark();
    Helper& helper = *m_helper;
    // [H2] release: we have read `next` and m_helper, and the result is there; pairs with [H1]. Weaker: the helper's
    // stack is used again under us.
    m_released.store(true, std::memory_order_release);
    helper.interrupt();
  }

  typename Provider::template plain<waiter*> next = nullptr;

 private:
  Helper* const m_helper;
  detail::park_word<Provider> m_parked;
  typename Provider::template atomic<bool> m_released{false};
};

}  // namespace ramie::pool
