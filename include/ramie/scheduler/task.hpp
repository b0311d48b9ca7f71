// A unit of work before, while and after it runs: closure, result, and the waiter for the result.
//
// It has no stack. Its memory holds first the closure and then the result, and lives until both sides are done with it:
// the worker that runs it, and the handle. The two sides meet in its join word.
#pragma once

#include <ramie/base/invoke.hpp>
#include <ramie/base/lifetime.hpp>
#include <ramie/scheduler/join_word.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/scheduler/work_item.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ramie {

class runtime;

class task : public work_item {
 public:
  /// The operations of a typed task. A task has one pointer to them; a virtual table would have to be its first member.
  struct operations {
    void (*run)(task&) noexcept;                         // runs and destroys the closure, keeps the result
    void (*refuse)(task&, std::exception_ptr) noexcept;  // destroys the closure unrun, keeps the error
    void (*destroy)(task&) noexcept;                     // destroys the result and the task itself; not the memory.
                                                         // Ends the process if an exception was never taken
    std::size_t size;                                    // of its memory
  };

  task(const operations& typed, runtime& home) : work_item(work_kind::task), m_operations(&typed), m_home(&home) {}
  task(const task&) = delete;
  task& operator=(const task&) = delete;

  void run() noexcept { m_operations->run(*this); }
  void refuse(std::exception_ptr reason) noexcept { m_operations->refuse(*this, std::move(reason)); }
  [[nodiscard]] runtime& home() const { return *m_home; }
  [[nodiscard]] std::size_t size() const { return m_operations->size; }
  void destroy() noexcept { m_operations->destroy(*this); }

  /// After run() or refuse(). True: nobody will join, so the caller frees the task. Otherwise it must not touch it.
  [[nodiscard]] bool complete() noexcept {
    return m_join.complete([](work_item& waiter) { wake(waiter); });
  }

  [[nodiscard]] bool is_done() const { return m_join.is_done(); }

  /// The handle's side, once. False: it is done already, nobody will wake the waiter.
  [[nodiscard]] bool set_waiter(work_item& waiter) noexcept { return m_join.set_waiter(waiter); }

  /// The same for a wait that may end otherwise: see join_word.hpp.
  [[nodiscard]] bool set_arm(detail::wait_arm<work_item>& mine) noexcept { return m_join.set_arm(mine); }
  void take_back(detail::wait_arm<work_item>& mine) noexcept { m_join.take_back(mine); }

  /// The handle's side, instead of a join. True: it is done already, so the caller frees the task.
  [[nodiscard]] bool detach() noexcept { return m_join.detach(); }

  [[nodiscard]] std::uint64_t id() const { return m_id; }
  [[nodiscard]] std::string_view name() const { return m_name != nullptr ? m_name : ""; }
  [[nodiscard]] std::uint8_t stack_class() const { return m_stack_class; }
  void set_id(std::uint64_t id) { m_id = id; }
  void set_name(std::string_view name);
  void set_stack_class(std::uint8_t stack_class) { m_stack_class = stack_class; }

 protected:
  ~task() {
    if (m_name != nullptr) [[unlikely]]
      free_name();
  }

 private:
  void free_name() noexcept;

  std::uint8_t m_stack_class = 0;
  const operations* m_operations;
  runtime* m_home;
  detail::join_word<work_item> m_join;
  std::uint64_t m_id = 0;
  const char* m_name = nullptr;  // owned
};

namespace detail {

/// The exception that has left the function of `fiber`, or of a job (null). Ends the process if it is no exception:
/// pthread_exit and pthread_cancel unwind the stack like one, and end the kernel thread.
[[nodiscard, gnu::cold]] std::exception_ptr caught_in(const task* fiber) noexcept;

/// Ends the process: `error` left a fiber that nobody joins.
[[noreturn]] void unjoined_exception(const task& thrower, const std::exception_ptr& error) noexcept;

/// The part that the handle knows: the result, whatever closure made it.
template <class Result>
class task_with_result : public task {
  struct nothing {};
  // void and references have no object of their own to keep.
  using kept = std::conditional_t<
      std::is_void_v<Result>, nothing,
      std::conditional_t<std::is_reference_v<Result>, std::add_pointer_t<std::remove_reference_t<Result>>, Result>>;

