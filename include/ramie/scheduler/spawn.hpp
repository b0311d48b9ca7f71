// Making fibers and waiting for them.
#pragma once

#include <ramie/base/error.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/task.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

namespace ramie {

namespace detail {
/// Suspends the calling fiber, or puts the calling thread to sleep, until the task is done.
void wait_until_done(task& awaited);
/// The runtime that spawn() means here: the calling fiber's, else scheduler_init()'s. Throws misuse if there is none.
[[nodiscard]] runtime& runtime_here();
[[noreturn]] void handle_destroyed(const task& running) noexcept;
}  // namespace detail

/// The right, and the duty, to a fiber's result: one handle a fiber, move only. A handle must be joined or detached
/// before it is destroyed; otherwise the process ends and says which fiber it was.
template <class Result>
class [[nodiscard("join() or detach() it: a handle that is dropped ends the process")]] join_handle {
 public:
  join_handle() = default;
  explicit join_handle(detail::task_with_result<Result>& of) : m_task(&of) {}
  join_handle(join_handle&& other) noexcept : m_task(std::exchange(other.m_task, nullptr)) {}
  join_handle& operator=(join_handle&& other) noexcept {
    if (m_task != nullptr && &other != this) detail::handle_destroyed(*m_task);
    m_task = std::exchange(other.m_task, nullptr);
    return *this;
  }
  ~join_handle() {
    if (m_task != nullptr) [[unlikely]] detail::handle_destroyed(*m_task);
  }

  /// Waits for the fiber to end and returns what its function returned, or throws what it threw; spawn_error if it got
  /// no stack. Any fiber of any runtime, or any thread. Blocks the calling fiber, not its worker. Once: throws misuse on
  /// an empty handle, and when a fiber joins itself.
  Result join() {
    detail::task_with_result<Result>& finished = joinable_task("join()");
    if (!finished.is_done()) detail::wait_until_done(finished);
    m_task = nullptr;
    const struct freeing {
      task& finished;
      ~freeing() { finished.home().free_task(finished); }
    } at_end{finished};
    return finished.take();
  }

  /// Gives up result and handle. An exception that leaves a detached fiber ends the process with the fiber's name.
  void detach() {
    task& abandoned = joinable_task("detach()");
    m_task = nullptr;
    if (abandoned.detach()) abandoned.home().free_task(abandoned);
  }

  /// Whether this handle still has a fiber.
  [[nodiscard]] bool joinable() const { return m_task != nullptr; }
  /// Whether join() would return at once. A guess no longer true only in one direction.
  [[nodiscard]] bool done() const { return m_task != nullptr && m_task->is_done(); }
  [[nodiscard]] std::uint64_t id() const { return m_task != nullptr ? m_task->id() : 0; }
  [[nodiscard]] std::string_view name() const { return m_task != nullptr ? m_task->name() : std::string_view(); }

 private:
  detail::task_with_result<Result>& joinable_task(const char* call) const {
    if (m_task == nullptr) [[unlikely]] {
      throw misuse(std::string(call) + " on a handle without a fiber: it was joined, detached or moved from before");
    }
    return *m_task;
  }

  detail::task_with_result<Result>* m_task = nullptr;
};

namespace detail {

template <class Function, class... Options>
auto spawn_on(runtime& home, Function&& function, const Options&... how) {
  using made = typed_task<std::decay_t<Function>>;
  static_assert(std::is_invocable_v<std::decay_t<Function>>,
                "ramie::spawn takes a function that can be called without arguments; capture them in a lambda");
  static_assert(alignof(made) <= cache_line_size, "what a fiber's function captures may be aligned to 64 bytes at most");
  void* const memory = home.allocate_task(sizeof(made));
  made* fresh = nullptr;
  try {
    fresh = new (memory) made(std::forward<Function>(function), home);
  } catch (...) {
    home.free_task_memory(memory, sizeof(made));
    throw;
  }
  try {
    home.submit(*fresh, how...);
  } catch (...) {
    fresh->refuse(nullptr);
    fresh->destroy();
    home.free_task_memory(memory, sizeof(made));
    throw;
  }
  return join_handle<std::invoke_result_t<std::decay_t<Function>>>(*fresh);
}

}  // namespace detail

/// Starts function() as a fiber of the calling fiber's runtime (on a thread that runs no fiber: of scheduler_init()'s).
/// The fiber begins some time later, perhaps on another worker. Throws std::bad_alloc; misuse where there is no runtime.
/// About 15 ns; the closure is kept in the task, without an allocation if task and closure fit in 128 bytes.
///
///     auto answer = ramie::spawn([] { return 42; });
///     use(answer.join());
template <class Function>
auto spawn(Function&& function) {
  return detail::spawn_on(detail::runtime_here(), std::forward<Function>(function));
}

/// The same with a name or a stack size of its own. Throws bad_option too.
template <class Function>
auto spawn(const spawn_options& how, Function&& function) {
  return detail::spawn_on(detail::runtime_here(), std::forward<Function>(function), how);
}

template <class Function>
auto runtime::spawn(Function&& function) {
  return detail::spawn_on(*this, std::forward<Function>(function));
}

template <class Function>
auto runtime::spawn(const spawn_options& how, Function&& function) {
  return detail::spawn_on(*this, std::forward<Function>(function), how);
}

/// Runs function() as the first fiber of a new runtime, on the calling thread and as many more as the options say, until
/// every fiber has ended; returns its result or throws its exception. Not from a fiber.
template <class Function>
auto run(const options& chosen, Function&& function) {
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
auto run(Function&& function) {
  return run(options{}, std::forward<Function>(function));
}

}  // namespace ramie
