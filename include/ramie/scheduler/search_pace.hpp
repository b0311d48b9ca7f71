// Not for users.
//
// How long a worker searches before it sleeps, and how densely.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/base/time.hpp>
#include <ramie/scheduler/options.hpp>
#include <ramie/scheduler/victim_order.hpp>

#include <cstdint>

namespace ramie::detail {

/// For the run loop; see run_loop.hpp.
template <class Provider = native_provider>
class search_pace {
 public:
  search_pace(std::chrono::nanoseconds limit, backoff_policy policy, std::uint64_t seed)
      : m_limit(limit), m_backoff(policy, seed) {}

  void begin() {
    using time = std::chrono::steady_clock::time_point;
    const time now = Provider::now();
    m_give_up = m_limit < time::max() - now ? now + m_limit : time::max();  // the sum may be beyond the clock
  }
  /// Pauses; whether there is time left.
  [[nodiscard]] bool another_round() {
    m_backoff.pause();
    return Provider::now() < m_give_up;
  }
  void succeeded() { m_backoff.reset(); }

 private:
  const std::chrono::nanoseconds m_limit;
  std::chrono::steady_clock::time_point m_give_up;
  backoff m_backoff;
};

}  // namespace ramie::detail
