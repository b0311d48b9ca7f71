// Functions that run as fibers, with a future for their result, as std::async.
#pragma once

#include <ramie/base/invoke.hpp>
#include <ramie/scheduler/spawn.hpp>
#include <ramie/sync/future.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ramie {

/// As std::launch, which cannot be the same: a call of async() with it would mean std::async too.
enum class launch : std::uint8_t { async = 1, deferred = 2 };
constexpr launch operator|(launch left, launch right) noexcept {
  return static_cast<launch>(static_cast<unsigned>(left) | static_cast<unsigned>(right));
}
constexpr launch operator&(launch left, launch right) noexcept {
  return static_cast<launch>(static_cast<unsigned>(left) & static_cast<unsigned>(right));
}
constexpr launch operator^(launch left, launch right) noexcept {
  return static_cast<launch>(static_cast<unsigned>(left) ^ static_cast<unsigned>(right));
}
constexpr launch operator~(launch of) noexcept { return of ^ static_cast<launch>(0xff); }
constexpr launch& operator|=(launch& left, launch right) noexcept { return left = left | right; }
constexpr launch& operator&=(launch& left, launch right) noexcept { return left = left & right; }
constexpr launch& operator^=(launch& left, launch right) noexcept { return left = left ^ right; }

namespace detail {

/// A call with its arguments, all of them copies: made where async() is called, called once.
template <class Function, class... Arguments>
class kept_call {
 public:
  using result = std::invoke_result_t<Function, Arguments...>;

  template <class GivenFunction, class... GivenArguments>
  explicit kept_call(GivenFunction&& function, GivenArguments&&... arguments)
      : m_parts(std::forward<GivenFunction>(function), std::forward<GivenArguments>(arguments)...) {}

  result operator()() {
    return std::apply(
        [](Function&& function, Arguments&&... arguments) -> result {
          return call_with(std::move(function), std::move(arguments)...);
        },
        std::move(m_parts));
  }

 private:
  std::tuple<Function, Arguments...> m_parts;
};

/// Called by the first that waits for it.
template <class Call>
class deferred_state final : public future_state<typename Call::result> {
  using base = future_state<typename Call::result>;

 public:
  template <class... Given>
  explicit deferred_state(Given&&... given) : base(table), m_call(std::forward<Given>(given)...) {}
  ~deferred_state() { end_call(); }

 private:
  static void destroy(future_state_base& self) noexcept { delete static_cast<deferred_state*>(&self); }
  static void run(future_state_base& self) noexcept {
    auto& me = static_cast<deferred_state&>(self);
    me.set_result_of([&me]() -> typename Call::result {
      // What was captured is gone before the value is there.
      const struct ending {
        deferred_state& of;
        ~ending() { of.end_call(); }
      } at_end{me};
      return me.m_call();
    });
  }
  void end_call() {
    if (m_is_there) end_at(&m_call);
    m_is_there = false;
  }
  static constexpr future_state_base::operations table{&destroy, &run};

  bool m_is_there = true;
  union {
    Call m_call;
  };
};

/// A fiber's work, whose result goes to a future and not to a handle.
template <class Call>
class async_task final : public task_with_result<void> {
  using state = future_state<typename Call::result>;

 public:
  using result = void;
  struct parts {
    Call call;
    state_owner<state> to;
  };
  async_task(parts given, runtime& home)
      : task_with_result<void>(table, home), m_call(std::move(given.call)), m_to(std::move(given.to)) {}
  ~async_task() {}

 private:
  static void run_typed(task& self) noexcept {
    auto& me = static_cast<async_task&>(self);
    // What was captured is gone before the value is there.
    me.m_to->set_result_of(
        [&me]() -> typename Call::result {
          const struct ending {
            Call& of;
            ~ending() { end_at(&of); }
          } at_end{me.m_call};
          return me.m_call();
        },
        &me);
    me.end();
  }
  // Without a stack the future gets the reason.
  static void refuse_typed(task& self, std::exception_ptr reason) noexcept {
    auto& me = static_cast<async_task&>(self);
    end_at(&me.m_call);
    reason != nullptr ? me.m_to->publish_error(std::move(reason)) : me.m_to->publish();
    me.end();
  }
  static void destroy_typed(task& self) noexcept { end_at(&static_cast<async_task&>(self)); }
  void end() {
    end_at(&m_to);
    this->keep_result_of([] {});
  }
  static constexpr task::operations table{&run_typed, &refuse_typed, &destroy_typed, sizeof(async_task)};

