// The hooks: where tracing, the wait graph and the work/span profile attach.
//
// With options.events null, each place costs one test of a pointer that is in the worker's own cache line.
#pragma once

#include <cstdint>

namespace ramie {

/// Calls come from whichever worker does the thing, many at once; they must not block, throw, or use fibers. A fiber is
/// named by its id. Override what you need.
class observer {
 public:
  virtual ~observer() = default;
  /// `parent` is 0 when a thread that runs no fiber spawned it.
  virtual void spawned(std::uint64_t /*fiber*/, std::uint64_t /*parent*/) noexcept {}
  virtual void started(std::uint64_t /*fiber*/, unsigned /*worker*/) noexcept {}
  /// It is about to leave its stack, to wait or to yield. It goes on by a woken(), except after a yield, or where what
  /// it wanted to wait for has happened meanwhile.
  virtual void suspended(std::uint64_t /*fiber*/, unsigned /*worker*/) noexcept {}
  virtual void resumed(std::uint64_t /*fiber*/, unsigned /*worker*/) noexcept {}
  /// It can go on, because of `waker` (0: a thread that runs no fiber).
  virtual void woken(std::uint64_t /*fiber*/, std::uint64_t /*waker*/) noexcept {}
  virtual void finished(std::uint64_t /*fiber*/, unsigned /*worker*/) noexcept {}
  virtual void stole(unsigned /*thief*/, unsigned /*victim*/, std::size_t /*items*/) noexcept {}
  virtual void worker_sleeps(unsigned /*worker*/) noexcept {}
  virtual void worker_wakes(unsigned /*worker*/) noexcept {}
};

}  // namespace ramie
