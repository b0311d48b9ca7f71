// Not for users.
//
// The channel, without knowing what a fiber is: the part that the model checker runs.
//
// A lock (biased_lock.hpp), and a byte of hints, written under it: what a call would find. A call that would find
// nothing goes to wait without taking the lock, and takes it once, to be enqueued.
//
//     has_items   there are items, or senders wait     has_room   there is room, or receivers wait
//     closed      for ever
//
// Under the lock: the items (channel_items.hpp), the waiting senders and the waiting receivers, each in the order in
// which they came. Receivers wait only where there are no items; senders wait only where there is no room. (Waits that
// are over for another reason may stand in the lists still; they are skipped.)
//
// Where a sender and a receiver meet, the side that runs decides the wait of the other one under the lock, gives the
// lock up, moves the item from the one stack to the other, and then wakes. So moves into and out of a buffer are made
// under the lock, and the others are not. Of two selects that meet both waits are decided together (claim_with()); the
// arms of one select do not meet each other.
//
// The conservation law: an item is moved only by a side that has decided all waits that are concerned, and a wait that
// is decided is not decided otherwise. So an item is with exactly one party, and `done` is said exactly where it moved.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/sync/channel_items.hpp>
#include <ramie/sync/channel_status.hpp>
#include <ramie/sync/wait_list.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace ramie::detail {

/// Lock: as biased_lock.
template <class T, class Lock, class Provider = native_provider>
class channel_core {
  template <class U>
  using plain = typename Provider::template plain<U>;
  using node = wait_node<Provider>;
  using items = channel_items<T, Provider>;
  using both = typename node::record_type::both;

 public:
  class waiting : public node {
   public:
    /// Where the channel has ended the wait: done or closed.
    [[nodiscard]] channel_status status() const { return m_status; }

   private:
    friend class channel_core;
    plain<channel_status> m_status = channel_status::done;  // by the side that decides the wait, before it wakes
  };
  class receiving : public waiting {
   public:
    explicit receiving(std::optional<T>& empty) : m_into(empty) {}

   private:
    friend class channel_core;
    std::optional<T>& m_into;
  };
  class sending : public waiting {
   public:
    explicit sending(T& item) : m_item(item) {}

   private:
    friend class channel_core;
    T& m_item;
  };

  static constexpr std::size_t max_capacity = items::max_capacity;

  /// Throws std::bad_alloc.
  explicit channel_core(std::size_t capacity) : m_hints(hints_of(capacity != 0 ? has_room : 0)), m_items(capacity) {}

  // Guesses by the time they are read. False: nothing that the caller knows to have happened would let it go on.
  [[nodiscard]] bool may_receive() const {
    return (m_hints.load(std::memory_order_relaxed) & (has_items | closed)) != 0;
  }
  [[nodiscard]] bool may_send() const { return (m_hints.load(std::memory_order_relaxed) & (has_room | closed)) != 0; }
  [[nodiscard]] bool is_closed() const { return (m_hints.load(std::memory_order_relaxed) & closed) != 0; }
  /// By the last user.
  [[nodiscard]] bool has_waiters() const { return !m_receivers.empty() || !m_senders.empty(); }
  [[nodiscard]] std::size_t count() {
    const locked now = lock();
    const std::size_t items_now = m_items.count();
    unlock(now);
    return items_now;
  }

  /// Any thread. done, closed or empty; wakes by wake(waiter), as all below.
  template <class Wake>
  [[nodiscard]] channel_status try_receive(std::optional<T>& into, Wake&& wake) {
    const locked now = lock();
    if (m_items.count() != 0) {
      take_item(now, into, wake);
      return channel_status::done;
    }
    if (node* const sender = m_senders.pop_claimed()) {
      unlock(now);
      take_from(static_cast<sending&>(*sender), into, wake);
      return channel_status::done;
    }
    unlock(now);
    return (now.hints & closed) != 0 ? channel_status::closed : channel_status::empty;
  }

  /// done, closed or full. Throws std::bad_alloc where the channel is unbounded, and has then done nothing.
  template <class Wake>
  [[nodiscard]] channel_status try_send(T& item, Wake&& wake) {
    held_block fresh;
    for (;;) {
      const locked now = lock();
      if ((now.hints & closed) != 0) {
        unlock(now);
        return channel_status::closed;
      }
      if (node* const receiver = m_receivers.pop_claimed()) {
        unlock(now);
        give_to(static_cast<receiving&>(*receiver), item, wake);
        return channel_status::done;
      }
      if (!m_items.has_room()) {
        unlock(now);
        return channel_status::full;
      }
      if (fresh.held != nullptr) fresh.held = m_items.add(fresh.held);
      if (!m_items.needs_block()) {
        m_items.push(item);
        unlock(now);
        return channel_status::done;
      }
      unlock(now);
      fresh.held = items::allocate_block();
    }
  }

  /// See wait_in.hpp.
  template <class Wake>
  [[nodiscard]] bool enqueue(receiving& mine, Wake&& wake) {
    const locked now = lock();
    if (m_items.count() != 0) {
      if (!mine.claim_at_once()) return unlock(now), false;
      take_item(now, mine.m_into, wake);
      return false;
    }
    const meeting with = meet(mine, m_senders);
    if (with.other != nullptr) {
      unlock(now);
      take_from(static_cast<sending&>(*with.other), mine.m_into, wake);
      return false;
    }
    const bool waits = !with.is_over && (now.hints & closed) == 0;
    if (waits) {
      m_receivers.push_back(mine);
    } else if (!with.is_over && mine.claim_at_once()) {
      mine.m_status = channel_status::closed;
    }
    unlock(now);
    return waits;
  }

