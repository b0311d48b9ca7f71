// All of a worker: the work of its thread between fibers, and the part of functions on fibers' stacks that is out of
// line.
//
//   worker_fibers.cpp   chooses what to run, switches, begins and ends fibers
//   worker_forks.cpp    makes tasks of forks
//   worker_loop.cpp     what the run loop needs: steals, sleeps (run_loop.hpp has the loop)
//   worker_timers.cpp   deadlines
//   worker_driver.cpp   drivers
//   hand_over.cpp       leaves its thread
#pragma once

#include <ramie/base/function_ref.hpp>
#include <ramie/base/time.hpp>
#include <ramie/queue/fifo_lane.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/search_pace.hpp>
#include <ramie/scheduler/sleep_gate.hpp>
#include <ramie/scheduler/victim_order.hpp>
#include <ramie/scheduler/worker.hpp>

#include "scheduler/carrier.hpp"
#include "scheduler/driver_side.hpp"
#include "scheduler/fiber_depot.hpp"
#include "scheduler/nap_pace.hpp"
#include "scheduler/poll_pace.hpp"
#include "scheduler/timer_heap.hpp"
#include "scheduler/worker_clock.hpp"

#include <memory>

namespace ramie::detail {

class scheduler;

class whole_worker final : public worker {
 public:
  whole_worker(scheduler& shared, runtime& home, unsigned index, const options& chosen,
               std::unique_ptr<other_deque> deque, near_first near);

  [[nodiscard]] static whole_worker* current() { return static_cast<whole_worker*>(worker::current()); }

  // ---- The thread ----

  /// The calling thread holds this worker until the run is over, or, false, until the worker has left it.
  bool run(carrier& by);
  /// Throws what the driver throws, and the worker is without it then.
  void attach_driver();
  void attach_driver_if_possible() noexcept;
  void detach_driver() noexcept;
  [[nodiscard]] const idle_driver* driver_of_user() const { return m_driver.get(); }
  /// When no thread has it any more: gives the fibers that it keeps back.
  void flush_fibers(fiber_depot& depot) { m_fibers.flush(depot); }

  // ---- The fiber that runs on it ----

  /// Gives this worker to another thread; the current fiber goes on without it (hand_over.hpp). False: there is no such
  /// thread, or nothing is to be given away here.
  [[nodiscard]] bool leave_thread() noexcept;
  /// The fiber that runs there since: goes on when this returns, on whatever worker takes it.
  static void come_back(carrier& by);
  /// For its current fiber. Returns the heap from which the timer is to be taken back. Throws std::bad_alloc.
  timer_heap<work_item>& add_timer(timer_heap<work_item>::timer& fresh);
  /// After add_timer(): the worker is about to run something that may take long.
  [[nodiscard]] bool owes_timekeeper() const { return m_clock.owes_timekeeper(); }
  void wake_owed_timekeeper() noexcept;
  /// On a worker between fibers, where the captures of a refused task are destroyed: runs others until `over`.
  void work_until(function_ref<bool()> over);

  // ---- What worker declares ----

  context::execution& begin_suspend(after_switch action, void* argument);
  context::execution* begin_yield();
  context::execution& begin_yield_to(fiber& next);
  context::execution* begin_child(task& child);
  void* transfer_by_backend(context::execution& from, context::execution& to);
  [[nodiscard]] std::exception_ptr no_stack_reason() noexcept { return std::exchange(m_refusal, nullptr); }
  bool answer_requests(fork_frame* joined) noexcept;
  void push_ready(fiber& ready) noexcept;
  void overflow(work_item& spawned) noexcept;
  void notify_of_injector() noexcept;
  void* allocate_slowly(std::size_t size);
  void free_slowly(void* memory, std::size_t size) noexcept;

  // ---- Any thread ----

  [[nodiscard]] bool has_visible_work() const {
    return m_deque.stealable() || m_lane.stealable() || m_forks.stealable();
  }
  /// How much of it there is, a guess.
  [[nodiscard]] std::size_t visible_work() const {
    return m_deque.size() + m_lane.size() + (m_forks.stealable() ? 1 : 0);
  }
  [[nodiscard]] bool steals() const { return m_stealing; }
  [[nodiscard]] const worker_counters& counters() const { return m_counters; }
  void count_wakeup() { m_counters.wakeups.add(); }  // its own thread
  [[nodiscard]] bool can_be_reaped() const noexcept { return m_driver->can_be_reaped(); }
  [[nodiscard]] bool has_completions() const noexcept { return m_side.has_completions(); }
  void interrupt() noexcept { m_side.interrupt(); }

  // ---- The run loop, as it says there ----

