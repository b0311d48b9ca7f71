// Making fibers and waiting for them.
#pragma once

#include <ramie/base/error.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/surroundings.hpp>
#include <ramie/scheduler/task.hpp>
#include <ramie/scheduler/wait.hpp>
#include <ramie/scheduler/worker.hpp>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ramie {

namespace detail {
struct select_access;
/// `call` is about to wait for `what`, which `home` runs, and has changed nothing yet. On a thread that is no worker:
/// starts scheduler_init()'s runtime if it is that and nothing runs it (throws as runtime::start()). Throws misuse in a
/// child made by fork(), where it would wait for ever.
void before_wait_on_thread(const runtime& home, const char* call, const char* what);
void before_join_off_fiber(const task& awaited, const char* call);
[[noreturn]] void joined_itself();

/// Throws misuse where the caller would wait for itself, or in vain.
[[gnu::always_inline]] inline void before_join(const worker* here, const task& awaited, const char* call) {
  if (here == nullptr || here->current_fiber() == nullptr) [[unlikely]]
    return before_join_off_fiber(awaited, call);
  if (here->current_fiber()->current_task == &awaited) [[unlikely]]
    joined_itself();
}

/// Waits until the task is done, or one of the limits ends that.
[[nodiscard]] wake_reason wait_for_task(task& awaited, const wait_limits& limits);

/// The runtime that spawn() means here: the calling fiber's, else scheduler_init()'s. Throws misuse if there is none.
[[nodiscard]] runtime& runtime_here();
/// For a thread that is about to wait: starts scheduler_init()'s runtime if nothing runs it, and if it is `which`
/// (null: whatever there is). Throws as runtime::start().
void have_process_runtime_run(const runtime* which);
/// Waits until the task is done, where a scope may end the wait: throws cancelled then.
void join_in_scope(task& awaited);
/// A handle ends that has a task. Ends the process, unless that is because a scope was cancelled (the handle is
/// destroyed during the unwinding): then the fiber is waited for, and an exception that has left it is the scope's.
void handle_destroyed(task& running, std::exception_ptr (*take_error)(task&) noexcept) noexcept;
}  // namespace detail

/// The right, and the duty, to a fiber's result: one handle a fiber, move only. A handle must be joined or detached
/// before it is destroyed; otherwise the process ends and says which fiber it was.
template <class Result>
class [[nodiscard("join() or detach() it: a handle that is dropped ends the process")]] join_handle {
 public:
  join_handle() = default;
  /// Takes up the task of a fiber that no other handle has: see release().
  explicit join_handle(detail::task_with_result<Result>& of) : m_task(&of) {}
  join_handle(join_handle&& other) noexcept : m_task(std::exchange(other.m_task, nullptr)) {}
  join_handle& operator=(join_handle&& other) noexcept {
    if (m_task != nullptr && &other != this)
      detail::handle_destroyed(*m_task, &detail::task_with_result<Result>::take_error);
    m_task = std::exchange(other.m_task, nullptr);
    return *this;
  }
  ~join_handle() {
    if (m_task != nullptr) [[unlikely]]
      detail::handle_destroyed(*m_task, &detail::task_with_result<Result>::take_error);
  }

  /// Waits for the fiber to end and returns what its function returned, or throws what it threw; spawn_error if it got
  /// no stack. Any fiber of any runtime, or any thread. Blocks the calling fiber, not its worker. Once: throws misuse
  /// on an empty handle, when a fiber joins itself, and for the parent's fibers in a child made by fork(). On a thread
  /// that runs no fiber scheduler_init()'s runtime is started, if the fiber is one of its and nothing runs it yet
  /// (throws as runtime::start()); others must be running, or be run by somebody else.
  /// The handle is empty from the beginning of the wait on, and may be moved or destroyed meanwhile; but where a scope
  /// surrounds the caller it stays as it is until the wait is over, for the scope may end it: join() throws cancelled
  /// then, and the handle may be joined or detached as before. If instead it is destroyed by that exception, the fiber
  /// is waited for first, and what it has thrown is a failure of the scope.
  [[gnu::always_inline]] inline Result join() {
    detail::task_with_result<Result>& finished = joinable_task("join()");
    // The handle is empty before the wait, and not touched after it: it may have been moved, as by a vector that grows.
    if (finished.is_done()) {
      m_task = nullptr;
    } else {
      worker* const here = worker::current();
      detail::before_join(here, finished, "join()");
      if (detail::has_surroundings(here)) [[unlikely]] {
        detail::join_in_scope(finished);  // may throw cancelled; the handle has the fiber then
        m_task = nullptr;
      } else {
        m_task = nullptr;
        detail::wait_for<task>(here, finished);
      }
    }
    if (detail::someone_observes()) [[unlikely]]
      detail::report_receipt(&finished);
    const struct freeing {
      task& finished;
      ~freeing() { finished.home().free_task(finished); }
    } at_end{finished};
    return finished.take();
  }

