// Fork and join: functions that may run at the same time, as calls that return together.
//
//     auto [left, right] = ramie::fork_join([&] { return sum(a); }, [&] { return sum(b); });
//
// A fork costs about as much as a call, because nearly all forks become calls. The function stays on the caller's
// stack, where a worker without work can find it (scheduler/fork_list.hpp). If none has, the join calls it.
#pragma once

#include <ramie/base/function_ref.hpp>
#include <ramie/base/lifetime.hpp>
#include <ramie/scheduler/fork_frame.hpp>
#include <ramie/scheduler/spawn.hpp>

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace ramie {

namespace detail {

/// The result of a call, as an object.
template <class Function>
using result_of =
    std::conditional_t<std::is_void_v<std::invoke_result_t<Function>>, std::monostate, std::invoke_result_t<Function>>;

template <class Function>
[[gnu::always_inline]] inline result_of<Function> result_of_call(Function&& function) {
  if constexpr (std::is_void_v<std::invoke_result_t<Function>>) {
    std::forward<Function>(function)();
    return {};
  } else {
    return std::forward<Function>(function)();
  }
}

/// A fork as a task, apart from its function: the part that is compiled once for each type of result, not of function.
template <class Result>
class fork_task final : public task_with_result<Result> {
 public:
  fork_task(const task::operations& typed, fork_frame& of, runtime& home)
      : task_with_result<Result>(typed, home), m_of(&of) {}

  [[nodiscard]] fork_frame& frame() const { return *m_of; }
  /// When it is done: there was no stack for it, and its function has not been called.
  [[nodiscard]] bool was_refused() const { return m_of == nullptr; }

  static void refuse_typed(task& self, std::exception_ptr) noexcept { static_cast<fork_task&>(self).m_of = nullptr; }
  static void destroy_typed(task& self) noexcept { end_at(&static_cast<fork_task&>(self)); }

 private:
  fork_frame* m_of;  // null once it is refused; a flag beside it would cost 16 bytes a fork
};

/// Waits for a fork that has become a task and is not done.
void wait_for_fork_that_runs(task& made);

/// Waits for a fork that has become a task.
inline void wait_for_fork(task& made) {
  if (!made.is_done() || someone_observes()) [[unlikely]]
    wait_for_fork_that_runs(made);
}

/// Waits for it. True: it got no stack, so its function is its joiner's to call, and the task has ended.
template <class Result>
[[gnu::noinline]] bool got_no_stack(fork_task<Result>& made) {
  wait_for_fork(made);
  if (!made.was_refused()) [[likely]]
    return false;
  end_at(&made);
  return true;
}

/// When it is done: its result, or its exception. Once: the task ends.
template <class Result>
[[gnu::noinline]] Result take_result(fork_task<Result>& made) {
  const struct ending {
    fork_task<Result>& made;
    ~ending() { end_at(&made); }
  } at_end{made};
  return made.take();
}

/// The type with which a function is handed on: by value where that keeps its captures in registers, and cannot fail. A
/// move that throws between a fork and its join would leave the frame of the fork behind in the list.
template <class Function>
using handed_on = std::conditional_t<std::is_reference_v<Function> || std::is_nothrow_move_constructible_v<Function>,
                                     Function, Function&&>;

/// A function that may run elsewhere until it is joined. `Function` is a reference where the caller keeps it.
template <class Function>
class forked final : public fork_frame {
  using result = result_of<Function>;
  using made_task = fork_task<result>;

 public:
  forked(fork_frame* below, Function&& function)
      : fork_frame(below, &make), m_function(std::forward<Function>(function)) {}
  ~forked() {}  // NOLINT(modernize-use-equals-default): the task's end is in take_result()

  /// Runs it, or waits for the worker that does. `here` is the worker on which it was pushed.
  [[gnu::always_inline]] result join(worker& here) {
    // A fiber gives all its forks away before it suspends. So one that is still ours has not left the worker it was
    // forked on.
    if (!here.forks().pop(*this)) [[unlikely]]
      return recomputed(*this).join_slow();
    return result_of_call(std::forward<Function>(m_function));
  }

  /// Makes it a task, which the caller runs or starts.
  made_task& become_task(runtime& home) noexcept { return *begin_at(&m_made, table, *this, home); }

  /// The same after the first function has thrown: its exception is the one that leaves.
  [[gnu::noinline]] void join_and_drop(worker& here) noexcept {
    try {
      static_cast<void>(join(here));
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }

 private:
  static task& make(fork_frame& self, runtime& home) noexcept { return static_cast<forked&>(self).become_task(home); }

  static void run_typed(task& self) noexcept {
    auto& made = static_cast<made_task&>(self);
    made.keep_result_of([&]() -> result {
      return result_of_call(std::forward<Function>(static_cast<forked&>(made.frame()).m_function));
    });
  }
  static constexpr task::operations table{&run_typed, &made_task::refuse_typed, &made_task::destroy_typed,
                                          sizeof(made_task)};

  [[gnu::noinline]] result join_slow() {
    if (worker::current()->answer_requests(this) || got_no_stack(m_made))
      return result_of_call(std::forward<Function>(m_function));
    return take_result<result>(m_made);
  }

  Function m_function;
  union {
    made_task m_made;  // from make() on
  };
};

template <class First, class Second>
using results_of_two = std::tuple<result_of<First>, result_of<Second>>;

template <class First, class Second>
[[gnu::always_inline]] inline results_of_two<First, Second> call_and_join(worker& here, First&& first,
                                                                          forked<Second>& child) {
  const auto first_result = [&]() -> result_of<First> {
    try {
      return result_of_call(std::forward<First>(first));
    } catch (...) {
      child.join_and_drop(here);
      throw;
    }
  };
  // In this order: the elements of a braced list are evaluated from left to right.
  return results_of_two<First, Second>{first_result(), child.join(here)};
}

/// For a fork's task that got no stack, or has no fiber that it could leave to others: calls it.
void call_without_stack(task& made) noexcept;

// Both are inlined, for the reason given at worker::suspend(): forks switch, and each function between them and the
// user's costs a misprediction.

/// Makes a task of it that begins at once as a fiber, and leaves the rest of the caller to others: that may be on
/// another worker afterwards. Where there is no stack, it is called.
template <class Function>
[[gnu::always_inline]] inline fork_task<result_of<Function>>& begin_fork(worker& here, forked<Function>& fork) {
  auto& made = fork.become_task(here.home());
  if (here.current_fiber() != nullptr && here.run_child_first(made)) [[likely]] {
    worker::current()->count_as_freed();
  } else {
    call_without_stack(made);
  }
  return made;
}

/// Makes a task of it that is called at once, and done then.
template <class Function>
[[gnu::always_inline]] inline fork_task<result_of<Function>>& call_fork(worker& here, forked<Function>& fork) {
  auto& made = fork.become_task(here.home());
  made.run();
  static_cast<void>(made.complete());
  return made;
}

// The results of both halves, combined pair by pair.
template <class First, class Second>
[[gnu::noinline]] std::tuple<First, Second> take_both(fork_task<First>& begun, fork_task<Second>& called) {
  wait_for_fork(called);  // it is done, but observers want to know
  const auto first_result = [&]() -> First {
    try {
      wait_for_fork(begun);
      return take_result<First>(begun);
    } catch (...) {
      try {
        static_cast<void>(take_result<Second>(called));
      } catch (...) {  // NOLINT(bugprone-empty-catch): the first one's leaves
      }
      throw;
    }
  };
  return std::tuple<First, Second>{first_result(), take_result<Second>(called)};
}

// Whole, so that the fast path has no call between the fork and the first function, around which it would have to save
// the captures of that function. By value, for the same reason as below.
template <class First, class Second>
[[gnu::noinline]] results_of_two<First, Second> fork_slow(worker& here, First first, forked<Second>& child) {
  if (here.stealing_of_forks() == fork_stealing::continuation) {
    here.forks().take_back(child);
    forked<First> own(nullptr, std::forward<First>(first));
    auto& begun = begin_fork(here, own);
    return take_both(begun, call_fork(*worker::current(), child));
  }
  static_cast<void>(here.answer_requests(nullptr));
  return call_and_join<First, Second>(here, std::forward<First>(first), child);
}

template <class First, class Second>
[[gnu::always_inline]] inline results_of_two<First, Second> fork_two(worker& here, First&& first, Second&& second) {
  forked<Second> child(here.forks().newest(), std::forward<Second>(second));
  here.forks().push(recomputed(child));
  if (here.forks().wanted()) [[unlikely]]
    return fork_slow<First, Second>(here, std::forward<First>(first), recomputed(child));
  return call_and_join<First, Second>(here, std::forward<First>(first), child);
}

/// The results of all but one, as a tuple.
template <class First, class... Rest>
[[gnu::always_inline]] inline auto fork_all(worker& here, First&& first, Rest&&... rest) {
  if constexpr (sizeof...(Rest) == 1) {
    return fork_two<First, Rest...>(here, std::forward<First>(first), std::forward<Rest>(rest)...);
  } else {
    auto others = [&] { return fork_all<Rest...>(*worker::current(), std::forward<Rest>(rest)...); };
    auto [own, theirs] = fork_two<First, decltype(others)&>(here, std::forward<First>(first), others);
    return std::tuple_cat(std::tuple<result_of<First>>(std::forward<result_of<First>>(own)), std::move(theirs));
  }
}

/// Calls function() on a fiber of that runtime, or of scheduler_init()'s, for a thread that runs none. Throws misuse if
/// there is no runtime, or nothing runs it, and what the function throws.
void call_from_outside(function_ref<void()> function, runtime* on = nullptr);

// By value: were their addresses taken, the caller would keep their captures in memory.
template <class... Functions>
[[gnu::noinline]] auto fork_from_outside(Functions... functions) {
  std::optional<std::tuple<result_of<Functions>...>> results;
  call_from_outside(
      [&] { results.emplace(fork_all<Functions...>(*worker::current(), std::forward<Functions>(functions)...)); });
  return *std::move(results);
}

template <class... Functions>
[[gnu::always_inline]] inline auto fork_anywhere(Functions&&... functions) {
  if (worker* const here = worker::current()) [[likely]]
    return fork_all<handed_on<Functions>...>(*here, std::forward<Functions>(functions)...);
  return fork_from_outside<handed_on<Functions>...>(std::forward<Functions>(functions)...);
}

}  // namespace detail

/// Calls all functions, perhaps at the same time, and returns when all have returned: what they returned, as a tuple
/// with std::monostate for void, or nothing if all return void. The caller runs the first one itself, then those that
/// no other worker has taken, as plain calls on its own stack; one that was taken runs as a fiber, or, if no stack can
/// be had for that, on the caller's after all.
///
/// The functions may do what fibers may: block, yield, spawn, fork again to any depth. They must not rely on running
/// one after another, nor on running at the same time. Each is called, whatever the others throw; then the exception of
/// the first that threw, in the order of the arguments, leaves, and the other ones are dropped.
///
/// From a fiber; from a thread that runs none it becomes a fiber of scheduler_init()'s runtime, and the thread waits
/// (throws misuse if there is none, and std::bad_alloc or spawn_error, with no function called, where that fiber cannot
/// be had). Blocks the fiber, not its worker, and only where a function was taken. From a fiber it never fails for want
/// of memory. Two functions cost about 12 instructions more than two calls.
template <class First, class... Rest>
  requires(sizeof...(Rest) > 0)
[[gnu::always_inline]] inline auto fork_join(First&& first, Rest&&... rest) {
  static_assert((std::is_invocable_v<First> && ... && std::is_invocable_v<Rest>),
                "ramie::fork_join takes functions that can be called without arguments; capture them in lambdas");
  constexpr bool all_void =
      (std::is_void_v<std::invoke_result_t<First>> && ... && std::is_void_v<std::invoke_result_t<Rest>>);
  if constexpr (all_void) {
    static_cast<void>(detail::fork_anywhere(std::forward<First>(first), std::forward<Rest>(rest)...));
  } else {
    return detail::fork_anywhere(std::forward<First>(first), std::forward<Rest>(rest)...);
  }
}

}  // namespace ramie
