// A runtime of the shipped parts for drivers and deadlines: run loop, gate, timekeeper, heaps, and each worker's
// driver_side and worker_clock. Its queues are words: what is ready on a worker, and what somebody has pushed.
#pragma once

#include <model/checker/memory.hpp>
#include <model/scenarios/drivers.hpp>

#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/run_loop.hpp>

#include "scheduler/driver_side.hpp"
#include "scheduler/timekeeper.hpp"
#include "scheduler/timer_heap.hpp"
#include "scheduler/worker_clock.hpp"

#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

namespace ramie::model {

struct job {
  plain<int> ran = 0;
  std::function<void()> body;
};

class rings;
class ring_worker;

/// A driver whose kernel is a thread of the model.
class ring final : public idle_driver {
 public:
  ring(rings& at, unsigned index) : m_at(at), m_index(index) {}

  /// The kernel: completions first, then the bell of the worker that sleeps in the ring, then that of the watcher.
  void complete(job& done, job* also = nullptr);

  /// Its worker's thread.
  [[nodiscard]] bool attach_here();
  void detach_here();
  /// From now on the calling thread is the one that it is attached to.
  void adopt() { m_thread = user_code::thread; }

  // As idle_driver says.
  bool poll() noexcept override {
    require_thread();
    return false;
  }
  [[nodiscard]] bool wants_poll() const noexcept override { return has_completions(); }
  void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept override {
    require_thread();
    if (!has_completions()) m_bell.wait(deadline);
  }
  void watch(bool others) noexcept override;
  void watch_now(bool others);
  [[nodiscard]] bool has_completions() const noexcept override {
    return m_completed.load(std::memory_order_acquire) != nullptr ||
           m_also_completed.load(std::memory_order_acquire) != nullptr;
  }
  bool reap() noexcept override;
  void interrupt() noexcept override { m_bell.interrupt(); }

  unsigned refuses = 0;  // how often attach_here() fails

 private:
  static constexpr std::uint8_t no_thread = 0xFF;
  void require_thread() const { require(m_thread == user_code::thread, "a driver is used by another thread"); }

  rings& m_at;
  const unsigned m_index;
  atomic<job*> m_completed{nullptr}, m_also_completed{nullptr};
  futex_idle_driver<provider> m_bell;
  plain<int> m_used = 0;  // by those that attach, detach and reap: one at a time
  plain<std::uint8_t> m_thread = no_thread;
  bool m_refused = false;
};

/// A wait of a fiber for a deadline, on the fiber's stack.
struct timed_job {
  explicit timed_job(detail::deadline_ns when) : record(fiber), timer(record, when) {}
  job fiber;
  detail::wait_record<job, provider> record;
  detail::timer_heap<job, provider>::timer timer;
};

/// Goes through the shipped loop until it has run so many jobs. Naps once if it is to: until its own ring has
/// something, however long that takes. So nobody may rely on it meanwhile.
class ring_worker {
 public:
  using item_type = job;
  using heap_type = detail::timer_heap<job, provider>;

  ring_worker(rings& at, unsigned index, bool has_ring)
      : driver(has_ring ? std::make_optional<ring>(at, index) : std::nullopt),
        clock_of(*this),
        side(*this, has_ring ? &*driver : nullptr),
        m_at(at),
        m_index(index) {}

  // ---- Its thread ----

  void run(unsigned jobs, bool naps = false) {
    hold();
    m_left = jobs;
    m_naps = naps;
    detail::run_loop(*this).run();
  }
  /// Without run(), it is in one task after another, and says itself when it polls.
  void hold();
  /// As whole_worker::poll(), and what it brings is run.
  void poll_while_busy();
  /// The same for its own driver alone, which has told it that there is something.
  void poll_own();
  /// As wait_until() on a fiber: the fiber leaves its stack.
  void begin_wait(timed_job& waits);
  /// ... and the worker runs something that takes long.
  void runs_on();
  /// On the loop's stack, for another worker.
  bool reap(ring_worker& from);
  /// Leaves its thread; another one calls come().
  void leave();
  void come();
  void run_what_is_ready() {
    while (job* const ready = take_from_lane()) execute(*ready);
  }

  // ---- As run_loop.hpp says ----

