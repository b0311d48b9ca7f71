// select: waits for several things at once, and does one of them.
#pragma once

#include <ramie/scheduler/spawn.hpp>
#include <ramie/scheduler/wait.hpp>
#include <ramie/sync/channel.hpp>
#include <ramie/sync/channel_ends.hpp>
#include <ramie/sync/counter.hpp>
#include <ramie/sync/semaphore.hpp>
#include <ramie/sync/wait_in.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ramie {

/// What select() wants of a clause: of an object's own, too. It lives in the call of select(), and never moves.
///
///     bool try_now()       does it, if that is possible without waiting; true: done
///     bool enqueue(record) arms it: from now on the object may claim the record, if it does that of this clause in the
///                          same step. False: the record is decided, by this clause or otherwise. Must neither switch
///                          nor throw
///     void withdraw()      after enqueue(), however the wait has ended; nobody touches clause or record afterwards.
///                          Must neither switch nor throw
///     bool is_chosen()     after withdraw(), where some clause has ended the wait: whether it was this one
///     void run()           after try_now(), or where it is chosen
///     const wait_limits* limits()   null, or a deadline which chooses it
///     static constexpr bool is_exact       is_chosen() is true for the one alone that has claimed the record. Else it
///                                          says that something is so, which was not changed by the select
///     static constexpr bool is_otherwise   it is done where no other one can be done at once
template <class Clause>
concept select_clause = requires(Clause& of, detail::wait_record<work_item>& record) {
  { of.try_now() } -> std::same_as<bool>;
  { of.enqueue(record) } -> std::same_as<bool>;
  of.withdraw();
  { of.is_chosen() } -> std::same_as<bool>;
  of.run();
  { of.limits() } -> std::same_as<const wait_limits*>;
  { Clause::is_exact } -> std::convertible_to<bool>;
  { Clause::is_otherwise } -> std::convertible_to<bool>;
};

namespace detail {

/// Any fiber or thread; some nanoseconds.
[[nodiscard]] unsigned random_start(unsigned clauses);
/// Ends the wait by claiming the record, if it is the first to do so. The waiter runs still.
void claim_running(wait_record<work_item>& of);
[[nodiscard]] wake_reason wait_for_one(wait_record<work_item>& of, function_ref<void()> enqueue,
                                       function_ref<void()> withdraw, const wait_limits* limits);

struct clause_defaults {
  clause_defaults() = default;
  clause_defaults(const clause_defaults&) = delete;  // objects point to it
  clause_defaults& operator=(const clause_defaults&) = delete;
  static constexpr bool is_exact = false;
  static constexpr bool is_otherwise = false;
  static const wait_limits* limits() { return nullptr; }
};

template <class T, class Handler>
class receive_clause : public clause_defaults {
 public:
  static constexpr bool is_exact = true;
  receive_clause(channel<T>& from, Handler&& handler)
      : m_from(channel_access::core_of(from)), m_handler(std::forward<Handler>(handler)) {}
  bool try_now() { return m_from.may_receive() && m_from.try_receive(m_item) != channel_status::empty; }
  bool enqueue(wait_record<work_item>& of) {
    m_mine.set_record(of);
    return m_from.enqueue(m_mine);
  }
  void withdraw() {
    if (!m_mine.is_claimed()) m_from.withdraw(m_mine);
  }
  [[nodiscard]] bool is_chosen() const { return m_mine.is_claimed(); }
  void run() { std::forward<Handler>(m_handler)(std::move(m_item)); }

