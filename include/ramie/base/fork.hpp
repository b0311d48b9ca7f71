// Not for users. Locks of the whole process, and fork(2).
//
// A child made by fork() has one thread, the caller's. A lock that another thread holds at that moment would be held
// there for ever. So fork() takes such locks before it begins, and gives them back in both processes.
#pragma once

#include <pthread.h>

namespace ramie::detail {

/// Before the first use of a lock of static storage duration. A thread that holds it must wait for no other thread, and
/// take no other lock that is held so.
template <auto& Lock>
void hold_during_fork() noexcept {
  // Without memory for the three functions a fork() is what it would be without them.
  static const bool registered =
      ::pthread_atfork([] { Lock.lock(); }, [] { Lock.unlock(); }, [] { Lock.unlock(); }) == 0;
  static_cast<void>(registered);
}

}  // namespace ramie::detail
