// What a new kernel thread has from the thread that starts it.
#pragma once

#include <ramie/context/floating_point.hpp>

#include <csignal>
#include <pthread.h>

namespace ramie::detail {

/// The signal mask and the floating-point control of a thread. A fiber may have changed both on its own, and start a
/// thread for its worker (hand_over.hpp), or for the next fiber (execution_backend.hpp); the thread runs others.
class inherited_state {
 public:
  void save() noexcept {
    ::pthread_sigmask(SIG_BLOCK, nullptr, &m_blocked);
    m_floating_point.save();
  }

  /// On a new thread.
  void load() const noexcept {
    load_signal_mask();
    context::floating_point_control begun_with;
    begun_with.save();
    m_floating_point.load_if_different(begun_with);
  }
  void load_signal_mask() const noexcept { ::pthread_sigmask(SIG_SETMASK, &m_blocked, nullptr); }

 private:
  sigset_t m_blocked{};
  context::floating_point_control m_floating_point;
};

}  // namespace ramie::detail