 private:
  channel_object<T>& m_from;
  Handler m_handler;
  std::optional<T> m_item;
  typename channel_object<T>::receiving m_mine{m_item};
};

// Kept: T, for a copy, or T&&, the caller's.
template <class T, class Kept, class Handler>
class send_clause : public clause_defaults {
 public:
  static constexpr bool is_exact = true;
  template <class Item>
  send_clause(channel<T>& to, Item&& item, Handler&& handler)
      : m_to(channel_access::core_of(to)),
        m_item(std::forward<Item>(item)),
        m_handler(std::forward<Handler>(handler)) {}
  bool try_now() {
    if (!m_to.may_send()) return false;
    m_status = m_to.try_send(m_item);
    return m_status != channel_status::full;
  }
  bool enqueue(wait_record<work_item>& of) {
    m_mine.set_record(of);
    return m_to.enqueue(m_mine);
  }
  void withdraw() {
    if (!m_mine.is_claimed()) {
      m_to.withdraw(m_mine);
    } else {
      m_status = m_mine.status();
    }
  }
  [[nodiscard]] bool is_chosen() const { return m_mine.is_claimed(); }
  void run() { std::forward<Handler>(m_handler)(m_status); }

 private:
  channel_object<T>& m_to;
  Kept m_item;
  Handler m_handler;
  channel_status m_status = channel_status::full;
  typename channel_object<T>::sending m_mine{m_item};
};

// An object that keeps waiters in a wait_list, and has try_acquire().
template <class Object, class Handler>
class acquire_clause : public clause_defaults {
 public:
  static constexpr bool is_exact = true;
  acquire_clause(Object& of, Handler&& handler) : m_of(of), m_handler(std::forward<Handler>(handler)) {}
  bool try_now() { return m_of.try_acquire(); }
  bool enqueue(wait_record<work_item>& of) {
    m_mine.set_record(of);
    return m_of.enqueue(m_mine);
  }
  void withdraw() {
    if (!m_mine.is_claimed()) m_of.withdraw(m_mine);
  }
  [[nodiscard]] bool is_chosen() const { return m_mine.is_claimed(); }
  void run() { std::forward<Handler>(m_handler)(); }

 private:
  Object& m_of;
  Handler m_handler;
  wait_node<> m_mine;
};

template <class Handler>
class join_clause : public clause_defaults {
 public:
  join_clause(task& awaited, Handler&& handler) : m_awaited(awaited), m_handler(std::forward<Handler>(handler)) {}
  bool try_now() {
    if (m_awaited.is_done()) return true;
    before_join(worker::current(), m_awaited, "select()");
    return false;
  }
  bool enqueue(wait_record<work_item>& of) {
    m_arm.emplace(of);
    m_armed = m_awaited.set_arm(*m_arm);
    if (!m_armed) claim_running(of);
    return m_armed;
  }
  void withdraw() {
    if (m_armed) m_awaited.take_back(*m_arm);
  }
  [[nodiscard]] bool is_chosen() const { return m_awaited.is_done(); }
  void run() { std::forward<Handler>(m_handler)(); }

 private:
  task& m_awaited;
  Handler m_handler;
  std::optional<wait_arm<work_item>> m_arm;
  bool m_armed = false;
};

template <class Handler>
class counter_clause : public clause_defaults {
 public:
  counter_clause(counter_core<>& awaited, std::int64_t target, Handler&& handler)
      : m_awaited(awaited), m_target(target), m_handler(std::forward<Handler>(handler)) {
    if (target < 0) target_below_zero();
  }
  bool try_now() { return m_awaited.reached(m_target); }
  bool enqueue(wait_record<work_item>& of) {
    if (!m_reached) {  // it may have been when a first wait was withdrawn
      m_arm.emplace(m_target, of);
      if (m_awaited.enqueue(*m_arm)) return true;
      m_reached = true;
    }
    claim_running(of);
    return false;
  }
  void withdraw() {
    if (!m_reached) m_reached = m_arm->is_claimed() || m_awaited.withdraw(*m_arm);
  }
  [[nodiscard]] bool is_chosen() const { return m_reached; }
  void run() { std::forward<Handler>(m_handler)(); }

