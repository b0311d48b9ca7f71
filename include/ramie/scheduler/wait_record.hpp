// A wait that may end for several reasons: the one word that decides which of them it is.
//
// A record lies on the stack of the fiber or thread that waits: the waiter. An object that can be waited for keeps
// *arms*, each of which points to the record of a wait; a wait for several objects has an arm in each of them. An
// object, a deadline, a request to stop or the end of the runtime ends the wait by claiming the record. The first claim
// decides, and its claimant alone makes the waiter go on.
//
// A wait goes through three steps, in which claimants and waiter meet in one word:
//
//   claim()    any claimant: the first one decides why the wait ends. Under the lock of the object, if that has one.
//   finish()   the first claimant, when it touches neither object nor arm any more: the waiter may go on.
//   park()     the waiter, when it has left its stack (on the far side of the switch): it may be woken.
//
// Of finish() and park() the later one lets the waiter go on. Arms, deadline and stop request are enqueued while the
// waiter still runs, since any of them may fail or be there already.
//
// Where two waits meet, both must end or neither: a select that sends finds a select that receives. The waiter that
// still runs decides both records, with claim_both(): it *holds* its own, decides the other, and then its own. Claims
// of a held record wait for the outcome, a few instructions. Two that meet each other at the same time go by their
// records' addresses, so neither waits for ever. After Reppy, Russo, Xiao, "Parallel Concurrent ML" (ICFP 2009).
//
// Nobody may touch a record whose waiter has gone on. So its arms are taken back before that: under the lock of the
// object; or, where an object without a lock has given the arm away in a single exchange, by waiting until its taker
// has let it go, a few instructions of another thread.
//
// Most waits end for one reason alone. Nobody competes there: they need no record, and the object has the waiter
// itself.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/scheduler/wake_reason.hpp>

#include <cstdint>

namespace ramie {

namespace detail {

template <class Waiter, class Provider = native_provider>
class wait_record {
 public:
  explicit wait_record(Waiter& of) : waiter(of) {}
  wait_record(const wait_record&) = delete;
  wait_record& operator=(const wait_record&) = delete;

  Waiter& waiter;

  /// Any thread, as long as the waiter cannot have gone on. False: another claim was first.
  [[nodiscard]] bool claim(wake_reason reason) {
    const attempt made = try_claim(reason);
    return made == attempt::is_held ? claim_held(reason) : made == attempt::claimed;
  }

  enum class both : std::uint8_t { claimed, not_mine, not_other };
  /// The waiter of `mine`, which has not parked, where it meets the waiter of `other`: claims both records as woken,
  /// and both are to be finished; or claims none, and says whose wait is over for another reason.
  [[nodiscard]] static both claim_both(wait_record& mine, wait_record& other) {
    for (unsigned round = 1;; ++round) {
      std::uint32_t undecided = 0;
      // [W7] relaxed, as [W1].
      if (!mine.m_word.compare_exchange_strong(undecided, held, std::memory_order_relaxed, std::memory_order_relaxed)) {
        return both::not_mine;
      }
      attempt made = other.try_claim(wake_reason::woken);
      // The lower address gives way: of the waits that hold their records and wait for each other, one does not hold.
      for (; made == attempt::is_held && &other < &mine; ++round) {
        wait_a_little(round);
        made = other.try_claim(wake_reason::woken);
      }
      // Nobody else writes a held word.
      mine.m_word.store(made == attempt::claimed ? decided_by(wake_reason::woken) : 0, std::memory_order_relaxed);
      if (made == attempt::claimed) return both::claimed;
      if (made == attempt::is_decided) return both::not_other;
      wait_a_little(round);
    }
  }

  /// The first claimant, once. The waiter is to be woken by the caller; null: it goes on by itself.
  [[nodiscard]] Waiter* finish() {
    Waiter& mine = waiter;
    // [W2] acq_rel. Release: the claimant's writes, and its last access to object, arm and record; pairs with [W3].
    // Acquire: the waiter has left its stack, from [W3]. Weaker: the waiter does not see the result that it was woken
    // for, or runs on a stack that is still in use.
    return (m_word.fetch_add(finished, std::memory_order_acq_rel) & parked) != 0 ? &mine : nullptr;
  }