  /// The same. Not of an unbounded channel, where try_send() does without.
  template <class Wake>
  [[nodiscard]] bool enqueue(sending& mine, Wake&& wake) {
    const locked now = lock();
    if ((now.hints & closed) != 0) {
      if (mine.claim_at_once()) mine.m_status = channel_status::closed;
      unlock(now);
      return false;
    }
    const meeting with = meet(mine, m_receivers);
    if (with.other != nullptr) {
      unlock(now);
      give_to(static_cast<receiving&>(*with.other), mine.m_item, wake);
      return false;
    }
    const bool waits = !with.is_over && !m_items.has_room();
    if (waits) {
      m_senders.push_back(mine);
    } else if (!with.is_over && mine.claim_at_once()) {
      m_items.push(mine.m_item);
    }
    unlock(now);
    return waits;
  }

  /// Where the wait was ended by somebody else.
  void withdraw(receiving& mine) { withdraw_from(m_receivers, mine); }
  void withdraw(sending& mine) { withdraw_from(m_senders, mine); }

  /// False: it was closed before.
  template <class Wake>
  bool close(Wake&& wake) {
    const locked now = lock();
    close_locked(now, wake);
    return (now.hints & closed) == 0;
  }

 private:
  using hints = std::uint8_t;
  static constexpr unsigned has_items = 1;
  static constexpr unsigned has_room = 2;
  static constexpr unsigned closed = 4;
  static constexpr hints hints_of(unsigned bits) { return static_cast<hints>(bits); }

  struct locked {
    typename Lock::held how;
    std::uint8_t hints;
  };

  struct held_block {
    held_block() = default;
    held_block(const held_block&) = delete;
    held_block& operator=(const held_block&) = delete;
    ~held_block() { items::free(held); }
    typename items::block* held = nullptr;
  };

  [[gnu::always_inline]] inline locked lock() {
    const auto how = m_lock.lock();
    return {how, m_hints.load(std::memory_order_relaxed)};
  }
  // `now` is what lock() has returned, with `closed` as it is to be.
  [[gnu::always_inline]] inline void unlock(locked now) {
    unsigned bits = now.hints & closed;
    if (m_items.count() != 0 || !m_senders.empty()) bits |= has_items;
    if (m_items.has_room() || !m_receivers.empty()) bits |= has_room;
    // [K9] relaxed: hints; what follows from them is looked at under the lock.
    m_hints.store(hints_of(bits), std::memory_order_relaxed);
    m_lock.unlock(now.how);
  }

  // Under the lock, which it gives up. There is an item; the first sender that waits has room then.
  template <class Wake>
  void take_item(locked now, std::optional<T>& into, Wake&& wake) {
    typename items::block* const left = m_items.pop(into);
    auto* const sender = static_cast<sending*>(m_senders.pop_claimed());
    if (sender != nullptr) m_items.push(sender->m_item);
    unlock(now);
    if (sender != nullptr) {
      sender->finish(wake);
    }
    items::free(left);
  }

  // Without the lock, where the other wait is decided.
  template <class Wake>
  static void take_from(sending& sender, std::optional<T>& into, Wake&& wake) {
    into.emplace(std::move(sender.m_item));
    sender.finish(wake);
  }
  template <class Wake>
  static void give_to(receiving& receiver, T& item, Wake&& wake) {
    receiver.m_into.emplace(std::move(item));
    receiver.finish(wake);
  }

  struct meeting {
    node* other;  // it is out of its list, and both waits are decided
    bool is_over;
  };
  // Under the lock.
  static meeting meet(waiting& mine, wait_list<Provider>& others) {
    for (node* each = others.first(); each != nullptr;) {
      node* const next = others.behind(*each);
      if (!mine.is_of_same_wait(*each)) {
        const both decided = mine.claim_with(*each);
        if (decided == both::not_mine) return {nullptr, true};
        others.remove(*each);
        if (decided == both::claimed) return {each, false};
      }
      each = next;
    }
    return {nullptr, false};
  }

  void withdraw_from(wait_list<Provider>& list, waiting& mine) {
    const locked now = lock();
    list.remove(mine);
    unlock(now);
  }

  // Under the lock, which it gives up. Receivers that wait find no items, so their channel is empty.
  template <class Wake>
  void close_locked(locked now, Wake&& wake) {
    woken_waiters<Provider> woken;
    for (wait_list<Provider>* const list : {&m_receivers, &m_senders}) {
      while (node* const each = list->pop_claimed()) {
        static_cast<waiting*>(each)->m_status = channel_status::closed;
        woken.add(*each);
      }
    }
    unlock({now.how, hints_of(now.hints | closed)});
    woken.wake_each(wake);
  }

  Lock m_lock;
  typename Provider::template atomic<hints> m_hints;
  items m_items;
  wait_list<Provider> m_receivers;
  wait_list<Provider> m_senders;
};

}  // namespace ramie::detail
