// Futures and promises, as in <future>: a value that will be there, or the exception instead.
//
// Names, signatures and meaning are those of the standard library, with its future_error, future_errc and
// future_status. What differs:
//
//   - waits block the calling fiber, not its worker (on a thread that runs no fiber: the thread), and wait(limits) may
//     be cancelled;
//   - no future's destructor waits, also not that of async() (async.hpp);
//   - use of an object without a state throws future_error(no_state) everywhere, where the standard leaves some of it
//     undefined;
//   - of two calls of set_value() at once one throws promise_already_satisfied, also where the value's constructor
//     throws in the other one;
//   - what has to do with the end of a thread is left out: set_value_at_thread_exit(), set_exception_at_thread_exit(),
//     make_ready_at_thread_exit(). A fiber has many threads, and its result has join().
//
// Everything done before the value was given is visible to those that get it. Waiters are woken in the order in which
// they came. As in the standard, one object is for one thread or fiber at a time; a future and its promise are two.
#pragma once

#include <ramie/sync/future_state.hpp>

#include <exception>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

namespace ramie {

using std::future_category;
using std::future_errc;
using std::future_error;
using std::future_status;

template <class T>
class shared_future;
template <class T>
class promise;

namespace detail {

/// Makes a future of a state, of which it becomes an owner.
struct future_access {
  template <class Future, class State>
  static Future make(state_owner<State> of) {
    return Future(std::move(of));
  }
};

/// What both kinds of futures have.
template <class T>
class basic_future {
 public:
  /// Whether there is a state to wait for.
  [[nodiscard]] bool valid() const noexcept { return static_cast<bool>(m_state); }
  /// Until the value or the exception is there. Two switches, where it has to wait.
  void wait() const { existing(m_state).wait(); }
  /// The same, or until one of the limits: timed_out or cancelled. A deferred function runs to its end whatever the
  /// limits are. Throws std::bad_alloc where there is no room for the deadline.
  [[nodiscard]] wake_reason wait(const wait_limits& limits) const { return existing(m_state).wait(limits); }
  template <class Rep, class Period>
  future_status wait_for(const std::chrono::duration<Rep, Period>& time) const {
    return status_after(time);
  }
  template <class Clock, class Duration>
  future_status wait_until(const std::chrono::time_point<Clock, Duration>& when) const {
    return status_after(when);
  }

 protected:
  using owner = state_owner<future_state<T>>;

  basic_future() = default;
  explicit basic_future(owner of) : m_state(std::move(of)) {}

  owner m_state;

 private:
  template <class Limit>
  future_status status_after(const Limit& limit) const {
    future_state<T>& state = existing(m_state);
    if (state.is_ready()) return future_status::ready;
    if (state.is_deferred()) return future_status::deferred;
    return state.wait(wait_limits(limit)) == wake_reason::woken ? future_status::ready : future_status::timeout;
  }
};

}  // namespace detail

/// The one receiver of a value.
template <class T>
class future : public detail::basic_future<T> {
  using base = detail::basic_future<T>;

 public:
  future() noexcept = default;
  future(future&&) noexcept = default;
  future& operator=(future&&) noexcept = default;
  future(const future&) = delete;
  future& operator=(const future&) = delete;
  ~future() = default;

  /// Waits, and returns the value or throws the exception. Once: the future has no state afterwards.
  T get() {
    detail::existing(this->m_state).wait();
    const typename base::owner last = std::move(this->m_state);
    last->throw_if_failed();
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(*last->value());
    } else if constexpr (!std::is_void_v<T>) {
      return std::move(last->value());
    }
  }
  /// For several receivers; this one has no state afterwards.
  shared_future<T> share() noexcept { return shared_future<T>(std::move(*this)); }

 private:
  friend struct detail::future_access;
  friend class shared_future<T>;
  explicit future(typename base::owner of) : base(std::move(of)) {}
};