  job* next_local();
  job* next_injected() { return nullptr; }
  void look_everywhere() {}
  job* steal_round();
  bool execute(job& found) {
    require(found.ran == 0, "a job ran twice");
    found.ran = 1;
    --m_left;
    if (found.body) found.body();
    return true;
  }
  [[nodiscard]] unsigned index() const { return m_index; }
  detail::sleep_gate<provider>& gate();
  void notify_of_injector();
  bool sees_work();
  void finish_if_drained() {}
  [[nodiscard]] bool finished();
  bool should_nap();
  bool nap();
  void before_sleep();
  void park();
  void after_sleep();
  struct one_round {
    void begin() {}
    bool another_round() { return false; }
  };
  one_round pace() { return {}; }
  void search_succeeded() {}

  // ---- As worker_clock.hpp and driver_side.hpp say ----

  [[nodiscard]] unsigned peers() const;
  detail::driver_side<ring_worker, provider>& side_of(unsigned index);
  detail::worker_clock<ring_worker>& clock() { return clock_of; }
  class keeper_with_faults {
   public:
    explicit keeper_with_faults(rings& at) : m_at(at) {}
    [[nodiscard]] bool exists() const;
    [[nodiscard]] bool begin(unsigned worker, detail::deadline_ns earliest);
    void end();
    template <class Interrupt>
    [[nodiscard]] bool tell(detail::deadline_ns when, Interrupt&& interrupt);

   private:
    rings& m_at;
  };
  keeper_with_faults keeper() const { return keeper_with_faults(m_at); }
  [[nodiscard]] detail::deadline_ns earliest_of_all();
  [[nodiscard]] bool others_reap() const;
  [[nodiscard]] bool call_attach();
  void call_detach();
  void interrupt_peer(unsigned chosen);
  void expire_timers_of(unsigned index);

  // ---- Others ----

  void defer_watch() { m_deferred_watch = true; }
  void make_ready(job& done);
  job* take_from_lane();
  [[nodiscard]] bool has_ready() {
    return m_lane.load(std::memory_order_relaxed) != nullptr || m_also_lane.load(std::memory_order_relaxed) != nullptr;
  }

  std::optional<ring> driver;
  heap_type heap;
  detail::worker_clock<ring_worker> clock_of;
  detail::driver_side<ring_worker, provider> side;

 private:
  void wait_for_own();

  rings& m_at;
  unsigned m_index;
  unsigned m_left = 0;
  bool m_naps = false;
  bool m_prepares_nap = false;
  // For faults.
  bool m_deferred_watch = false;
  bool m_has_come = false;
  std::optional<detail::deadline_ns> m_seen;           // at K1
  atomic<job*> m_lane{nullptr}, m_also_lane{nullptr};  // what is ready
};

/// With rings, or with a futex alone for each worker.
class rings {
 public:
  explicit rings(unsigned workers, without what = without::nothing, bool with_rings = true)
      : fault(what), has_rings(with_rings), gate(workers) {
    if (has(without::end_of_sleep)) waits_never_end_after(std::chrono::nanoseconds(1));
    for (unsigned i = 0; i < workers; ++i) {
      ring_worker& fresh = all.emplace_back(*this, i, with_rings);
      if (!with_rings) continue;
      require(fresh.side.attach(), "an attach was refused");
      static_cast<void>(fresh.side.poll_in_loop());
    }
  }

  ring_worker& operator[](unsigned index) { return all[index]; }
  void complete(unsigned at, job& done, job* also = nullptr) { all[at].driver->complete(done, also); }
  /// A queue of somebody who is busy.
  void push(job& fresh) {
    slot.store(&fresh, std::memory_order_release);
    notify(-1);
  }
  static job* take(atomic<job*>& from) {
    return from.load(std::memory_order_relaxed) != nullptr ? from.exchange(nullptr, std::memory_order_acquire)
                                                           : nullptr;
  }
  /// Any thread that pushes: P2 to P5. `by` is a worker, or -1.
  void notify(int by) {
    gate.notify([&](unsigned chosen) {
      require(static_cast<int>(chosen) != by, "a worker wakes itself");
      all[chosen].side.interrupt();
    });
  }
  void end_run() {
    over.store(true, std::memory_order_release);
    for (ring_worker& each : all) each.side.interrupt();
  }
  [[nodiscard]] bool has(without what) const { return fault == what; }

