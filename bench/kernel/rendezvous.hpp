// Where threads meet: before a clock starts, so that none has to be woken while it runs, and when all have finished.
#pragma once

#include <atomic>
#include <chrono>

namespace bench {

class rendezvous {
 public:
  explicit rendezvous(unsigned expected) : m_missing(expected) {}

  void arrive() {
    if (m_missing.fetch_sub(1, std::memory_order_acq_rel) == 1) m_missing.notify_all();
  }

  /// Stays on its CPU until all have arrived. False: they have not within `limit`.
  [[nodiscard]] bool spin(std::chrono::microseconds limit) const {
    const auto give_up = std::chrono::steady_clock::now() + limit;
    while (m_missing.load(std::memory_order_acquire) != 0) {
      if (std::chrono::steady_clock::now() >= give_up) return false;
    }
    return true;
  }

  /// Spins for a millisecond, then sleeps: with more threads than CPUs the others need this one's.
  void wait() const {
    if (spin(std::chrono::milliseconds(1))) return;
    for (unsigned left = 0; (left = m_missing.load(std::memory_order_acquire)) != 0;) m_missing.wait(left);
  }

 private:
  std::atomic<unsigned> m_missing;
};

}  // namespace bench
