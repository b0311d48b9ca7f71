// Lets holders of tickets pass one after another, in the order of their tickets, however many wait.
//
// One word: the current ticket << 1 | a holder may wait. Only the holder of the current ticket moves it on, so:
//   - nobody waits: passing is one compare-and-swap, and the next holder finds by a look that its turn has come;
//   - a holder may wait: the word is moved on under a lock, with a look at the one place where the next holder would
//     wait. No other waiter is looked at.
// The compare-and-swap fails where the bit has been set, and setting it returns the current ticket. So either the
// holder that passes sees that another waits, or the holder that is about to wait sees that its turn has come.
//
// Waiters lie in a ring, ticket n in place n modulo its size. The ring has a place for each possible holder. All
// tickets between the current one and that of a waiter have holders, so the ring has places for them too, and no two
// waiters share a place.
#pragma once

#include <ramie/base/dynamic_array.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/scheduler/observer.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/scheduler/wait.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace ramie::detail {

/// Without knowing how its holders wait.
template <class Waiter, class Provider = native_provider>
class turn_order {
  template <class T>
  using plain = typename Provider::template plain<T>;

 public:
  turn_order() = default;
  turn_order(const turn_order&) = delete;
  turn_order& operator=(const turn_order&) = delete;

  /// For a caller that may come to hold a ticket, before that: there are so many now. Throws std::bad_alloc. A single
  /// one needs no room.
  void make_room(std::size_t holders) {
    // relaxed: a value read too early is too small, and looked at again under the lock.
    if (holders < 2 || holders <= m_room.load(std::memory_order_relaxed)) return;
    const std::size_t size = std::bit_ceil(holders < 16 ? 16 : holders);
    dynamic_array<place> fresh(size);
    const std::lock_guard guard(m_lock);
    const std::size_t before = m_room.load(std::memory_order_relaxed);
    if (before >= size) return;
    for (std::size_t i = 0; i < before; ++i) {
      if (m_places[i].waiter != nullptr) fresh[m_places[i].ticket & (size - 1)] = m_places[i];
    }
    m_places.swap(fresh);
    m_room.store(size, std::memory_order_relaxed);
  }

  /// The ticket's holder. True: its turn has come.
  [[nodiscard]] bool reached(std::uint64_t ticket) const {
    // [T1] acquire: the holder sees what those before it have done; pairs with [T2], [T3].
    return m_word.load(std::memory_order_acquire) >> 1U == ticket;
  }

  /// The ticket's holder. True: pass() will return `waiter`. False: its turn has come.
  [[nodiscard]] bool enqueue(std::uint64_t ticket, Waiter& waiter) {
    const std::lock_guard guard(m_lock);
    // While the bit is set the word changes under the lock alone, and relaxed will do. Else [T4] acquire, as [T1]; that
    // it is a read-modify-write makes [T2] fail, or sees what [T2] has stored. A load and a store: nobody passes this
    // waiter on.
    const std::uint64_t word =
        m_marked ? m_word.load(std::memory_order_relaxed) : m_word.fetch_add(may_wait, std::memory_order_acquire);
    m_marked = true;
    if (word >> 1U == ticket) return false;  // the bit may stay: this holder clears it when it passes
    place& mine = place_of(ticket);
    mine.ticket = ticket;
    mine.waiter = &waiter;
    m_waiting = m_waiting + 1;
    return true;
  }

  /// The ticket's holder, in its turn. Gives the turn to the next ticket, and returns its holder's waiter if that waits
  /// already.
  [[nodiscard]] Waiter* pass(std::uint64_t ticket) {
    const std::uint64_t next = ticket + 1;
    std::uint64_t word = ticket << 1U;
    // [T2] release: the work done before; pairs with [T1], [T4]. Weaker: the next holder does not see it.
    if (m_word.compare_exchange_strong(word, next << 1U, std::memory_order_release, std::memory_order_relaxed)) {
      return nullptr;
    }
    const std::lock_guard guard(m_lock);
    Waiter* woken = nullptr;
    if (m_waiting != 0 && place_of(next).waiter != nullptr) {
      woken = place_of(next).waiter;
      place_of(next).waiter = nullptr;
      m_waiting = m_waiting - 1;
    }
    // [T3] release, as [T2].
    m_marked = m_waiting != 0;
    m_word.store(next << 1U | (m_marked ? may_wait : 0), std::memory_order_release);
    return woken;
  }

 private:
  static constexpr std::uint64_t may_wait = 1;

  struct place {
    plain<std::uint64_t> ticket = 0;
    plain<Waiter*> waiter = nullptr;
  };
  // Under the lock, and only if somebody waits, or is about to: then there is room.
  [[nodiscard]] place& place_of(std::uint64_t ticket) {
    return m_places[ticket & (m_room.load(std::memory_order_relaxed) - 1)];
  }

  typename Provider::template atomic<std::uint64_t> m_word{0};
  typename Provider::template atomic<std::size_t> m_room{0};  // of m_places; written under the lock
  ramie::lock_of<Provider> m_lock;                            // for all below
  plain<bool> m_marked = false;                               // the bit is set
  plain<std::size_t> m_waiting = 0;
  dynamic_array<place> m_places;
};

/// For fibers.
class turnstile {
 public:
  turnstile() = default;
  ~turnstile() {
    if (someone_observes()) [[unlikely]]
      report_destruction(this);
  }
  turnstile(const turnstile&) = delete;
  turnstile& operator=(const turnstile&) = delete;

  /// As turn_order.
  void make_room(std::size_t holders) { m_order.make_room(holders); }

  /// Any fiber.
  [[nodiscard]] std::uint64_t draw() { return m_drawn.fetch_add(1, std::memory_order_relaxed); }

  /// Waits until it is the ticket's turn. About 1 ns where it is.
  [[gnu::always_inline]] void await(std::uint64_t ticket) {
    if (!m_order.reached(ticket)) {
      turn mine{m_order, ticket};
      wait_for(worker::current(), mine);
    }
    if (someone_observes()) [[unlikely]]
      report_receipt(this);
  }

  /// Lets the next ticket's holder in. About 5 ns, and the wake-up of one fiber.
  void pass(std::uint64_t ticket) {
    if (someone_observes()) [[unlikely]]
      report_signal(this);
    if (work_item* const next = m_order.pass(ticket)) wake(*next);
  }

 private:
  using order = turn_order<work_item>;
  struct turn {  // as wait_for() wants it
    order& of;
    std::uint64_t ticket;
    [[nodiscard]] bool set_waiter(work_item& waiter) { return of.enqueue(ticket, waiter); }
    [[nodiscard]] bool is_done() const { return of.reached(ticket); }
  };

  order m_order;
  native_provider::atomic<std::uint64_t> m_drawn{0};  // relaxed: nothing but the number
};

}  // namespace ramie::detail
