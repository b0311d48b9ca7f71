// One worker: an object that a kernel thread holds while it runs fibers, not the thread itself.
//
// Only the holder touches the bottom of its queues. A function that may switch can come back on another kernel thread,
// so after every such call the worker is looked up again; suspend() returns it.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/function_ref.hpp>
#include <ramie/context/execution.hpp>
#include <ramie/context/thread_slot.hpp>
#include <ramie/scheduler/call_item.hpp>
#include <ramie/scheduler/fiber.hpp>
#include <ramie/scheduler/fiber_depot.hpp>
#include <ramie/scheduler/fork_frame.hpp>
#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/local_queues.hpp>
#include <ramie/scheduler/nap_pace.hpp>
#include <ramie/scheduler/observer.hpp>
#include <ramie/scheduler/options.hpp>
#include <ramie/scheduler/poll_pace.hpp>
#include <ramie/scheduler/reap_turn.hpp>
#include <ramie/scheduler/search_pace.hpp>
#include <ramie/scheduler/sleep_gate.hpp>
#include <ramie/scheduler/statistics.hpp>
#include <ramie/scheduler/task.hpp>
#include <ramie/scheduler/task_pool.hpp>
#include <ramie/scheduler/timer_heap.hpp>
#include <ramie/scheduler/victim_order.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

namespace ramie {

class runtime;

namespace detail {
struct carrier;
template <class Worker>
class run_loop;
}  // namespace detail

class alignas(cache_line_size) worker {
 public:
  /// Runs on the far side of a switch, when `left` has completely left its stack: the place, and the only one, from
  /// which a fiber may become visible to others. It may wake fibers, `left` among them; it must not switch, and must
  /// not touch `argument` after it has made `left` visible, if that lies on left's stack.
  using after_switch = void (*)(worker& on, fiber& left, void* argument);

  worker(runtime& home, unsigned index, const options& chosen, std::unique_ptr<detail::other_deque> deque,
         detail::near_first near);
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  ~worker() = default;

  /// The calling thread's worker; null on a thread that runs no fibers. Never remember it across a switch.
  [[nodiscard, gnu::always_inline]] static worker* current() { return static_cast<worker*>(context::thread_slot()); }

  /// The calling thread holds this worker until the run is over, or, false, until the worker has left it.
  bool run(detail::carrier& by);

  // ---- For the fiber that runs on this worker ----

  [[nodiscard]] runtime& home() const { return m_home; }
  [[nodiscard]] unsigned index() const { return m_index; }
  [[nodiscard]] fiber* current_fiber() const { return m_current; }
  /// What options.make_idle_driver made for it, while it is attached to the calling thread; else null.
  [[nodiscard]] idle_driver* driver() const { return m_attached; }

  /// Gives this worker to another thread; the current fiber goes on without it (hand_over.hpp). False: there is no such
  /// thread, or nothing is to be given away here.
  [[nodiscard]] bool leave_thread() noexcept;
  /// The fiber that runs there since: goes on when this returns, on whatever worker takes it.
  static void come_back(detail::carrier& by);

  /// Leaves the current fiber and runs something else. action(worker, fiber, argument) arranges that it goes on.
  /// Returns the worker on which it goes on.
  ///
  /// Inlined, and its callers should be too: the processor predicts a `ret` by the call that it saw last, which after a
  /// switch was another fiber's. So whatever stands between the switch and user code as a function of its own costs
  /// one misprediction, about 6 ns, a switch.
  worker& suspend(after_switch action, void* argument);

  /// Lets others run; returns the worker on which the fiber goes on. At once if there is nothing else.
  worker& yield();

  // ---- For this worker's thread ----

  /// A new task, counted as spawned. Throws std::bad_alloc; the task is then not queued.
  void push_task(task& spawned);
  /// The same for a call.
  void push_call(call_item& fresh);
  /// A fiber that can go on.
  void push_ready(fiber& ready) noexcept;
  /// Memory for a task or a call.
  [[nodiscard]] void* allocate_task(std::size_t size);
  void free_task_memory(void* memory, std::size_t size) noexcept;