  const without fault;
  const bool has_rings;
  bool has_timers = false;
  atomic<bool> over{false};
  detail::sleep_gate<provider> gate;
  detail::timekeeper<provider> keeper;
  atomic<int> watcher{-1};
  atomic<job*> slot{nullptr};
  std::deque<ring_worker> all;
  std::array<ring_worker*, max_threads> held{};  // by the threads of the model
};

// ---- The ring ----

inline void ring::complete(job& done, job* also) {
  if (also != nullptr) m_also_completed.store(also, std::memory_order_release);
  m_completed.store(&done, std::memory_order_release);
  m_bell.interrupt();
  provider::fence_seq_cst();
  if (const int watching = m_at.watcher.load(std::memory_order_relaxed);
      watching >= 0 && watching != static_cast<int>(m_index))
    m_at[static_cast<unsigned>(watching)].driver->m_bell.interrupt();
}

inline bool ring::attach_here() {
  m_used = m_used + 1;
  if (refuses != 0 || (m_refused && m_at.has(without::attach_again))) {
    m_refused = true;
    if (refuses != 0) --refuses;
    return false;
  }
  require(m_thread == no_thread, "a driver is attached to two threads");
  m_thread = user_code::thread;
  return true;
}

inline void ring::detach_here() {
  if (m_at.has(without::detach)) return;
  m_used = m_used + 1;
  require_thread();
  m_thread = no_thread;
}

inline void ring::watch(bool others) noexcept {
  require_thread();
  if (m_at.has(without::watch)) return;
  if (m_at.has(others ? without::watch_before_look : without::end_of_watch_first)) {
    m_at[m_index].defer_watch();
  } else {
    watch_now(others);
  }
}

inline void ring::watch_now(bool others) {
  m_at.watcher.store(others ? static_cast<int>(m_index) : -1, std::memory_order_relaxed);
}

inline bool ring::reap() noexcept {
  m_used = m_used + 1;
  bool any = false;
  for (auto* from : {&m_completed, &m_also_completed}) {
    job* const done = from->load(std::memory_order_acquire);
    if (done == nullptr) continue;
    from->store(nullptr, std::memory_order_relaxed);
    m_at.held[user_code::thread]->make_ready(*done);
    any = true;
  }
  return any;
}

// ---- The worker ----

inline void ring_worker::hold() {
  m_at.held[user_code::thread] = this;
  if (side.attached() != nullptr) driver->adopt();
}

inline void ring_worker::poll_while_busy() {
  if (m_at.has(without::look_at_others) && driver && driver->wants_poll()) {
    side.poll();
  } else if (driver && side.wants_poll()) {
    if (m_at.has(without::reap_when_due)) return;
    if (job* const found = next_local()) execute(*found);
  } else {
    clock_of.poll();
  }
  run_what_is_ready();
}

inline void ring_worker::poll_own() {
  if (m_at.has(without::count_of_polls)) {
    side.reap(side);
  } else {
    side.poll();
  }
  run_what_is_ready();
}

inline void ring_worker::begin_wait(timed_job& waits) {
  m_at.has_timers = true;
  if (heap.add(waits.timer)) clock_of.added(waits.timer.when());
  if (!waits.record.park()) make_ready(waits.fiber);
}

inline void ring_worker::runs_on() {
  if (clock_of.owes_timekeeper() && !m_at.has(without::owed_timekeeper)) clock_of.wake_owed_timekeeper();
}

inline void ring_worker::leave() {
  m_at.held[user_code::thread] = nullptr;
  if (m_at.has(without::turn_of_detach)) driver->detach_here();
  side.detach();
}

inline void ring_worker::come() {
  m_has_come = m_at.has(without::poll_after_attach);
  m_at.held[user_code::thread] = this;
  if (m_at.has(without::turn_of_attach)) static_cast<void>(driver->attach_here());
  static_cast<void>(side.attach());
}

inline bool ring_worker::call_attach() { return m_at.has(without::turn_of_attach) || driver->attach_here(); }
inline void ring_worker::call_detach() {
  if (!m_at.has(without::turn_of_detach)) driver->detach_here();
}

inline bool ring_worker::reap(ring_worker& from) {
  return m_at.has(without::turn_of_reap) ? from.driver->reap() : side.reap(from.side);
}

inline job* ring_worker::next_local() {
  if (!driver) return take_from_lane();
  if (!side.polls_in_loop()) {
    if (job* const ready = take_from_lane()) return ready;
  } else if (std::exchange(m_has_come, false)) {
    return take_from_lane();
  }
  if (side.poll_in_loop() && m_at.has_timers) clock_of.poll();
  return take_from_lane();
}

inline job* ring_worker::steal_round() {
  for (ring_worker& other : m_at.all) {
    if (m_at.has_rings && other.side.has_completions() && reap(other)) {
      if (job* const ready = take_from_lane()) return ready;
    }
    if (job* const stolen = other.take_from_lane()) return stolen;
  }
  return rings::take(m_at.slot);
}

inline detail::sleep_gate<provider>& ring_worker::gate() { return m_at.gate; }
inline void ring_worker::notify_of_injector() { m_at.notify(static_cast<int>(m_index)); }
inline bool ring_worker::finished() { return m_left == 0 || m_at.over.load(std::memory_order_relaxed); }

inline bool ring_worker::sees_work() {
  if (std::exchange(m_prepares_nap, false) && m_at.has(without::look_before_nap)) return false;
  if (m_at.slot.load(std::memory_order_relaxed) != nullptr) return true;
  for (ring_worker& each : m_at.all) {
    if (each.has_ready()) return true;
    if (m_at.has_rings && !m_at.has(without::look_at_drivers) && each.side.has_completions()) return true;
  }
  return !m_at.has(without::another_timekeeper) && clock_of.needs_timekeeper();
}

inline void ring_worker::wait_for_own() {
  while (!side.has_completions() && !m_at.over.load(std::memory_order_relaxed)) driver->wait(std::nullopt);
}

inline bool ring_worker::should_nap() {
  static_cast<void>(side.attach());
  if (!std::exchange(m_naps, false)) return false;
  if (!m_at.has(without::end_of_search)) return m_prepares_nap = true;
  wait_for_own();
  return false;
}

inline bool ring_worker::nap() {
  m_prepares_nap = false;
  wait_for_own();
  return side.poll();
}

inline void ring_worker::before_sleep() {
  m_seen.reset();
  side.begin_sleep();
}

inline void ring_worker::park() {
  if (m_at.has(without::retraction_before_poll)) {
    side.sleep();
    if (driver) side.poll();
  } else {
    if (m_deferred_watch) driver->watch_now(true);
    side.sleep();
  }
}

inline void ring_worker::after_sleep() {
  m_deferred_watch = false;
  static_cast<void>(side.end_sleep());
  if (m_deferred_watch) driver->watch_now(false);
  m_deferred_watch = false;
  m_seen.reset();
}

inline unsigned ring_worker::peers() const { return static_cast<unsigned>(m_at.all.size()); }

inline detail::driver_side<ring_worker, provider>& ring_worker::side_of(unsigned index) {
  return m_at[m_at.has(without::next_driver) ? peers() - 1 : index].side;
}

inline bool ring_worker::others_reap() const { return m_at.has_rings && peers() > 1; }
inline void ring_worker::interrupt_peer(unsigned chosen) {
  if (!m_at.has(without::interrupt_of_keeper)) m_at[chosen].side.interrupt();
}

inline detail::deadline_ns ring_worker::earliest_of_all() {
  if (!m_at.has_timers) return detail::no_deadline;
  if (m_seen && m_at.has(without::second_look_at_heaps)) return *m_seen;
  detail::deadline_ns earliest = detail::no_deadline;
  for (const ring_worker& each : m_at.all) earliest = std::min(earliest, each.heap.earliest());
  m_seen = earliest;
  return earliest;
}

inline void ring_worker::expire_timers_of(unsigned index) {
  heap_type& timers = m_at[index].heap;
  if (!m_at.has_timers || m_at.has(index != m_index ? without::timers_of_others : without::own_timers)) return;
  if (timers.earliest() == detail::no_deadline) return;
  timers.expire(detail::deadline_of(provider::now()), [this](job& woken) { make_ready(woken); });
}

inline bool ring_worker::keeper_with_faults::exists() const { return m_at.keeper.exists(); }
inline bool ring_worker::keeper_with_faults::begin(unsigned worker, detail::deadline_ns earliest) {
  return m_at.keeper.begin(worker, earliest) || m_at.has(without::one_timekeeper);
}
inline void ring_worker::keeper_with_faults::end() {
  if (!m_at.has(without::end_of_keeping)) m_at.keeper.end();
}
template <class Interrupt>
bool ring_worker::keeper_with_faults::tell(detail::deadline_ns when, Interrupt&& interrupt) {
  return m_at.keeper.tell(when, interrupt);
}

// ---- What is ready ----

inline void ring_worker::make_ready(job& done) {
  atomic<job*>& place = m_lane.load(std::memory_order_relaxed) == nullptr ? m_lane : m_also_lane;
  require(place.load(std::memory_order_relaxed) == nullptr, "the lane is full");
  place.store(&done, std::memory_order_release);
  m_at.notify(static_cast<int>(m_index));
}

inline job* ring_worker::take_from_lane() {
  if (job* const ready = rings::take(m_lane)) return ready;
  return rings::take(m_also_lane);
}

}  // namespace ramie::model