/// One of several receivers of a value. Copies may be used at the same time, each by one thread or fiber.
template <class T>
class shared_future : public detail::basic_future<T> {
  using base = detail::basic_future<T>;
  using result =
      std::conditional_t<std::is_void_v<T> || std::is_reference_v<T>, T, std::add_lvalue_reference_t<const T>>;

 public:
  shared_future() noexcept = default;
  shared_future(const shared_future&) noexcept = default;
  shared_future(shared_future&&) noexcept = default;
  shared_future(future<T>&& other) noexcept  // NOLINT(google-explicit-constructor): as the standard's
      : base(std::move(other.m_state)) {}
  shared_future& operator=(const shared_future&) noexcept = default;
  shared_future& operator=(shared_future&&) noexcept = default;
  ~shared_future() = default;

  /// Waits, and returns the value or throws the exception; any number of times.
  result get() const {
    detail::future_state<T>& state = detail::existing(this->m_state);
    state.wait();
    state.throw_if_failed();
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(*state.value());
    } else if constexpr (!std::is_void_v<T>) {
      return state.value();
    }
  }
};

namespace detail {

/// What promises of all types have.
template <class T>
class basic_promise {
 public:
  basic_promise() : m_state(new plain_state<T>) {}
  template <class Allocator>
  basic_promise(std::allocator_arg_t /*tag*/, const Allocator& from)
      : m_state(allocated_state<T, Allocator>::make(from)) {}
  basic_promise(basic_promise&& other) noexcept
      : m_state(std::move(other.m_state)), m_has_future(std::exchange(other.m_has_future, false)) {}
  basic_promise& operator=(basic_promise&& other) noexcept {
    basic_promise taken(std::move(other));
    swap(taken);
    return *this;
  }
  basic_promise(const basic_promise&) = delete;
  basic_promise& operator=(const basic_promise&) = delete;
  /// Where no value was given, the future gets future_error(broken_promise).
  ~basic_promise() {
    if (m_state && m_has_future) m_state->abandon();
  }

  /// Once.
  future<T> get_future() {
    existing(m_state);
    if (std::exchange(m_has_future, true)) throw_future_error(std::future_errc::future_already_retrieved);
    return future_access::make<future<T>>(m_state);
  }
  void set_exception(std::exception_ptr error) { existing(m_state).set_exception(std::move(error)); }

 protected:
  void swap(basic_promise& other) noexcept {
    std::swap(m_state, other.m_state);
    std::swap(m_has_future, other.m_has_future);
  }

  state_owner<future_state<T>> m_state;

 private:
  bool m_has_future = false;
};

}  // namespace detail

/// The giver of a value: set_value() or set_exception(), once, from any fiber or thread. Both block nothing, and wake
/// those that wait.
template <class T>
class promise : public detail::basic_promise<T> {
 public:
  using detail::basic_promise<T>::basic_promise;
  void swap(promise& other) noexcept { detail::basic_promise<T>::swap(other); }

  void set_value(const T& value) { detail::existing(this->m_state).set_value(value); }
  void set_value(T&& value) { detail::existing(this->m_state).set_value(std::move(value)); }
};

template <class T>
class promise<T&> : public detail::basic_promise<T&> {
 public:
  using detail::basic_promise<T&>::basic_promise;
  void swap(promise& other) noexcept { detail::basic_promise<T&>::swap(other); }

  void set_value(T& value) { detail::existing(this->m_state).set_value(detail::address_of(value)); }
};

template <>
class promise<void> : public detail::basic_promise<void> {
 public:
  using detail::basic_promise<void>::basic_promise;
  void swap(promise& other) noexcept { detail::basic_promise<void>::swap(other); }

  void set_value() { detail::existing(this->m_state).set_value(); }
};

template <class T>
void swap(promise<T>& left, promise<T>& right) noexcept {
  left.swap(right);
}

}  // namespace ramie

template <class T, class Allocator>
struct std::uses_allocator<ramie::promise<T>, Allocator> : std::true_type {};
