// Scopes: fibers that end before the block does that has begun them.
//
// After Smith, "Notes on structured concurrency" (2018), Trio's nurseries and Kotlin's coroutineScope. A scope has
//
//     body --throws------------------------.
//     child --fails (not by cancelled)-----+--> failure --.
//     a deadline, of it or around it ---------> deadline -+--> cancelled: every wait in it throws
//     a stop token, or a scope around it -----> outside --|
//     request_stop() -------------------------> asked ----'
//
// and ends when the body and all children have ended, whatever has become of them.
#pragma once

#include <ramie/scheduler/cancellation.hpp>
#include <ramie/scheduler/context_value.hpp>
#include <ramie/scheduler/fiber_local.hpp>
#include <ramie/scheduler/spawn.hpp>
#include <ramie/scheduler/wait_limits.hpp>
#include <ramie/sync/counter.hpp>
#include <ramie/sync/semaphore.hpp>

#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace ramie {

namespace detail {
struct shared_failures;
}

/// Leaves a scope in which several things have failed. A single failure leaves it as itself.
class scope_failures : public std::exception {
 public:
  /// Throws std::bad_alloc.
  explicit scope_failures(const detail::failure_list& all);
  scope_failures(const scope_failures& other) noexcept;
  scope_failures& operator=(const scope_failures& other) noexcept;
  ~scope_failures() override;

  /// How many, and the first one's message.
  [[nodiscard]] const char* what() const noexcept override;
  /// In the order in which they came; the first has cancelled the others. Valid as long as this exception or a copy.
  /// All of them, but for those that came when there was no memory; what() says how many these are.
  [[nodiscard]] std::span<const std::exception_ptr> all() const noexcept;

 private:
  detail::shared_failures* m_shared;  // by all copies
};

struct scope_options {
  /// Beyond these all waits in the scope throw cancelled. Of nested scopes the earliest deadline counts.
  wait_limits limits{std::stop_token()};
  /// How many children there may be at once; 0: any number. spawn() waits for one to end where there are as many.
  std::size_t most_children = 0;
};

namespace detail {

class scope_state;

/// What a child leaves to its handle. Both own it.
class child_result {
 public:
  using destroyer = void (*)(child_result*) noexcept;
  explicit child_result(destroyer end) : m_destroy(end) {}
  child_result(const child_result&) = delete;
  child_result& operator=(const child_result&) = delete;

  void give_up() noexcept {
    // acq_rel: the other owner's use comes before the end.
    if (m_owners.fetch_sub(1, std::memory_order_acq_rel) == 1) m_destroy(this);
  }
  void set_error(std::exception_ptr error) noexcept { m_error = std::move(error); }
  void finish() { m_running.decrement(); }
  [[nodiscard]] bool is_done() const { return m_running.value() == 0; }
  void wait() { wait_for_counter(m_running); }
  [[nodiscard]] wake_reason wait(const wait_limits& limits) { return wait_for_counter(m_running, 0, limits); }
  void throw_error() {
    if (m_error != nullptr) std::rethrow_exception(m_error);
  }

 protected:
  ~child_result() = default;

 private:
  const destroyer m_destroy;
  native_provider::atomic<std::uint32_t> m_owners{2};
  counter m_running{1};
  std::exception_ptr m_error;
};

template <class Result>
class child_result_of final : public child_result {
  struct nothing {};
  using kept = std::conditional_t<
      std::is_void_v<Result>, nothing,
      std::conditional_t<std::is_reference_v<Result>, std::add_pointer_t<std::remove_reference_t<Result>>, Result>>;

 public:
  child_result_of() : child_result([](child_result* of) noexcept { delete static_cast<child_result_of*>(of); }) {}

  template <class Function>
  void keep_result_of(Function&& function) {
    if constexpr (std::is_void_v<Result>) {
      std::forward<Function>(function)();
    } else if constexpr (std::is_reference_v<Result>) {
      m_value.emplace(&std::forward<Function>(function)());
    } else {
      m_value.emplace(std::forward<Function>(function)());
    }
  }
  Result take() {
    throw_error();
    if constexpr (std::is_reference_v<Result>) return static_cast<Result>(**m_value);
    if constexpr (!std::is_void_v<Result> && !std::is_reference_v<Result>) return std::move(*m_value);
  }

 private:
  std::optional<kept> m_value;
};

/// The part of a scope that is no template.
class scope_state {
 public:
  explicit scope_state(const scope_options& how);
  scope_state(const scope_state&) = delete;
  scope_state& operator=(const scope_state&) = delete;
  ~scope_state();

  [[nodiscard]] cancellation& cancelling() { return m_cancelling; }
  [[nodiscard]] surroundings within(const bound_value* values) {
    return {&m_cancelling, std::uncaught_exceptions(), values};
  }

  /// Before a child is made; throws cancelled. After it, child_ended(), once.
  void begin_child();
  void child_ended() noexcept;