  /// Waits for the fiber to end, or for one of the limits, whichever comes first: `woken` if it has ended, and join()
  /// returns at once then; else timed_out or cancelled, and the fiber goes on, still this handle's. As join()
  /// otherwise, but any number of times, one at a time, and the handle must not be joined or detached meanwhile; throws
  /// std::bad_alloc too, where there is no room for the deadline. About 150 ns.
  [[nodiscard]] wake_reason wait(const wait_limits& limits) const {
    return detail::wait_for_task(joinable_task("wait()"), limits);
  }

  /// Gives up result and handle. An exception that leaves a detached fiber ends the process with the fiber's
  /// name, and so does a stack that cannot be had when it starts.
  void detach() {
    task& abandoned = joinable_task("detach()");
    m_task = nullptr;
    if (abandoned.detach()) abandoned.home().free_task(abandoned);
  }

  /// Empties the handle and passes the right, and the duty, on to the owner of the task's address: join_handle(*task)
  /// takes them up again, once. For a handle on its way through an interface without C++ types, such as the C
  /// interface. Null if empty.
  [[nodiscard]] detail::task_with_result<Result>* release() noexcept { return std::exchange(m_task, nullptr); }

  /// Whether this handle still has a fiber.
  [[nodiscard]] bool joinable() const { return m_task != nullptr; }
  /// Whether join() would return at once. A guess no longer true only in one direction.
  [[nodiscard]] bool done() const { return m_task != nullptr && m_task->is_done(); }
  [[nodiscard]] std::uint64_t id() const { return m_task != nullptr ? m_task->id() : 0; }
  [[nodiscard]] std::string_view name() const { return m_task != nullptr ? m_task->name() : std::string_view(); }

 private:
  friend struct detail::select_access;
  detail::task_with_result<Result>& joinable_task(const char* call) const {
    if (m_task == nullptr) [[unlikely]] {
      throw misuse(std::string(call) + " on a handle without a fiber: it was joined, detached or moved from before");
    }
    return *m_task;
  }

  detail::task_with_result<Result>* m_task = nullptr;
};

namespace detail {

// Makes the task in memory that was allocated for it, and queues it.
template <class Made, class Function, class Submit>
auto make_and_submit(runtime& home, void* memory, Function&& function, Submit&& submit) {
  static_assert(alignof(Made) <= cache_line_size,
                "what a fiber's function captures may be aligned to 64 bytes at most");
  Made* fresh = nullptr;
  try {
    fresh = new (memory) Made(std::forward<Function>(function), home);
    submit(*fresh);
  } catch (...) {
    if (fresh != nullptr) {
      task& queued_nowhere = *fresh;
      queued_nowhere.refuse(nullptr);
      queued_nowhere.destroy();
    }
    home.free_task_memory(memory, sizeof(Made));
    throw;
  }
  return join_handle<typename Made::result>(*fresh);
}

template <class Function>
struct spawned_task {
  static_assert(std::is_invocable_v<std::decay_t<Function>>,
                "ramie::spawn takes a function that can be called without arguments; capture them in a lambda");
  using type = typed_task<std::decay_t<Function>>;
};

template <class Function, class... Options>
auto spawn_on(runtime& home, Function&& function, const Options&... how) {
  using made = typename spawned_task<Function>::type;
  return make_and_submit<made>(home, home.allocate_task(sizeof(made)), std::forward<Function>(function),
                               [&](task& fresh) { home.submit(fresh, how...); });
}

// The fast path. The worker is looked up again after the closure was constructed, which is the user's code.
template <class Function>
auto spawn_here(worker& here, Function&& function) {
  using made = typename spawned_task<Function>::type;
  return make_and_submit<made>(here.home(), here.allocate_task(sizeof(made)), std::forward<Function>(function),
                               [](task& fresh) { worker::current()->push_task(fresh); });
}

}  // namespace detail

