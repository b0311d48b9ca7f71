// The seam for what a worker does when there is nothing to run, and for what completes while it runs.
//
// The scheduler brings a futex. An I/O layer brings a ring: fibers submit to the ring of their worker; its wait()
// sleeps in the kernel until a completion or an interrupt, its poll() and reap() make ready what has completed. The
// scheduler never learns which. docs/architecture.md, "Drivers", tells when each function is called.
//
// A driver that only sleeps has wait() and interrupt(). A driver that completes operations has attach() to poll() too.
// A driver has the rest if other workers may take its completions while its own worker is in a long task.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/base/time.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace ramie {

class worker;

/// The address of one tells a maker's drivers from others'.
struct driver_kind {
  const char* name;
};

/// One for each worker.
class idle_driver {
 public:
  /// `kind` lives as long as the driver. Null: fibers do not ask for it.
  explicit idle_driver(const driver_kind* kind = nullptr) : m_kind(kind) {}
  idle_driver(const idle_driver&) = delete;
  idle_driver& operator=(const idle_driver&) = delete;
  virtual ~idle_driver() = default;
  [[nodiscard]] const driver_kind* kind() const { return m_kind; }

  // ---- The thread that holds the worker ----
  //
  // On the thread's own stack, between fibers; detach() where a worker leaves its thread is on the stack of the fiber
  // that sends it away (without_worker), and must do with little.

  /// The calling thread has begun to hold this worker: at the beginning of a run, or because another thread has given
  /// the worker away. It runs where the worker is pinned. All that follows comes from this thread, until detach(). It
  /// may throw. Then run() or start() throws the same, and nothing has run; or, in the middle of a run, the worker goes
  /// on without its driver, sleeps on a futex, and tries again before each sleep and after a millisecond: fibers on it
  /// get no driver meanwhile (this_fiber::driver()). reap() is not called during attach() and detach().
  /// worker::current() may be null during either.
  virtual void attach(worker& /*to*/) {}
  /// The calling thread holds the worker no more. Operations under way must not be lost: other workers may still reap()
  /// their completions, and the next thread to attach() goes on with them.
  virtual void detach() noexcept {}

  /// Before and after the worker sleeps; and while it is busy, after 2 to 64 pieces of work. The number adapts: from
  /// poll to poll is at most 100 us, or the time of two pieces where that is longer (poll_pace.hpp has the exceptions).
  /// Hands over the operations that fibers have submitted, and makes ready (wake()) the waiters whose completions only
  /// this thread can take; reap() follows. True if it made any ready: they run before new tasks.
  virtual bool poll() noexcept { return false; }
  /// Whether there is anything to poll() or reap(). Asked on a fiber's stack, where a poll is due, so it must be a look
  /// at some words of memory: if it says no, the fiber goes on at once.
  [[nodiscard]] virtual bool wants_poll() const noexcept { return true; }

  /// When there is nothing to run. Returns after an interrupt() that came since the last return, at `deadline` (steady
  /// clock), or because there is a completion that nobody has taken. Makes nothing ready by itself: the worker may be
  /// in the list of sleepers, and would wake itself. May return for no reason.
  virtual void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept = 0;

  /// Before and after a wait() that others rely on. From watch(true) to watch(false) wait() returns also when another
  /// driver of the runtime has something to reap. A completion that has_completions() of its driver, called after
  /// watch(true) and a full fence, does not yet tell, must end the wait. One driver watches at a time.
  virtual void watch(bool /*others*/) noexcept {}

  // ---- Any thread ----

  /// Whether other workers may reap() this one. Of all drivers of a runtime, and always the same.
  [[nodiscard]] virtual bool can_be_reaped() const noexcept { return false; }
  /// Whether reap() would make anything ready. At any time, beside everything else: a look at some words of memory.
  [[nodiscard]] virtual bool has_completions() const noexcept { return false; }
  /// A thread that holds a worker of the runtime, this one or another, on its own stack; one thread at a time. Makes
  /// ready (wake()) what has completed. True if there was anything. Also while the driver is not attached.
  virtual bool reap() noexcept { return false; }

  /// The wait in progress, or the next one, returns. Idempotent until then. At any time, also when not attached.
  virtual void interrupt() noexcept = 0;

 private:
  const driver_kind* m_kind;
};

/// For options.drivers. Not together with options.backend, whose fibers run on threads of their own.
class idle_driver_factory {
 public:
  virtual ~idle_driver_factory() = default;
  /// One for each worker. May throw: the runtime's constructor then throws the same.
  [[nodiscard]] virtual std::unique_ptr<idle_driver> make() = 0;
};

/// The same from a function:
///
///     ramie::idle_drivers_by rings([] { return std::make_unique<ring>(); });
///     options.drivers = &rings;
template <class Make>
class idle_drivers_by final : public idle_driver_factory {
 public:
  explicit idle_drivers_by(Make make) : m_make(std::move(make)) {}
  [[nodiscard]] std::unique_ptr<idle_driver> make() override { return m_make(); }

 private:
  Make m_make;
};

/// Sleeps on one word. 0: nothing; 1: interrupted.
template <class Provider = native_provider>
class futex_idle_driver final : public idle_driver {
 public:
  void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept override {
    // [I1] acquire: the interrupter's earlier writes are seen; pairs with [I2]. Weaker: the worker wakes and does not
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
