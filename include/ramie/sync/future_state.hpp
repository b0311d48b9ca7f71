// Not for users.
//
// What a promise, a packaged task or an asynchronous function shares with its futures: the value or the exception, and
// what future_core.hpp has.
#pragma once

#include <ramie/base/lifetime.hpp>
#include <ramie/scheduler/task.hpp>
#include <ramie/sync/future_core.hpp>
#include <ramie/sync/wait_in.hpp>

#include <cstdint>
#include <exception>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

namespace ramie::detail {

[[noreturn, gnu::cold]] void throw_future_error(std::future_errc code);

/// The part that does not know the type of the value.
class future_state_base : public future_core<> {
 public:
  /// What the objects that are made of it have of their own.
  struct operations {
    void (*destroy)(future_state_base&) noexcept;  // frees its memory too
    void (*run)(future_state_base&) noexcept;      // null: not deferred. Gives the value
  };

  explicit future_state_base(const operations& typed) : m_operations(&typed) {}

  void let_go() noexcept {
    if (drop_owner()) m_operations->destroy(*this);
  }

  /// Whether the value is made by the first that waits for it.
  [[nodiscard]] bool is_deferred() const { return m_operations->run != nullptr; }

  /// Until the value is there, or one of the limits. A deferred function runs to its end whatever they are.
  void wait() {
    if (is_ready()) return;
    if (!run_if_deferred()) {
      wait_node<> mine;
      wait_in(done(), mine, "wait()");
    }
  }
  [[nodiscard]] wake_reason wait(const wait_limits& limits) {
    if (is_ready() || run_if_deferred()) return wake_reason::woken;
    wait_node<> mine;
    return wait_in(done(), mine, "wait()", limits);
  }

  /// The holder of the right.
  void publish() noexcept {
    future_core<>::publish([](work_item& waiter) { wake(waiter); });
  }
  void publish_error(std::exception_ptr error) noexcept {
    m_error = std::move(error);
    publish();
  }

  void set_exception(std::exception_ptr error) {
    if (!take_right()) throw_future_error(std::future_errc::promise_already_satisfied);
    publish_error(std::move(error));
  }
  /// By the only one that could give the value.
  void abandon() noexcept;

  /// When the value is there.
  void throw_if_failed() const {
    if (m_error != nullptr) std::rethrow_exception(m_error);
  }
  [[nodiscard]] bool has_failed() const { return m_error != nullptr; }

 protected:
  ~future_state_base() = default;

 private:
  // Returns whether the value is there then.
  bool run_if_deferred() {
    if (!is_deferred() || !take_right()) return false;
    m_operations->run(*this);
    return true;
  }

  const operations* m_operations;
  std::exception_ptr m_error;
};

template <class T>
class future_state : public future_state_base {
  struct nothing {};

 public:
  // void and references have no object of their own to keep.
  using kept = std::conditional_t<std::is_void_v<T>, nothing,
                                  std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*, T>>;

  explicit future_state(const future_state_base::operations& typed) : future_state_base(typed) {}
  ~future_state() {
    if (m_is_there) end_at(address_of(m_value));
  }

  /// kept(arguments...) is the value; what its constructor throws goes to the caller, and nothing has changed.
  template <class... Arguments>
  void set_value(Arguments&&... arguments) {
    if (!take_right()) throw_future_error(std::future_errc::promise_already_satisfied);
    try {
      keep(std::forward<Arguments>(arguments)...);
    } catch (...) {
      give_back_right();
      throw;
    }
    publish();
  }

  /// The holder of the right: the value is what function() returns or throws. `fiber`: whose function it is, or null.
  template <class Function>
  void set_result_of(Function&& function, const task* fiber = nullptr) noexcept {
    try {
      if constexpr (std::is_void_v<T>) {
        std::forward<Function>(function)();
        keep();
      } else if constexpr (std::is_reference_v<T>) {
        T result = std::forward<Function>(function)();
        keep(address_of(result));
      } else {
        keep(std::forward<Function>(function)());
      }
    } catch (...) {
      return publish_error(caught_in(fiber));
    }
    publish();
  }

  /// When the value is there.
  [[nodiscard]] kept& value() { return m_value; }

 private:
  template <class... Arguments>
  void keep(Arguments&&... arguments) {
    begin_at(address_of(m_value), std::forward<Arguments>(arguments)...);
    m_is_there = true;
  }

  bool m_is_there = false;
  union {
    kept m_value;
  };
};

/// An owner of a state, or none.
template <class State>
class state_owner {
 public:
  state_owner() = default;
  /// Takes over an ownership that exists.
  explicit state_owner(State* of) : m_state(of) {}
  state_owner(const state_owner& other) noexcept : m_state(other.m_state) {
    if (m_state != nullptr) m_state->add_owner();
  }
  state_owner(state_owner&& other) noexcept : m_state(std::exchange(other.m_state, nullptr)) {}
  state_owner& operator=(state_owner other) noexcept {
    std::swap(m_state, other.m_state);
    return *this;
  }
  ~state_owner() {
    if (m_state != nullptr) m_state->let_go();
  }

  explicit operator bool() const { return m_state != nullptr; }
  State* operator->() const { return m_state; }
  State& operator*() const { return *m_state; }
  [[nodiscard]] State* release() { return std::exchange(m_state, nullptr); }

 private:
  State* m_state = nullptr;
};

/// The state, or future_error(no_state).
template <class State>
State& existing(const state_owner<State>& of) {
  if (!of) throw_future_error(std::future_errc::no_state);
  return *of;
}

/// The state of a promise, in memory of its own.
template <class T>
class plain_state final : public future_state<T> {
 public:
  plain_state() : future_state<T>(table) {}

 private:
  static void destroy(future_state_base& self) noexcept { delete static_cast<plain_state*>(&self); }
  static constexpr future_state_base::operations table{&destroy, nullptr};
};

/// The same in memory of an allocator.
template <class T, class Allocator>
class allocated_state final : public future_state<T> {
  using traits = typename std::allocator_traits<Allocator>::template rebind_traits<allocated_state>;
  using allocator = typename traits::allocator_type;

 public:
  explicit allocated_state(const allocator& from) : future_state<T>(table), m_allocator(from) {}

  static state_owner<future_state<T>> make(const Allocator& from) {
    allocator own(from);
    auto place = traits::allocate(own, 1);
    return state_owner<future_state<T>>(begin_at(address_of(*place), own));
  }

 private:
  static void destroy(future_state_base& self) noexcept {
    auto& me = static_cast<allocated_state&>(self);
    allocator own(me.m_allocator);
    const auto place = std::pointer_traits<typename traits::pointer>::pointer_to(me);
    end_at(&me);
    traits::deallocate(own, place, 1);
  }
  static constexpr future_state_base::operations table{&destroy, nullptr};

  [[no_unique_address]] allocator m_allocator;
};

}  // namespace ramie::detail
