// The seam for what a worker does when there is nothing to run.
//
// The scheduler brings a futex. An I/O layer brings a ring: its wait() sleeps in the kernel until a completion or an
// interrupt, its poll() reaps completions of a busy worker. The scheduler never learns which.
#pragma once

#include <ramie/base/provider.hpp>

#include <chrono>
#include <optional>

namespace ramie {

/// One for each worker.
class idle_driver {
 public:
  virtual ~idle_driver() = default;

  /// The worker's thread, every so often while it is busy: after 2 to 64 pieces of work, which take 100 us or are two
  /// where that is longer (poll_pace.hpp). Makes ready what has completed; true if anything was.
  virtual bool poll() noexcept { return false; }

  /// The worker's thread, when it has announced that it sleeps. Returns after an interrupt() that came since the last
  /// return, at `deadline` (steady clock), or because something completed. May return for no reason.
  virtual void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept = 0;

  /// Any thread. The wait in progress, or the next one, returns. Idempotent until then.
  virtual void interrupt() noexcept = 0;
};

/// Sleeps on one word. 0: nothing; 1: interrupted.
template <class Provider = native_provider>
class futex_idle_driver final : public idle_driver {
 public:
  void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept override {
    // [I1] acquire: what the interrupter did before is seen; pairs with [I2]. Weaker: the worker wakes and does not
    // see the work, or the flag, that it was woken for.
    while (m_interrupted.exchange(0, std::memory_order_acquire) == 0) {
      if (!deadline) {
        Provider::futex_wait(m_interrupted, 0);
      } else if (!Provider::futex_wait_for(m_interrupted, 0, *deadline - Provider::now())) {
        return;
      }
    }
  }

  void interrupt() noexcept override {
    // [I2] release, pairs with [I1]; and a read-modify-write: of two interrupters that meet, the second continues the
    // first one's release sequence, so that the worker sees what both did. Where it finds 1, the first one's wake is on
    // its way.
    if (m_interrupted.exchange(1, std::memory_order_release) == 0) Provider::futex_wake(m_interrupted, 1);
  }

 private:
  typename Provider::template atomic<std::uint32_t> m_interrupted{0};
};

}  // namespace ramie
