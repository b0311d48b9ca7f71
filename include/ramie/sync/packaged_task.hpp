// Functions whose results go to a future, as std::packaged_task.
#pragma once

#include <ramie/base/invoke.hpp>
#include <ramie/sync/future.hpp>

#include <functional>
#include <type_traits>
#include <utility>

namespace ramie {

template <class Signature>
class packaged_task;

namespace detail {

template <class Result, class... Arguments>
class callable_state : public future_state<Result> {
 public:
  explicit callable_state(const future_state_base::operations& typed) : future_state<Result>(typed) {}
  virtual void call(Arguments... arguments) = 0;  // by the holder of the right
  virtual state_owner<callable_state> renewed() = 0;

 protected:
  ~callable_state() = default;
};

template <class Function, class Result, class... Arguments>
class typed_callable_state final : public callable_state<Result, Arguments...> {
  using base = callable_state<Result, Arguments...>;

 public:
  template <class Given>
  explicit typed_callable_state(Given&& function) : base(table), m_function(std::forward<Given>(function)) {}

  void call(Arguments... arguments) override {
    this->set_result_of([&]() -> Result {
      if constexpr (std::is_void_v<Result>) {
        static_cast<void>(call_with(m_function, std::forward<Arguments>(arguments)...));
      } else {
        return call_with(m_function, std::forward<Arguments>(arguments)...);
      }
    });
  }
  state_owner<base> renewed() override { return state_owner<base>(new typed_callable_state(std::move(m_function))); }

 private:
  static void destroy(future_state_base& self) noexcept { delete static_cast<typed_callable_state*>(&self); }
  static constexpr future_state_base::operations table{&destroy, nullptr};

  Function m_function;
};

template <class Function>
struct signature_of_std_function;
template <class Signature>
struct signature_of_std_function<std::function<Signature>> {
  using type = Signature;
};

}  // namespace detail

/// A function that can be called once, and its future. Calls may come from any fiber or thread, one at a time.
template <class Result, class... Arguments>
class packaged_task<Result(Arguments...)> {
 public:
  packaged_task() noexcept = default;
  template <class Function>
    requires(!std::is_same_v<std::remove_cvref_t<Function>, packaged_task> &&
             std::is_invocable_r_v<Result, std::decay_t<Function>&, Arguments...>)
  explicit packaged_task(Function&& function)
      : m_state(new detail::typed_callable_state<std::decay_t<Function>, Result, Arguments...>(
            std::forward<Function>(function))) {}
  packaged_task(packaged_task&& other) noexcept
      : m_state(std::move(other.m_state)), m_has_future(std::exchange(other.m_has_future, false)) {}
  packaged_task& operator=(packaged_task&& other) noexcept {
    packaged_task taken(std::move(other));
    swap(taken);
    return *this;
  }
  packaged_task(const packaged_task&) = delete;
  packaged_task& operator=(const packaged_task&) = delete;
  /// Where the function was not called, the future gets future_error(broken_promise).
  ~packaged_task() {
    if (m_state && m_has_future) m_state->abandon();
  }

  void swap(packaged_task& other) noexcept {
    std::swap(m_state, other.m_state);
    std::swap(m_has_future, other.m_has_future);
  }
  [[nodiscard]] bool valid() const noexcept { return static_cast<bool>(m_state); }
  /// Once.
  future<Result> get_future() {
    detail::existing(m_state);
    if (std::exchange(m_has_future, true)) detail::throw_future_error(std::future_errc::future_already_retrieved);
    m_state->add_owner();
    return detail::future_access::make<future<Result>>(detail::state_owner<detail::future_state<Result>>(&*m_state));
  }
  /// The future gets what the function returns or throws. Once: throws future_error(promise_already_satisfied).
  void operator()(Arguments... arguments) {
    if (!detail::existing(m_state).take_right()) {
      detail::throw_future_error(std::future_errc::promise_already_satisfied);
    }
    const auto used = m_state;  // the function may destroy this object
    used->call(std::forward<Arguments>(arguments)...);
  }
  /// As new, with the same function; a future that waits gets broken_promise.
  void reset() {
    packaged_task next;
    next.m_state = detail::existing(m_state).renewed();
    swap(next);
  }

 private:
  detail::state_owner<detail::callable_state<Result, Arguments...>> m_state;
  bool m_has_future = false;
};

template <class Result, class... Arguments>
packaged_task(Result (*)(Arguments...)) -> packaged_task<Result(Arguments...)>;
template <class Function, class Like = decltype(std::function{std::declval<Function>()})>
packaged_task(Function) -> packaged_task<typename detail::signature_of_std_function<Like>::type>;

template <class Result, class... Arguments>
void swap(packaged_task<Result(Arguments...)>& left, packaged_task<Result(Arguments...)>& right) noexcept {
  left.swap(right);
}

}  // namespace ramie