  using item_type = work_item;
  work_item* next_local();
  work_item* next_injected();
  work_item* steal_round();
  bool execute(work_item& item);
  [[nodiscard]] sleep_gate<>& gate();
  [[nodiscard]] search_pace<>& pace() { return m_pace; }
  void search_succeeded();
  [[nodiscard]] bool sees_work() const;
  void look_everywhere() { m_victims.look_everywhere(); }
  [[nodiscard]] bool finished() const;
  void finish_if_drained();
  [[nodiscard]] bool should_nap() noexcept;
  bool nap() noexcept;
  void before_sleep() noexcept;
  void park();
  void after_sleep() noexcept;

  // ---- Deadlines and its driver, as worker_clock.hpp and driver_side.hpp say ----

  [[nodiscard]] unsigned peers() const noexcept;
  [[nodiscard]] driver_side<whole_worker>& side_of(unsigned index) const noexcept;
  [[nodiscard]] worker_clock<whole_worker>& clock() { return m_clock; }
  [[nodiscard]] timekeeper<>& keeper() const noexcept;
  [[nodiscard]] deadline_ns earliest_of_all() const noexcept;
  [[nodiscard]] bool others_reap() const noexcept;
  [[nodiscard]] bool call_attach() noexcept;
  void call_detach() noexcept;
  void interrupt_peer(unsigned chosen) noexcept;
  void expire_timers_of(unsigned index) noexcept;

 private:
  // Choosing what to run.
  work_item* choose_local();
  work_item* choose_queued();
  work_item* choose_after_call();
  work_item* pop_task();
  work_item* pop_task_slowly();
  work_item* newest_in_its_turn();
  struct polled {
    bool decides;
    work_item* choice;  // null: the run loop is to poll
  };
  polled poll();
  work_item* poll_in_loop();
  work_item* steal_round_of_queues();
  work_item* steal_from(whole_worker& victim);
  work_item* steal_queued(whole_worker& victim);
  work_item* steal_fork(whole_worker& victim);

  // Forks.
  task& task_of(fork_frame& taken, const fiber* parent) noexcept;
  void offer(task& forked) noexcept;
  void give_forks_away() noexcept;
  void want_forks();

  // Deadlines and drivers.
  void poll_timers() noexcept;
  work_item* reap_round() noexcept;

  // Running it.
  bool run_item(work_item& item);  // and leaves m_refused to the caller
  context::execution* prepare(work_item& item);
  context::execution& prepare_any(work_item* choice);
  void refuse() noexcept;
  fiber* take_fiber(work_item& first);
  [[gnu::cold]] fiber& create_by_backend(const task& named);
  void push_continuation(fiber& parent) noexcept;
  void begin_to_carry(const worker* before) noexcept;
  [[noreturn]] static void fiber_main(void* message, void* argument);
  struct backend_entry;
  static work_item* run_on(fiber& self, work_item& mine);
  static work_item* run_task(fiber& self, task& mine);
  static work_item* run_calls(fiber& self, call_item& first);
  [[nodiscard]] static whole_worker& current_or_fail();
  [[nodiscard]] bool can_reuse_stack(const work_item* next, const fiber& self) const;
  void complete(task& finished) noexcept;
  void count_calls_as_done(std::uint64_t calls);
  [[noreturn]] void leave_for_good(fiber& finished, work_item* next);
  void recycle(fiber& finished) noexcept;

  scheduler& m_shared;
  carrier* m_carrier = nullptr;                      // of the thread that holds the worker
  work_item* m_starting = nullptr;                   // for the fresh fiber that is switched to
  work_item* m_refused = nullptr;                    // got no stack; the run loop tells it so
  std::exception_ptr m_refusal;                      // and why
  unsigned m_loops_within = 0;                       // work_until() under way: the thread's stack needs its worker
  context::floating_point_control m_floating_point;  // for new fibers: as the runtime's maker had it

  poll_pace m_poll_pace;
  std::uint32_t m_until_newest = 8;  // choices, including the choice that begins with the newest task
  std::uint32_t m_since_oldest = 0;  // choices, counted at polls
  fiber_cache m_fibers;
  queue::fifo_lane<work_item*> m_lane;
  // Of the deque, perhaps. relaxed: thieves that do not see it yet take a few more than one.
  native_provider::atomic<bool> m_has_continuations{false};
  victim_order m_victims;
  search_pace<> m_pace;

  const std::unique_ptr<idle_driver> m_driver;  // of the user; null: none
  std::exception_ptr* m_no_driver = nullptr;    // where the reason goes why its driver could not be attached
  bool m_has_polled_in_loop = false;            // since then no fiber that yields alone has looked at others' queues
  nap_pace m_naps;
  std::chrono::steady_clock::time_point m_slept_from;
  worker_clock<whole_worker> m_clock;

  // Others too.
  driver_side<whole_worker> m_side;
  alignas(cache_line_size) timer_heap<work_item> m_timers;
};

[[nodiscard]] inline whole_worker& whole(worker& of) { return static_cast<whole_worker&>(of); }

}  // namespace ramie::detail