 private:
  counter_core<>& m_awaited;
  const std::int64_t m_target;
  Handler m_handler;
  std::optional<counter_core<>::arm> m_arm;
  bool m_reached = false;
};

/// A request to stop that ends a wait.
class stop_arm {
 public:
  explicit stop_arm(const std::stop_token& of) : m_token(of) {}
  stop_arm(const stop_arm&) = delete;
  stop_arm& operator=(const stop_arm&) = delete;
  [[nodiscard]] bool stop_requested() const { return m_token.stop_requested(); }
  // Out of line: see wait.cpp on stop_callback and the thread that destroys it.
  bool enqueue(wait_record<work_item>& of);
  void withdraw();

 private:
  struct ender {
    wait_record<work_item>& of;
    void operator()() const noexcept;
  };
  const std::stop_token& m_token;
  std::optional<std::stop_callback<ender>> m_callback;
};

template <class Handler>
class stop_clause : public clause_defaults {
 public:
  stop_clause(const std::stop_token& of, Handler&& handler) : m_arm(of), m_handler(std::forward<Handler>(handler)) {}
  bool try_now() { return m_arm.stop_requested(); }
  bool enqueue(wait_record<work_item>& of) { return m_arm.enqueue(of); }
  void withdraw() { m_arm.withdraw(); }
  [[nodiscard]] bool is_chosen() const { return m_arm.stop_requested(); }
  void run() { std::forward<Handler>(m_handler)(); }

 private:
  stop_arm m_arm;
  Handler m_handler;
};

template <class Handler>
class time_clause : public clause_defaults {
 public:
  template <class Limit>
  time_clause(const Limit& limit, Handler&& handler) : m_limits(limit), m_handler(std::forward<Handler>(handler)) {}
  bool try_now() { return m_limits.deadline() == past_deadline; }
  static bool enqueue(wait_record<work_item>& /*of*/) { return true; }
  static void withdraw() {}
  static bool is_chosen() { return false; }  // but by time
  void run() { std::forward<Handler>(m_handler)(); }
  [[nodiscard]] const wait_limits* limits() const { return &m_limits; }

 private:
  const wait_limits m_limits;
  Handler m_handler;
};

template <class Handler>
class otherwise_clause : public clause_defaults {
 public:
  static constexpr bool is_otherwise = true;
  explicit otherwise_clause(Handler&& handler) : m_handler(std::forward<Handler>(handler)) {}
  static bool try_now() { return false; }
  static bool enqueue(wait_record<work_item>& /*of*/) { return true; }
  static void withdraw() {}
  static bool is_chosen() { return false; }
  void run() { std::forward<Handler>(m_handler)(); }

 private:
  Handler m_handler;
};

struct select_access {
  template <class Result>
  static task& task_of(const join_handle<Result>& of) {
    return of.joinable_task("select()");
  }
  static counter_core<>& core_of(counter& of) { return of.m_core; }
  template <std::ptrdiff_t LeastMax>
  static semaphore_core<>& core_of(counting_semaphore<LeastMax>& of) {
    return of.m_core;
  }
};

struct no_handler {
  void operator()() const {}
  void operator()(channel_status /*of_send*/) const {}
};
inline constexpr no_handler nothing_more;

// For received items: a handler, or the optional that is to have it.
template <class T>
class into_optional {
 public:
  into_optional(std::optional<T>& into) : m_into(into) {}  // NOLINT(google-explicit-constructor)
  void operator()(std::optional<T>&& item) const {
    m_into.reset();
    if (item) m_into.emplace(std::move(*item));
  }