  using fork_list = detail::fork_list<detail::fork_frame>;
  /// Of the current fiber.
  [[nodiscard]] fork_list& forks() { return m_forks; }
  /// Where the list says that somebody may want work: makes a task of the oldest fork if so. `joined` is the newest, to
  /// be unlinked, or null. False: it has been taken, and must be waited for.
  [[nodiscard]] bool settle_forks(detail::fork_frame* joined) noexcept;
  [[nodiscard]] fork_stealing forks_leave() const { return m_fork_stealing; }
  /// Begins `child` at once, as a fiber; the current one goes on when that waits or ends, or on whatever worker takes
  /// it meanwhile. False: there is no stack for it, and child has not been touched; why() is the exception.
  [[nodiscard]] bool run_child_first(task& child);
  /// Its memory belongs to its parent, who tells nobody of its end.
  void count_as_freed() { m_counters.freed.add(); }
  /// For its current fiber. Returns the heap from which the timer is to be taken back. Throws std::bad_alloc.
  detail::timer_heap<work_item>& add_timer(detail::timer_heap<work_item>::timer& fresh);
  /// After add_timer(): the worker is about to run something that may take long.
  [[nodiscard]] bool owes_timekeeper() const { return m_owes_timekeeper; }
  void wake_owed_timekeeper() noexcept;
  /// On a worker between fibers, where what a refused task has captured is destroyed: runs others until `over`.
  void work_until(detail::function_ref<bool()> over);
  [[nodiscard]] std::exception_ptr why_no_stack() noexcept { return std::exchange(m_refusal, nullptr); }

  // ---- For any thread ----

  [[nodiscard]] bool has_visible_work() const {
    return m_deque.stealable() || m_lane.stealable() || m_forks.stealable();
  }
  /// How much of it there is, a guess.
  [[nodiscard]] std::size_t visible_work() const {
    return m_deque.size() + m_lane.size() + (m_forks.stealable() ? 1 : 0);
  }
  [[nodiscard]] const detail::worker_counters& counters() const { return m_counters; }
  void interrupt() noexcept {
    // [D2] acquire, pairs with [D1]. Weaker: the driver that the worker cannot use now is interrupted, and it sleeps
    // on.
    m_sleeps_in.load(std::memory_order_acquire)->interrupt();
  }

 private:
  friend class runtime;
  friend class detail::run_loop<worker>;
  using item_type = work_item;

  void count_spawned(task& spawned, const fiber* parent);
  void push_counted(work_item& spawned);
  void overflow(work_item& spawned) noexcept;
  task& task_of(detail::fork_frame& taken, const fiber* parent) noexcept;
  void offer(task& forked) noexcept;
  void give_forks_away() noexcept;

  // Choosing what to run.
  work_item* choose_local();
  work_item* choose_queued();
  work_item* choose_after_call();
  work_item* next_local();
  work_item* pop_task();
  work_item* pop_task_slowly();
  work_item* newest_in_its_turn();
  struct polled {
    bool decides;
    work_item* choice;  // null: the run loop is to poll
  };
  polled poll();
  work_item* poll_in_loop();
  work_item* next_injected();
  work_item* steal_round();
  work_item* steal_round_of_queues();
  work_item* steal_from(worker& victim);
  work_item* steal_queued(worker& victim);
  work_item* steal_fork(worker& victim);

  // For the run loop alone, as it says there.
  [[nodiscard]] sleep_gate<>& gate();
  [[nodiscard]] detail::search_pace<>& pace() { return m_pace; }
  void search_succeeded();
  [[nodiscard]] bool sees_work() const;
  void look_everywhere() { m_victims.look_everywhere(); }
  [[nodiscard]] bool finished() const;
  void finish_if_drained();
  [[nodiscard]] bool naps_first() noexcept;
  bool nap() noexcept;
  void before_sleep() noexcept;
  void park();
  void after_sleep() noexcept;

  void want_forks();
  void poll_timers() noexcept;
  static void expire_timers_of(worker& other) noexcept;
  [[nodiscard]] detail::deadline_ns end_of_sleep() const;

  // Drivers.
  void attach_driver();
  void attach_driver_if_possible() noexcept;
  [[nodiscard]] bool attach_is_due() const noexcept;
  void detach_driver() noexcept;
  [[nodiscard]] bool driver_wants_poll() noexcept;
  [[nodiscard]] bool other_waits_for_reaper() noexcept;
  void look_at_next_driver() noexcept;
  bool poll_driver() noexcept;
  bool reap_driver_of(worker& of) noexcept;
  work_item* reap_round() noexcept;

