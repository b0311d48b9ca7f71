// exit(3), called by a thread that runs fibers or tasks.
//
// It destroys static objects on the stack of its caller. If the caller's own runtime or pool is among them, that cannot
// wait for its end, which would be the caller's, nor go, since other threads work in it. Nor can another runtime that
// is running, whose fibers may wait for the caller. So each goes on with exit(), which the C library allows: the
// remaining objects are destroyed, and the process ends.
//
// The C library says that exit() has been called by destroying the thread's own objects. So a shared object that ramie
// is linked into, and whose functions have run a runtime on a thread, stays in memory after dlclose(3) until that
// thread ends, like any that has a thread_local with a destructor.
#pragma once

namespace ramie::detail {

/// While it lives, an exit() by this kernel thread is noticed (unless there was no memory to begin with). For threads
/// that run what others have given them; not on a fiber, which may go on on another thread.
class exit_watch {
 public:
  exit_watch() noexcept;
  ~exit_watch();
  exit_watch(const exit_watch&) = delete;
  exit_watch& operator=(const exit_watch&) = delete;

 private:
  bool m_watches = false;
};

/// For the destructor of an object that the calling thread works for, or of one that may wait for such an object. Does
/// not return if that is because of exit(): everything else is destroyed, and the process ends with the status that
/// exit() was given.
void continue_exit() noexcept;

}  // namespace ramie::detail