 private:
  std::optional<T>& m_into;
};

template <class Clauses, std::size_t... I>
std::size_t select_among(Clauses& all, std::index_sequence<I...> /*of_all*/) {
  constexpr std::size_t count = sizeof...(I);
  constexpr std::size_t none = count;
  const std::size_t start = random_start(count);
  std::size_t chosen = none;
  // From the start to the end, and from the beginning to the start.
  const auto find = [&](auto&& is_it) {
    return (... || (I >= start && is_it(std::get<I>(all)) && (chosen = I, true))) ||
           (... || (I < start && is_it(std::get<I>(all)) && (chosen = I, true)));
  };
  if (!find([](auto& clause) { return clause.try_now(); })) {
    if (!find([](auto& clause) { return std::decay_t<decltype(clause)>::is_otherwise; })) {
      bool armed[count] = {};
      wait_record<work_item> record(this_waiter());
      const wait_limits* limits = nullptr;
      std::size_t by_time = none;
      const auto look_at_time = [&](std::size_t at, const wait_limits* of) {
        if (of == nullptr || (limits != nullptr && limits->deadline() <= of->deadline())) return;
        limits = of;
        by_time = at;
      };
      (look_at_time(I, std::get<I>(all).limits()), ...);
      const auto arm = [&](auto& clause, bool& is_armed) {
        is_armed = true;
        return clause.enqueue(record);
      };
      const auto enqueue = [&] {
        ((armed[I] = false), ...);  // those of a first time are withdrawn
        static_cast<void>((... && (I < start || arm(std::get<I>(all), armed[I]))) &&
                          (... && (I >= start || arm(std::get<I>(all), armed[I]))));
      };
      const auto withdraw = [&] { ((armed[I] ? std::get<I>(all).withdraw() : void()), ...); };
      const wake_reason reason = wait_for_one(record, enqueue, withdraw, limits);
      if (reason == wake_reason::timed_out) chosen = by_time;
      if (reason == wake_reason::woken) {
        // What was given to one clause counts, whatever else has come about meanwhile.
        const bool exact = ((std::decay_t<decltype(std::get<I>(all))>::is_exact && armed[I] &&
                             std::get<I>(all).is_chosen() && (chosen = I, true)) ||
                            ...);
        if (!exact) {
          static_cast<void>(
              find([](auto& clause) { return !std::decay_t<decltype(clause)>::is_exact && clause.is_chosen(); }));
        }
      }
    }
  }
  ((I == chosen ? static_cast<void>(std::get<I>(all).run()) : void()), ...);
  return chosen;
}

}  // namespace detail

// ---- Clauses. They refer to their arguments, so they stand in the call of select() ----

/// Receives. handler(std::optional<T>): the item; empty when the channel is closed and holds no more, which makes the
/// clause ready for ever. Or std::optional<T>&, which gets it.
template <class T, class Handler>
  requires std::invocable<Handler, std::optional<T>>
[[nodiscard]] auto on_receive(channel<T>& from, Handler&& handler) {
  return detail::receive_clause<T, Handler>(from, std::forward<Handler>(handler));
}
template <class T>
[[nodiscard]] auto on_receive(channel<T>& from, std::optional<T>& into) {
  return detail::receive_clause<T, detail::into_optional<T>>(from, into);
}

template <class T, class Handler>
[[nodiscard]] auto on_receive(const receiver<T>& from, Handler&& handler) {
  return on_receive(from.of(), std::forward<Handler>(handler));
}

/// Sends. handler(channel_status): done, or closed. Where another clause is done, `item` is untouched.
template <class T, std::invocable<channel_status> Handler>
[[nodiscard]] auto on_send(channel<T>& to, std::type_identity_t<T>&& item, Handler&& handler) {
  return detail::send_clause<T, T&&, Handler>(to, std::move(item), std::forward<Handler>(handler));
}
template <std::copy_constructible T, std::invocable<channel_status> Handler>
[[nodiscard]] auto on_send(channel<T>& to, const std::type_identity_t<T>& item, Handler&& handler) {
  return detail::send_clause<T, T, Handler>(to, item, std::forward<Handler>(handler));
}

template <class T, std::invocable<channel_status> Handler>
[[nodiscard]] auto on_send(const sender<T>& to, std::type_identity_t<T>&& item, Handler&& handler) {
  return on_send(to.of(), std::move(item), std::forward<Handler>(handler));
}
template <std::copy_constructible T, std::invocable<channel_status> Handler>
[[nodiscard]] auto on_send(const sender<T>& to, const std::type_identity_t<T>& item, Handler&& handler) {
  return on_send(to.of(), item, std::forward<Handler>(handler));
}