  /// In a handler: what has left the body, or a child. Keeps it if it is a failure; returns it.
  std::exception_ptr keep_caught() noexcept;
  /// The child got no stack.
  void keep_refusal(const std::exception_ptr& why) noexcept { m_cancelling.add_failure(why); }

  /// Waits for the children, whatever happens meanwhile.
  void join() noexcept;
  /// After join(). Throws the failures; `left` is what the body has thrown, or null.
  void throw_failures(const std::exception_ptr& left);

 private:
  struct canceller {
    cancellation& of;
    void operator()() const noexcept { of.cancel(cancel_cause::outside); }
  };
  scope_state(const scope_options& how, cancellation* around);

  cancellation m_cancelling;
  counter m_children;
  std::optional<counting_semaphore<>> m_room;
  native_provider::atomic<bool> m_was_felt{false};  // somebody was cancelled. relaxed: join() orders it
  std::optional<std::stop_callback<canceller>> m_around;
  std::optional<std::stop_callback<canceller>> m_outside;
};

/// Not inlined: its parts ask for the thread. See wait.cpp.
template <class Function>
class child_task final : public task_with_result<void> {
  using base = task_with_result<void>;
  using child_returns = std::invoke_result_t<Function>;

 public:
  using result = void;
  struct parts {
    scope_state& of;
    child_result_of<child_returns>& left;
    const bound_value* values;  // owned
    Function function;
  };

  child_task(parts&& made, runtime& home) : base(table, home), m_parts(std::move(made)) {}
  ~child_task() {}

 private:
  static void run_typed(task& self) noexcept {
    auto& me = static_cast<child_task&>(self);
    parts& mine = me.m_parts;
    {
      const surrounded within(mine.of.within(mine.values));
      try {
        mine.left.keep_result_of(std::move(mine.function));
      } catch (...) {
        mine.left.set_error(mine.of.keep_caught());
      }
    }
    end_local_values();
    me.end();
    me.keep_result_of([] {});
  }
  static void refuse_typed(task& self, std::exception_ptr reason) noexcept {
    auto& me = static_cast<child_task&>(self);
    me.keep_result_of([] {});
    if (reason == nullptr) return end_at(&me.m_parts);  // it could not be queued; spawn() has the rest still
    me.m_parts.of.keep_refusal(reason);
    me.m_parts.left.set_error(std::move(reason));
    me.end();
  }
  // The scope may be gone when it returns; what the child has captured is gone before.
  void end() noexcept {
    scope_state& of = m_parts.of;
    child_result_of<child_returns>& left = m_parts.left;
    const bound_value* const values = m_parts.values;
    end_at(&m_parts);
    give_up(values);
    left.finish();
    left.give_up();
    of.child_ended();
  }
  static void destroy_typed(task& self) noexcept { end_at(&static_cast<child_task&>(self)); }
  static constexpr task::operations table{&run_typed, &refuse_typed, &destroy_typed, sizeof(child_task)};

  union {
    parts m_parts;  // from construction until end()
  };
};

}  // namespace detail

/// A child's result, for those who want it: it need not be joined. Move only; may outlive the scope.
template <class Result>
class child {
 public:
  child() = default;
  explicit child(detail::child_result_of<Result>& of) : m_left(&of) {}
  child(child&& other) noexcept : m_left(std::exchange(other.m_left, nullptr)) {}
  child& operator=(child&& other) noexcept {
    if (&other == this) return *this;
    drop();
    m_left = std::exchange(other.m_left, nullptr);
    return *this;
  }
  ~child() { drop(); }

  /// Waits for the child and returns what it returned, once, or throws what it threw: `cancelled` if it was cancelled,
  /// and a failure is the scope's too. As join_handle::join(), otherwise. Throws cancelled where the scope around the
  /// caller ends the wait; then it may be called again.
  Result join() {
    if (m_left == nullptr) throw misuse("join() on a child's handle that is empty: it was joined or moved from before");
    m_left->wait();
    const struct dropping {
      child& of;
      ~dropping() { of.drop(); }
    } at_end{*this};
    return m_left->take();
  }
  /// As join_handle::wait().
  [[nodiscard]] wake_reason wait(const wait_limits& limits) {
    if (m_left == nullptr) throw misuse("wait() on a child's handle that is empty: it was joined or moved from before");
    return m_left->wait(limits);
  }
  [[nodiscard]] bool joinable() const { return m_left != nullptr; }
  [[nodiscard]] bool done() const { return m_left != nullptr && m_left->is_done(); }

 private:
  void drop() noexcept {
    if (m_left != nullptr) std::exchange(m_left, nullptr)->give_up();
  }

  detail::child_result_of<Result>* m_left = nullptr;
};

/// Made by with_scope(). For its body and its children.
class scope {
 public:
  explicit scope(const scope_options& how) : m_state(how) {}
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