 public:
  task_with_result(const operations& typed, runtime& home) : task(typed, home) {}
  ~task_with_result() {
    if (m_outcome == outcome::value) end_at(&m_value);
    if (m_outcome == outcome::error) {
      if (m_error != nullptr) unjoined_exception(*this, m_error);  // nobody took it
      end_at(&m_error);
    }
  }

  /// Calls `function` and keeps what it returns or throws.
  template <class Function>
  void keep_result_of(Function&& function) noexcept {
    try {
      if constexpr (std::is_void_v<Result>) {
        call_with(std::forward<Function>(function));
        begin_at(&m_value);
      } else if constexpr (std::is_reference_v<Result>) {
        begin_at(&m_value, address_of(call_with(std::forward<Function>(function))));
      } else {
        begin_at(&m_value, call_with(std::forward<Function>(function)));
      }
      m_outcome = outcome::value;
    } catch (...) {
      keep_error(caught_in(this));
    }
  }

  void keep_error(std::exception_ptr error) noexcept {
    begin_at(&m_error, std::move(error));
    m_outcome = outcome::error;
  }

  /// After completion, instead of take(): its exception, or null. What it returned goes with the task.
  [[nodiscard]] static std::exception_ptr take_error(task& of) noexcept {
    auto& me = static_cast<task_with_result&>(of);
    return me.m_outcome == outcome::error ? std::exchange(me.m_error, nullptr) : nullptr;
  }

  /// After completion, once. Returns the result or throws the exception.
  Result take() {
    if (m_outcome == outcome::error) std::rethrow_exception(std::exchange(m_error, nullptr));
    if constexpr (std::is_reference_v<Result>) return static_cast<Result>(*m_value);
    if constexpr (!std::is_void_v<Result> && !std::is_reference_v<Result>) return std::move(m_value);
  }

 private:
  enum class outcome : std::uint8_t { none, value, error };
  outcome m_outcome = outcome::none;
  union {
    kept m_value;
    std::exception_ptr m_error;
  };
};

template <class Function>
class typed_task final : public task_with_result<std::invoke_result_t<Function>> {
  using base = task_with_result<std::invoke_result_t<Function>>;

 public:
  using result = std::invoke_result_t<Function>;
  template <class Argument>
  typed_task(Argument&& function, runtime& home) : base(table, home), m_function(std::forward<Argument>(function)) {}
  ~typed_task() {}

 private:
  static void run_typed(task& self) noexcept {
    auto& me = static_cast<typed_task&>(self);
    me.keep_result_of(std::move(me.m_function));
    end_at(&me.m_function);  // before completion: its captures are gone when the join returns
  }
  static void refuse_typed(task& self, std::exception_ptr reason) noexcept {
    auto& me = static_cast<typed_task&>(self);
    end_at(&me.m_function);
    me.keep_error(std::move(reason));
  }
  static void destroy_typed(task& self) noexcept { end_at(&static_cast<typed_task&>(self)); }
  static constexpr task::operations table{&run_typed, &refuse_typed, &destroy_typed, sizeof(typed_task)};

  union {
    Function m_function;  // from construction until run() or refuse()
  };
};

/// Stands in a fiber for the calls that it runs, which have no task, so that a question for the fiber's name finds one.
/// Never run.
class call_task final : public task {
 public:
  explicit call_task(runtime& home) : task(table, home) { set_name("call"); }

 private:
  static constexpr task::operations table{nullptr, nullptr, nullptr, 0};
};

}  // namespace detail
}  // namespace ramie