/// Takes a permit.
template <std::ptrdiff_t LeastMax, std::invocable Handler = const detail::no_handler&>
[[nodiscard]] auto on_acquire(counting_semaphore<LeastMax>& of, Handler&& handler = detail::nothing_more) {
  return detail::acquire_clause<detail::semaphore_core<>, Handler>(detail::select_access::core_of(of),
                                                                   std::forward<Handler>(handler));
}
/// The fiber has ended, and join() returns at once. Throws misuse as join(). The handle must not be joined or detached
/// meanwhile, nor be in two clauses at once.
template <class Result, std::invocable Handler = const detail::no_handler&>
[[nodiscard]] auto on_join(const join_handle<Result>& of, Handler&& handler = detail::nothing_more) {
  return detail::join_clause<Handler>(detail::select_access::task_of(of), std::forward<Handler>(handler));
}
/// The count has been at or below the target.
template <std::invocable Handler = const detail::no_handler&>
[[nodiscard]] auto on_counter(counter& of, std::int64_t target, Handler&& handler = detail::nothing_more) {
  return detail::counter_clause<Handler>(detail::select_access::core_of(of), target, std::forward<Handler>(handler));
}
/// A stop is requested.
template <std::invocable Handler = const detail::no_handler&>
[[nodiscard]] auto on_stop(const std::stop_token& of, Handler&& handler = detail::nothing_more) {
  return detail::stop_clause<Handler>(of, std::forward<Handler>(handler));
}
/// Time has passed: a duration from now on, or a point of time. Of several the first.
template <class Limit, std::invocable Handler = const detail::no_handler&>
  requires std::constructible_from<wait_limits, const Limit&> &&
           (!std::convertible_to<const Limit&, std::stop_token>) && (!std::same_as<Limit, wait_limits>)
[[nodiscard]] auto after(const Limit& limit, Handler&& handler = detail::nothing_more) {
  return detail::time_clause<Handler>(limit, std::forward<Handler>(handler));
}
/// At once, where no other clause can be done at once.
template <std::invocable Handler = const detail::no_handler&>
[[nodiscard]] auto otherwise(Handler&& handler = detail::nothing_more) {
  return detail::otherwise_clause<Handler>(std::forward<Handler>(handler));
}

/// Waits until one of the clauses can be done, does it, calls its handler, and returns its place among them. Where
/// several can be done, one of them is chosen at random: each has the same chance of being looked at first.
///
///     switch (ramie::select(ramie::on_receive(requests, request), ramie::on_stop(token), ramie::after(1s))) {
///       case 0: serve(request); break;
///       case 1: return;
///       case 2: report_idle(); break;
///     }
///
/// The clauses that are not chosen have done nothing: their items are where they were. Any fiber or thread; blocks the
/// fiber, not its worker; on a thread that runs no fiber, the thread. The handler runs when nothing is awaited any
/// more, and may wait; what it throws leaves select(). Throws std::bad_alloc, where there is no room for a deadline or
/// a sent item, and has done nothing. Allocates nothing else. A clause that can be done at once costs what its
/// operation costs, and 5 ns; a wait costs about 50 ns, and 30 for each clause.
template <class... Clauses>
  requires(select_clause<std::remove_reference_t<Clauses>> && ...)
std::size_t select(Clauses&&... clauses) {
  static_assert(sizeof...(Clauses) > 0, "select() without clauses would wait for ever");
  static_assert((!std::is_lvalue_reference_v<Clauses> && ...), "a clause stands in the call of select()");
  static_assert((0 + ... + (std::remove_reference_t<Clauses>::is_otherwise ? 1 : 0)) <= 1, "one otherwise() is enough");
  std::tuple<Clauses&...> all(clauses...);
  return detail::select_among(all, std::make_index_sequence<sizeof...(Clauses)>());
}

}  // namespace ramie
