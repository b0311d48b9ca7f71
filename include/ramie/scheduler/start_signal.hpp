// Not for users.
//
// The threads of a run wait until all have been made: nothing runs if one of them cannot be.
#pragma once

#include <ramie/base/provider.hpp>

#include <climits>
#include <cstdint>

namespace ramie::detail {

template <class Provider = native_provider>
class start_signal {
 public:
  /// While nobody waits.
  void reset() { m_signal.store(undecided, std::memory_order_relaxed); }

  /// A new thread. False: the starter has given up.
  [[nodiscard]] bool wait() {
    std::uint32_t said;
    // [G1] acquire: the starter's earlier writes are seen; pairs with [G2]. Weaker: a worker reads options, flags or
    // queues as they were before.
    while ((said = m_signal.load(std::memory_order_acquire)) == undecided) Provider::futex_wait(m_signal, undecided);
    return said == yes;
  }

  /// The starter, once, one of the two.
  void go() { say(yes); }
  void give_up() { say(no); }

 private:
  void say(std::uint32_t what) {
    m_signal.store(what, std::memory_order_release);  // [G2], pairs with [G1]
    Provider::futex_wake(m_signal, INT_MAX);
  }

  static constexpr std::uint32_t undecided = 0;
  static constexpr std::uint32_t yes = 1;
  static constexpr std::uint32_t no = 2;
  typename Provider::template atomic<std::uint32_t> m_signal{undecided};
};

}  // namespace ramie::detail