  // Running it.
  bool execute(work_item& item);
  bool run_item(work_item& item);  // and leaves m_refused to the caller
  context::execution* prepare(work_item& item);
  context::execution& prepare_any(work_item* choice);
  void refuse() noexcept;
  fiber* take_fiber(work_item& first);
  [[gnu::cold]] fiber& create_by_backend(const task& named);
  context::execution& begin_suspend(after_switch action, void* argument);
  context::execution* begin_yield();
  context::execution* begin_child(task& child);
  void push_continuation(fiber& parent) noexcept;
  void* transfer(context::execution& from, context::execution& to);
  [[gnu::cold]] void* transfer_by_backend(context::execution& from, context::execution& to);
  void begin_to_carry(const worker* before) noexcept;
  worker& leave(context::execution& from, context::execution& to);
  void arrive();
  [[noreturn]] static void fiber_main(void* message, void* argument);
  struct backend_entry;
  static work_item* run_on(fiber& self, work_item& mine);
  static work_item* run_task(fiber& self, task& mine);
  static work_item* run_calls(fiber& self, call_item& first);
  [[nodiscard]] static worker& still_here();
  [[nodiscard]] bool goes_on_with(const work_item* next, const fiber& self) const;
  void complete(task& finished) noexcept;
  void count_calls_as_done(std::uint64_t calls);
  [[noreturn]] void leave_for_good(fiber& finished, work_item* next);
  void recycle(fiber& finished) noexcept;
  void notify() noexcept;
  void notify_of_injector() noexcept;

  struct pending_action {
    after_switch action = nullptr;
    fiber* left = nullptr;
    void* argument = nullptr;
  };

  // What a switch touches.
  fork_list m_forks;  // first: offsets of none and eight bytes, in every fork and join
  fiber* m_current = nullptr;
  pending_action m_after;
  context::exception_state* m_exceptions = nullptr;  // of the thread that holds the worker
  detail::poll_pace m_poll_pace;
  std::uint32_t m_until_newest = 8;  // choices, the one that begins with the newest task included
  std::uint32_t m_since_oldest = 0;  // choices, counted at polls
  execution_backend* const m_backend;
  observer* const m_observer;
  runtime& m_home;
  const unsigned m_index;
  const unsigned m_id_stride;  // ids of fibers: worker i gives i + 1, i + 1 + stride, …
  const bool m_stealing;
  const fork_stealing m_fork_stealing;

  // Of the deque, perhaps. relaxed: thieves that do not see it yet take a few more than one.
  native_provider::atomic<bool> m_has_continuations{false};
  work_item* m_starting = nullptr;                   // for the fresh fiber that is switched to
  work_item* m_refused = nullptr;                    // got no stack; the run loop tells it so
  std::exception_ptr m_refusal;                      // and why
  context::floating_point_control m_floating_point;  // what fibers begin with: that of the runtime's maker
  detail::carrier* m_carrier = nullptr;              // of the thread that holds the worker
  unsigned m_loops_within = 0;                       // work_until() under way: the thread's stack needs its worker
  detail::task_deque m_deque;
  detail::fiber_lane m_lane;
  detail::fiber_cache m_fibers;
  detail::task_cache m_tasks;
  detail::line_cache m_lines;
  detail::victim_order m_victims;
  detail::search_pace<> m_pace;
  const std::unique_ptr<idle_driver> m_driver;           // of the user; null: none
  idle_driver* m_attached = nullptr;                     // it, while it is attached to this thread
  std::chrono::steady_clock::time_point m_attach_again;  // after a failure: when, at the latest, it tries again
  bool m_poll_in_loop = false;                           // a poll was due on a fiber, and is made on the loop's stack
  bool m_has_polled_in_loop = false;          // since then no fiber that yields alone has looked at others' queues
  std::size_t m_next_reaped = 0;              // which other worker's driver it looks at next
  std::uint64_t m_polls_then = never_polled;  // how often that had been polled at the last look
  bool m_reaps_next = false;                  // that one, when it polls in the loop
  static constexpr std::uint64_t never_polled = ~std::uint64_t{0};
  detail::nap_pace m_naps;
  std::chrono::steady_clock::time_point m_slept_from;
  bool m_owes_timekeeper = false;                            // see add_timer()
  bool m_keeps_time = false;                                 // while it sleeps: it is the timekeeper
  detail::deadline_ns m_sleeps_until = detail::no_deadline;  // and until when, if nothing earlier comes
  std::size_t m_next_timers = 0;                             // of which other worker it looks at next
  // Others too.
  futex_idle_driver<> m_futex;
  // Changes while it is in no list of sleepers.
  native_provider::atomic<idle_driver*> m_sleeps_in;
  detail::reap_turn<> m_turn;
  detail::owned_count m_driver_polls;
  alignas(cache_line_size) detail::timer_heap<work_item> m_timers;
  detail::worker_counters m_counters;
};

}  // namespace ramie
