// Channels: items that fibers and threads hand to each other.
#pragma once

#include <ramie/sync/biased_lock.hpp>
#include <ramie/sync/channel_core.hpp>
#include <ramie/sync/channel_status.hpp>
#include <ramie/sync/wait_in.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

namespace ramie {

template <class T>
class channel;

/// An item, or the reason why there is none.
template <class T>
class [[nodiscard]] received : public std::optional<T> {
 public:
  [[nodiscard]] channel_status status() const { return m_status; }

 private:
  friend class channel<T>;
  received() = default;
  channel_status m_status = channel_status::done;
};

namespace detail {
[[noreturn, gnu::cold]] void channel_destroyed();
[[noreturn, gnu::cold]] void channel_too_large(std::size_t most);
[[nodiscard]] channel_status status_of(wake_reason not_woken);

// See biased_lock.hpp. A revocation costs as much as the 200 read-modify-writes that are left out at least.
struct this_worker {
  static const void* id() { return worker::current(); }
  static constexpr std::uint32_t patience = 200;
};

/// As wait_in.hpp wants it: wakes fibers and threads.
template <class T>
class channel_object : public channel_core<T, biased_lock<this_worker>> {
  using core = channel_core<T, biased_lock<this_worker>>;

 public:
  using core::core;
  struct waker {
    void operator()(work_item& waiter) const { wake(waiter); }
  };
  [[nodiscard]] [[gnu::noinline]] channel_status try_receive(std::optional<T>& into) {
    return core::try_receive(into, waker());
  }
  [[nodiscard]] [[gnu::noinline]] channel_status try_send(T& item) { return core::try_send(item, waker()); }
  [[nodiscard]] bool enqueue(typename core::receiving& mine) { return core::enqueue(mine, waker()); }
  [[nodiscard]] bool enqueue(typename core::sending& mine) { return core::enqueue(mine, waker()); }
  using core::close;
  bool close() { return core::close(waker()); }
};

struct channel_access;
}  // namespace detail

/// A queue of a given capacity, between any number of senders and receivers: fibers and threads.
///
///     ramie::channel<int> numbers(100);
///     auto producer = ramie::spawn([&] {
///       for (int i = 0; i < 1000 && numbers.send(i) == ramie::channel_status::done; ++i) {}
///       numbers.close();
///     });
///     for (int number : numbers) use(number);
///     producer.join();
///
/// Capacity 0, unbuffered: an item goes from its sender to its receiver when both are there. Bounded: senders wait
/// while it is full. `unbounded`: senders never wait, and may throw std::bad_alloc.
///
/// An item is with exactly one party. A call that says `done` has moved one, every other one has moved none: a sender
/// whose call was timed out, was cancelled or found the channel closed still has its item.
///
/// Items arrive in the order in which they were sent. Of those who wait, the one that came first is served first; a
/// call that need not wait may come before one that has just been woken. Everything done before a send is visible after
/// its receive; in an unbuffered channel, also the other way round.
///
/// Items are moved into and out of the buffer under the channel's lock, and perhaps on the stack of the other party:
/// T's move constructor and destructor must neither wait nor use the channel. Between a sender and a receiver that meet
/// an item is moved without the lock.
///
/// Must not be destroyed while somebody waits (the process ends and says so, where it sees it). Who was woken by
/// close() or has received or sent the last item may destroy it, if nobody else will use it. Items that are left are
/// destroyed.
template <class T>
class channel {
  static_assert(std::is_object_v<T> && !std::is_const_v<T>, "a channel's items are objects that can be moved");
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>,
                "an item is with exactly one party, also where its move would throw: T must be nothrow move "
                "constructible and nothrow destructible. Send a std::unique_ptr<T>");
  using core = detail::channel_object<T>;

 public:
  using value_type = T;
  static constexpr std::size_t unbounded = detail::unbounded_channel;

  /// Allocates room for `capacity` items at once. Throws std::bad_alloc; misuse if they exceed the address space.
  explicit channel(std::size_t capacity = 0) : m_core(checked(capacity)), m_capacity(capacity) {}
  ~channel() {
    if (m_core.has_waiters()) [[unlikely]]
      detail::channel_destroyed();
  }
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  /// Any fiber or thread. Waits until the item is in the buffer or with its receiver: `done`; or until the channel is
  /// closed: `closed`, and `item` is untouched. Blocks the fiber, not its worker; on a thread that runs no fiber, the
  /// thread. About 20 ns where it need not wait. Throws std::bad_alloc where the channel is unbounded.
  [[nodiscard]] [[gnu::always_inline]] inline channel_status send(T&& item) {
    if (m_core.may_send()) {
      const channel_status made = m_core.try_send(item);
      if (made != channel_status::full) return made;
    }
    typename core::sending mine(item);
    detail::wait_in(m_core, mine, "send()");
    return mine.status();
  }
  [[nodiscard]] channel_status send(const T& item)
    requires std::copy_constructible<T>
  {
    T copy(item);
    return send(std::move(copy));
  }