  /// On the far side of the switch, or by a thread before it sleeps. False: the wait is over, and nobody will wake the
  /// waiter.
  [[nodiscard]] bool park() {
    // [W3] acq_rel; pairs with [W2].
    return (m_word.fetch_add(parked, std::memory_order_acq_rel) & finished) == 0;
  }

  /// The waiter, instead of park(), where it looks instead of sleeping.
  [[nodiscard]] bool is_finished() const {
    return (m_word.load(std::memory_order_acquire) & finished) != 0;  // [W4], pairs with [W2]
  }

  /// The waiter, when the wait is over and its arms are taken back: to wait again.
  void begin_again() { m_word.store(0, std::memory_order_relaxed); }  // relaxed: nobody else has it

  /// The waiter, when the wait is over.
  [[nodiscard]] wake_reason reason() const {
    return static_cast<wake_reason>((m_word.load(std::memory_order_relaxed) & decision) - 1);
  }

 private:
  // The word: the first claim's reason + 1, and what has happened since, each once.
  static constexpr std::uint32_t decision = 0xf;
  static constexpr std::uint32_t parked = 0x10;
  static constexpr std::uint32_t finished = 0x20;
  static constexpr std::uint32_t held = 0x40;  // by its waiter, before the decision
  static constexpr std::uint32_t decided_by(wake_reason reason) { return static_cast<std::uint32_t>(reason) + 1; }

  enum class attempt : std::uint8_t { claimed, is_decided, is_held };
  attempt try_claim(wake_reason reason) {
    std::uint32_t undecided = m_word.load(std::memory_order_relaxed);
    do {
      if ((undecided & decision) != 0) return attempt::is_decided;
      if ((undecided & held) != 0) return attempt::is_held;
      // [W1] relaxed: it decides, and publishes nothing. finish() does.
    } while (!m_word.compare_exchange_weak(undecided, undecided | decided_by(reason), std::memory_order_relaxed,
                                           std::memory_order_relaxed));
    return attempt::claimed;
  }

  [[gnu::noinline]] bool claim_held(wake_reason reason) {
    for (unsigned round = 1;; ++round) {
      wait_a_little(round);
      const attempt made = try_claim(reason);
      if (made != attempt::is_held) return made == attempt::claimed;
    }
  }

  static void wait_a_little(unsigned round) { round % 64 != 0 ? Provider::pause() : Provider::yield_thread(); }

  typename Provider::template atomic<std::uint32_t> m_word{0};
};

/// A place in an object without a lock.
template <class Waiter, class Provider = native_provider>
class wait_arm {
 public:
  explicit wait_arm(wait_record<Waiter, Provider>& of) : m_record(of) {}

  /// By the thread that has taken the arm out of its object, once. Calls wake(waiter) if this ends the wait of a waiter
  /// that sleeps.
  template <class Wake>
  [[gnu::noinline]] void fire(wake_reason reason, Wake&& wake) {
    wait_record<Waiter, Provider>& record = m_record;
    const bool first = record.claim(reason);
    // [W5] release: the last access to the arm, and to its record if this claim was too late; pairs with [W6]. Weaker:
    // the frame in which they lie is used again while they are read.
    m_let_go.store(true, std::memory_order_release);
    if (!first) return;
    if (Waiter* const sleeper = record.finish()) wake(*sleeper);
  }

  /// The waiter, where it could not take the arm back. Returns when nobody touches the arm any more.
  void await_let_go() const {
    // [W6] acquire, pairs with [W5].
    for (unsigned round = 1; !m_let_go.load(std::memory_order_acquire); ++round) {
      round % 64 != 0 ? Provider::pause() : Provider::yield_thread();
    }
  }

 private:
  wait_record<Waiter, Provider>& m_record;
  typename Provider::template atomic<bool> m_let_go{false};
};

}  // namespace detail
}  // namespace ramie