  // From construction until run() or refuse():
  union {
    Call m_call;
  };
  union {
    state_owner<state> m_to;
  };
};

template <class Call, class... Given>
future<typename Call::result> start_async(Given&&... given) {
  using made = async_task<Call>;
  using value = typename Call::result;
  state_owner<future_state<value>> state(new plain_state<value>);
  static_cast<void>(state->take_right());  // it is the fiber's
  typename made::parts parts{Call(std::forward<Given>(given)...), state};
  if (worker* const here = worker::current()) {
    make_and_submit<made>(here->home(), here->allocate_task(sizeof(made)), std::move(parts), [](task& fresh) {
      worker::current()->push_task(fresh);
    }).detach();
  } else {
    runtime& home = runtime_here();
    make_and_submit<made>(home, home.allocate_task(sizeof(made)), std::move(parts), [&home](task& fresh) {
      home.submit(fresh);
    }).detach();
  }
  return future_access::make<future<value>>(std::move(state));
}

template <class Call, class... Given>
future<typename Call::result> start_deferred(Given&&... given) {
  using value = typename Call::result;
  return future_access::make<future<value>>(
      state_owner<future_state<value>>(new deferred_state<Call>(std::forward<Given>(given)...)));
}

template <class Function, class... Arguments>
using call_of = kept_call<std::decay_t<Function>, std::decay_t<Arguments>...>;

// Not call_of's: that is no type for an overload that is not meant.
template <class Function, class... Arguments>
using async_result = std::invoke_result_t<std::decay_t<Function>, std::decay_t<Arguments>...>;

[[noreturn, gnu::cold]] void no_launch_policy();

}  // namespace detail

/// Calls function(arguments...), of which it keeps copies as std::async does: with launch::async as a fiber of the
/// calling fiber's runtime (on a thread that runs no fiber: of scheduler_init()'s); with launch::deferred alone within
/// the first wait() or get(), by the fiber or thread that waits. With both, or without a policy, as launch::async.
///
/// The future's destructor does not wait, unlike that of std::async's: a fiber is no thread that must be joined before
/// the program ends, its runtime waits for it; and a destructor that waits makes `async(f); async(g);` one after the
/// other, and cleanup wait for work that nobody wants any more. So what the function refers to must live as long as the
/// function runs, not only as long as the future.
///
/// Throws std::bad_alloc, what copying throws, and misuse where there is no runtime, or no policy. A fiber that gets no
/// stack makes get() throw spawn_error. Costs an allocation more than spawn(), whose handle is the cheaper future.
template <class Function, class... Arguments>
[[nodiscard]] auto async(launch policy, Function&& function, Arguments&&... arguments)
    -> future<detail::async_result<Function, Arguments...>> {
  using call = detail::call_of<Function, Arguments...>;
  if ((policy & launch::async) == launch::async) {
    return detail::start_async<call>(std::forward<Function>(function), std::forward<Arguments>(arguments)...);
  }
  if ((policy & launch::deferred) != launch::deferred) detail::no_launch_policy();
  return detail::start_deferred<call>(std::forward<Function>(function), std::forward<Arguments>(arguments)...);
}

template <class Function, class... Arguments>
  requires(!std::is_same_v<std::decay_t<Function>, launch>)
[[nodiscard]] auto async(Function&& function, Arguments&&... arguments)
    -> future<detail::async_result<Function, Arguments...>> {
  return detail::start_async<detail::call_of<Function, Arguments...>>(std::forward<Function>(function),
                                                                      std::forward<Arguments>(arguments)...);
}

}  // namespace ramie