  /// The same, until one of the limits: timed_out or cancelled too, and `item` is untouched then. What can be done at
  /// once is done, whatever the limits. Throws std::bad_alloc too, where there is no room for the deadline, and has
  /// sent nothing.
  [[nodiscard]] channel_status send(T&& item, const wait_limits& limits) {
    if (m_core.may_send()) {
      const channel_status made = m_core.try_send(item);
      if (made != channel_status::full) return made;
    }
    typename core::sending mine(item);
    const wake_reason reason = detail::wait_in(m_core, mine, "send()", limits);
    return reason == wake_reason::woken ? mine.status() : detail::status_of(reason);
  }
  [[nodiscard]] channel_status send(const T& item, const wait_limits& limits)
    requires std::copy_constructible<T>
  {
    T copy(item);
    return send(std::move(copy), limits);
  }

  /// Any fiber or thread; blocks nothing: done, closed or full, and if not done `item` is untouched. Unbuffered: done
  /// where a receiver waits.
  [[nodiscard]] channel_status try_send(T&& item) {
    return m_core.may_send() ? m_core.try_send(item) : channel_status::full;
  }
  [[nodiscard]] channel_status try_send(const T& item)
    requires std::copy_constructible<T>
  {
    if (!m_core.may_send()) return channel_status::full;
    T copy(item);
    return m_core.try_send(copy);
  }

  /// Any fiber or thread. Waits for an item; empty when the channel is closed and holds no more. Blocks as send().
  [[nodiscard]] [[gnu::always_inline]] inline std::optional<T> receive() {
    std::optional<T> item;
    receive_into(item);
    return item;
  }
  /// The same, until one of the limits; what can be done at once is done. status(): done, closed, timed_out or
  /// cancelled. Throws std::bad_alloc, where there is no room for the deadline, and has received nothing.
  received<T> receive(const wait_limits& limits) {
    received<T> item;
    if (m_core.may_receive()) {
      item.m_status = m_core.try_receive(item);
      if (item.m_status != channel_status::empty) return item;
    }
    typename core::receiving mine(item);
    const wake_reason reason = detail::wait_in(m_core, mine, "receive()", limits);
    item.m_status = reason == wake_reason::woken ? mine.status() : detail::status_of(reason);
    return item;
  }
  /// Any fiber or thread; blocks nothing. status(): done, closed (and holds no more) or empty.
  received<T> try_receive() {
    received<T> item;
    item.m_status = m_core.may_receive() ? m_core.try_receive(item) : channel_status::empty;
    return item;
  }

  /// Any fiber or thread; blocks nothing. From now on sends are refused, and receives get what is left and then
  /// nothing. Senders that wait get `closed` and keep their items. False: it was closed before.
  bool close() { return m_core.close(); }
  [[nodiscard]] bool is_closed() const { return m_core.is_closed(); }

  [[nodiscard]] std::size_t capacity() const { return m_capacity; }
  /// How many items the buffer holds. A guess by the time it is read.
  [[nodiscard]] std::size_t size() { return m_core.count(); }

  /// Receives until the channel is closed and holds no more. Any number of loops at once: each item goes to one.
  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    explicit iterator(channel& of) : m_of(&of) { of.receive_into(m_item); }
    iterator(iterator&&) noexcept = default;
    iterator& operator=(iterator&& other) noexcept {
      m_of = other.m_of;
      m_item.reset();  // T need not be assignable
      if (other.m_item) m_item.emplace(std::move(*other.m_item));
      return *this;
    }
    ~iterator() = default;
    [[nodiscard]] T& operator*() const { return *m_item; }
    iterator& operator++() {
      m_item.reset();
      m_of->receive_into(m_item);
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& at, std::default_sentinel_t /*end*/) { return !at.m_item; }

   private:
    channel* m_of;
    mutable std::optional<T> m_item;
  };
  [[nodiscard]] iterator begin() { return iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

 private:
  friend struct detail::channel_access;

  static std::size_t checked(std::size_t capacity) {
    if (capacity != unbounded && capacity > core::max_capacity) detail::channel_too_large(core::max_capacity);
    return capacity;
  }

  [[gnu::always_inline]] inline void receive_into(std::optional<T>& item) {
    if (m_core.may_receive() && m_core.try_receive(item) != channel_status::empty) return;
    typename core::receiving mine(item);
    detail::wait_in(m_core, mine, "receive()");
  }

  core m_core;
  const std::size_t m_capacity;
};

namespace detail {
struct channel_access {
  template <class T>
  static channel_object<T>& core_of(channel<T>& of) {
    return of.m_core;
  }
};
}  // namespace detail

}  // namespace ramie