/// Starts function() as a fiber of the calling fiber's runtime (on a thread that runs no fiber: of scheduler_init()'s).
/// The fiber begins some time later, perhaps on another worker. Throws std::bad_alloc; misuse where there is no
/// runtime. About 15 ns; the closure is kept in the task, without an allocation if task and closure fit in 128 bytes.
/// Where the fiber gets no stack, what the closure has captured is destroyed on its worker, between fibers: a
/// destructor may spawn, join, fork and wait there, but neither it nor a function that it forks may yield.
///
///     auto answer = ramie::spawn([] { return 42; });
///     use(answer.join());
template <class Function>
auto spawn(Function&& function) {
  if (worker* const here = worker::current()) [[likely]] {
    return detail::spawn_here(*here, std::forward<Function>(function));
  }
  return detail::spawn_on(detail::runtime_here(), std::forward<Function>(function));
}

/// The same with a name or a stack size of its own. Throws bad_option too.
template <class Function>
auto spawn(const spawn_options& how, Function&& function) {
  return detail::spawn_on(detail::runtime_here(), std::forward<Function>(function), how);
}

/// The other way round: function() begins at once on a stack of its own, and the calling fiber goes on when that waits
/// or ends, unless another worker takes it before. So a loop that spawns has one child at a time on each worker, and
/// not all of them waiting in a queue: while nothing blocks but joins, P workers hold at most P (D + 1) stacks for
/// spawns that are nested D deep (Blumofe, Leiserson, "Scheduling Multithreaded Computations by Work Stealing", JACM
/// 1999), and twice as many where ready fibers and newest tasks take turns. The price is a switch there and back.
///
/// From a fiber; the calling fiber may go on on another worker. From a thread that runs none it is spawn(). Throws
/// std::bad_alloc; spawn_error where there is no stack; misuse where there is no runtime.
template <class Function>
[[gnu::always_inline]] inline auto spawn_child_first(Function&& function) {
  worker* const here = worker::current();
  if (here == nullptr || here->current_fiber() == nullptr) [[unlikely]]
    return detail::spawn_on(detail::runtime_here(), std::forward<Function>(function));
  using made = typename detail::spawned_task<Function>::type;
  return detail::make_and_submit<made>(here->home(), here->allocate_task(sizeof(made)),
                                       std::forward<Function>(function), [](task& fresh) {
                                         worker& now_on = *worker::current();
                                         if (!now_on.run_child_first(fresh))
                                           std::rethrow_exception(now_on.no_stack_reason());
                                       });
}

template <class Function>
auto runtime::spawn(Function&& function) {
  return detail::spawn_on(*this, std::forward<Function>(function));
}

template <class Function>
auto runtime::spawn(const spawn_options& how, Function&& function) {
  return detail::spawn_on(*this, std::forward<Function>(function), how);
}

/// Runs function() as the first fiber of a new runtime, on the calling thread and as many more as the options say,
/// until every fiber has ended; returns its result or throws its exception. Not from a fiber.
template <class Function>
decltype(auto) run(const options& chosen, Function&& function) {
  runtime home(chosen);
  auto first = home.spawn(spawn_options{.name = "main"}, std::forward<Function>(function));
  try {
    home.run();
  } catch (...) {
    first.detach();
    throw;
  }
  return first.join();
}

template <class Function>
decltype(auto) run(Function&& function) {
  return run(options{}, std::forward<Function>(function));
}

}  // namespace ramie
