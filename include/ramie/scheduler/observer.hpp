// The hooks: where tracing, the wait graph and the work/span profile attach.
//
// With options.events null, each place costs one test of a pointer: the worker's own, or of a word that nobody writes.
#pragma once

#include <ramie/base/provider.hpp>

#include <cstddef>
#include <cstdint>

namespace ramie {

/// Calls come from whichever thread does the thing, many at once: workers, and threads that join, for destroyed(). They
/// must not throw, use fibers, or block but for short locks. A fiber is named by its id. Override what you need.
class observer {
 public:
  virtual ~observer() = default;
  /// `parent` is 0 when no fiber spawned it.
  virtual void spawned(std::uint64_t /*fiber*/, std::uint64_t /*parent*/) noexcept {}
  virtual void started(std::uint64_t /*fiber*/, unsigned /*worker*/) noexcept {}
  /// It is about to leave its stack, to wait or to yield; or its worker is about to leave its thread, where it blocks.
  /// It goes on by a woken(), except after a yield, or where what it wanted to wait for has happened meanwhile.
  virtual void suspended(std::uint64_t /*fiber*/, unsigned /*worker*/) noexcept {}
  virtual void resumed(std::uint64_t /*fiber*/, unsigned /*worker*/) noexcept {}
  /// It can go on, because of `waker` (0: no fiber, but a thread or a deadline).
  virtual void woken(std::uint64_t /*fiber*/, std::uint64_t /*waker*/) noexcept {}
  virtual void finished(std::uint64_t /*fiber*/, unsigned /*worker*/) noexcept {}
  // The order of events. An object is a fiber's task, a counter, or any other thing to wait for, by address.
  /// The fiber is about to do something to `object` that others wait for: to end, to take one off a counter.
  virtual void signalled(const void* /*object*/, std::uint64_t /*fiber*/) noexcept {}
  /// The fiber goes on after what was signalled on `object`, whether it had to wait for it or not.
  virtual void received(const void* /*object*/, std::uint64_t /*fiber*/) noexcept {}
  /// The object is gone; its address may come back as another one's.
  virtual void destroyed(const void* /*object*/) noexcept {}

  virtual void stole(unsigned /*thief*/, unsigned /*victim*/, std::size_t /*items*/) noexcept {}
  virtual void worker_sleeps(unsigned /*worker*/) noexcept {}
  virtual void worker_wakes(unsigned /*worker*/) noexcept {}

  /// For how many workers an algorithm divides its work that would look at how many there are otherwise; 0: for those
  /// that there are. So a profile on one worker can be that of the way that many take. Any worker.
  [[nodiscard]] virtual unsigned divides_for() const noexcept { return 0; }
};

namespace detail {

/// How many runtimes have an observer. An object that belongs to no runtime, such as a counter, looks here first.
extern constinit native_provider::atomic<unsigned> observed_runtimes;

// relaxed, here and below: a fiber of an observed runtime sees that runtime's mark, because its thread was made, or its
// spawn came, after the mark was set. The value that other threads see does not matter: they have no observer to report
// to.
[[nodiscard]] inline bool someone_observes() { return observed_runtimes.load(std::memory_order_relaxed) != 0; }

/// Counts a runtime among the observed ones while it lives.
class observed_mark {
 public:
  explicit observed_mark(bool observed) : m_observed(observed) {
    if (m_observed) observed_runtimes.fetch_add(1, std::memory_order_relaxed);
  }
  ~observed_mark() {
    if (m_observed) observed_runtimes.fetch_sub(1, std::memory_order_relaxed);
  }
  observed_mark(const observed_mark&) = delete;
  observed_mark& operator=(const observed_mark&) = delete;

 private:
  const bool m_observed;
};

/// Tell the observer of the calling fiber's runtime, if there are both.
[[gnu::cold]] void report_signal(const void* object) noexcept;
[[gnu::cold]] void report_receipt(const void* object) noexcept;
[[gnu::cold]] void report_destruction(const void* object) noexcept;

}  // namespace detail
}  // namespace ramie