  /// Starts function() as a fiber that ends before the scope does, and what it has captured too, and its fiber_locals.
  /// It sees the caller's context values. What leaves it is a failure of the scope (spawn_error where there was no
  /// stack), but for `cancelled` after the scope was cancelled.
  ///
  /// From the body or a child. Blocks where there are as many children as may be: the calling fiber, not its worker
  /// (children that spawn children in a full scope can wait for each other: give those a scope of their own). Throws
  /// cancelled where the scope is; as spawn() otherwise, with two allocations.
  template <class Function>
  child<std::invoke_result_t<std::decay_t<Function>>> spawn(Function&& function) {
    return spawn_with(std::forward<Function>(function));
  }
  /// The same with a name or a stack size of its own.
  template <class Function>
  child<std::invoke_result_t<std::decay_t<Function>>> spawn(const spawn_options& how, Function&& function) {
    return spawn_with(std::forward<Function>(function), how);
  }

  /// Cancels the scope: waits of the body and the children throw cancelled. That is no failure: the scope ends as if
  /// nothing were. Any fiber or thread, while the scope lives.
  void request_stop() noexcept { m_state.cancelling().cancel(detail::cancel_cause::asked); }
  /// Of the scope's end by any cause; of its deadline only where a wait, or is_cancelled(), has found that it has
  /// passed.
  [[nodiscard]] std::stop_token stop_token() { return m_state.cancelling().token(); }
  [[nodiscard]] bool is_cancelled() { return m_state.cancelling().is_over(); }

  [[nodiscard]] detail::scope_state& state() { return m_state; }

 private:
  template <class Function, class... Options>
  auto spawn_with(Function&& function, const Options&... how) {
    using kept = std::decay_t<Function>;
    static_assert(std::is_invocable_v<kept>,
                  "scope::spawn takes a function that can be called without arguments; capture them in a lambda");
    using result = std::invoke_result_t<kept>;
    using made = detail::child_task<kept>;
    runtime& home = detail::runtime_here();
    if (worker::current() == nullptr) detail::have_process_runtime_run(&home);
    m_state.begin_child();
    detail::child_result_of<result>* left = nullptr;
    const detail::bound_value* values = nullptr;
    try {
      left = new detail::child_result_of<result>();
      values = detail::also_own(detail::surrounded::current().values);
      typename made::parts parts{m_state, *left, values, kept(std::forward<Function>(function))};
      // Last: nothing is thrown any more before make_and_submit() has it.
      void* const memory = home.allocate_task(sizeof(made));
      detail::make_and_submit<made>(home, memory, std::move(parts), [&](detail::task_with_result<void>& fresh) {
        home.submit(fresh, how...);
      }).detach();
    } catch (...) {
      detail::give_up(values);
      delete left;
      m_state.child_ended();
      throw;
    }
    return child<result>(*left);
  }

  detail::scope_state m_state;
};

/// Calls body(scope&), waits until all children have ended, and returns what the body returned. Throws, when all have
/// ended: the failure, if one has failed (the body or a child); scope_failures, if several have; cancelled, if none
/// has and the body was cancelled, or a child by something else than request_stop().
///
/// Any fiber or thread; children are fibers of the caller's runtime, or scheduler_init()'s, which is started if need
/// be. Blocks the calling fiber, not its worker; on a thread that runs none, the thread. The wait for the children is
/// never cut short: a scope that is cancelled ends when its children have seen it. A scope within a scope is cancelled
/// with that one, but for one that is opened where waits are shielded: it has the time that it takes.
///
///     auto sum = ramie::with_scope({.limits = 1s}, [&](ramie::scope& s) {
///       auto left = s.spawn([] { return ask("left"); });
///       auto right = s.spawn([] { return ask("right"); });
///       return left.join() + right.join();
///     });
template <class Body>
auto with_scope(const scope_options& how, Body&& body) -> std::invoke_result_t<Body, scope&> {
  using result = std::invoke_result_t<Body, scope&>;
  scope mine(how);
  std::exception_ptr left;
  const auto finish = [&] {
    mine.state().join();
    mine.state().throw_failures(left);
  };
  if constexpr (std::is_void_v<result>) {
    try {
      const detail::surrounded within(mine.state().within(detail::surrounded::current().values));
      std::forward<Body>(body)(mine);
    } catch (...) {
      left = mine.state().keep_caught();
    }
    finish();
  } else {
    using kept = std::conditional_t<std::is_reference_v<result>, std::add_pointer_t<std::remove_reference_t<result>>,
                                    std::remove_const_t<result>>;
    std::optional<kept> returned;
    try {
      const detail::surrounded within(mine.state().within(detail::surrounded::current().values));
      if constexpr (std::is_reference_v<result>) {
        returned.emplace(&std::forward<Body>(body)(mine));
      } else {
        returned.emplace(std::forward<Body>(body)(mine));
      }
    } catch (...) {
      left = mine.state().keep_caught();
    }
    finish();
    if constexpr (std::is_reference_v<result>) {
      return static_cast<result>(**returned);
    } else {
      return *std::move(returned);
    }
  }
}
template <class Body>
auto with_scope(Body&& body) -> std::invoke_result_t<Body, scope&> {
  return with_scope(scope_options(), std::forward<Body>(body));
}

}  // namespace ramie
