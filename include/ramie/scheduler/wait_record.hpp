// A wait that may end for several reasons: the one word that decides which of them it is.
//
// A record lies on the stack of the fiber or thread that waits. An object that can be waited for keeps *arms*, each of
// which points to the record of a wait; a wait for several objects has an arm in each of them. Whatever may end a wait
// (an object, a deadline, a request to stop, the end of the runtime) claims the record. The first claim decides, and
// its claimant alone makes the waiter go on.
//
// Arms, deadline and stop request are enqueued while the waiter still runs, since any of them may fail or be there
// already. Then the waiter leaves its stack, and the far side of the switch calls park(). A claim that comes before
// park() decides, but wakes nobody: park() finds it, and the waiter goes on.
//
// Nobody may touch a record whose waiter has gone on. An object with a lock claims under the lock, so an arm that is
// taken back under it is touched by nobody afterwards. An object without one gives its arm away in a single exchange;
// the taker claims, then marks the arm as let go, and then wakes. A waiter that cannot take its arm back waits for that
// mark, a few instructions of another thread.
//
// Most waits end for one reason alone. Nobody competes there: they need no record, and the object has the waiter itself.
#pragma once

#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie {

/// Why a wait has ended.
enum class wake_reason : std::uint8_t {
  woken,      ///< what was waited for is there
  timed_out,  ///< the deadline came first
  cancelled,  ///< a stop was requested first
  closed,     ///< what was waited for will never be there
  shut_down,  ///< the runtime ends
};

namespace detail {

enum class claim_result : std::uint8_t {
  too_late,  ///< another claim was first
  decided,   ///< the first; the waiter has not left its stack yet, and goes on by itself
  sleeps,    ///< the first; the claimant is to wake the waiter
};

template <class Waiter, class Provider = native_provider>
class wait_record {
 public:
  explicit wait_record(Waiter& who) : waiter(who) {}
  wait_record(const wait_record&) = delete;
  wait_record& operator=(const wait_record&) = delete;

  Waiter& waiter;

  /// Any thread, as long as the waiter cannot have gone on.
  [[nodiscard]] claim_result claim(wake_reason reason) {
    std::uint32_t before = m_word.load(std::memory_order_relaxed);
    do {
      if ((before & decision) != 0) return claim_result::too_late;
      // [W1] acq_rel. Release: what the claimant has done; pairs with [W2], [W3]. Acquire: that the waiter has left its
      // stack, from [W2]. Weaker: the waiter does not see what it was woken for, or runs on a stack that is still in
      // use.
    } while (!m_word.compare_exchange_weak(before, before | decided_by(reason), std::memory_order_acq_rel,
                                           std::memory_order_relaxed));
    return (before & parked) != 0 ? claim_result::sleeps : claim_result::decided;
  }

  /// On the far side of the switch, or by a thread before it sleeps. False: a claim came before, and nobody will wake
  /// the waiter.
  [[nodiscard]] bool park() {
    // [W2] release: the waiter has left its stack; pairs with [W1]. Acquire: what the first claimant has done.
    return (m_word.fetch_or(parked, std::memory_order_acq_rel) & decision) == 0;
  }

  /// The waiter. Whether a claim has decided: for one that looks instead of sleeping.
  [[nodiscard]] bool is_decided() const {
    return (m_word.load(std::memory_order_acquire) & decision) != 0;  // [W3], pairs with [W1]
  }

  /// The waiter, when the wait is decided.
  [[nodiscard]] wake_reason reason() const {
    return static_cast<wake_reason>((m_word.load(std::memory_order_relaxed) & decision) - 1);
  }

 private:
  // The word: the first claim's reason + 1, and whether the waiter has left its stack.
  static constexpr std::uint32_t decision = 0xf;
  static constexpr std::uint32_t parked = 0x10;
  static constexpr std::uint32_t decided_by(wake_reason reason) { return static_cast<std::uint32_t>(reason) + 1; }

  typename Provider::template atomic<std::uint32_t> m_word{0};
};

/// A place in an object without a lock.
template <class Waiter, class Provider = native_provider>
class wait_arm {
 public:
  explicit wait_arm(wait_record<Waiter, Provider>& of) : m_record(of) {}

  /// Whoever has taken the arm out of its object, once. Calls wake(waiter) if that is to be.
  template <class Wake>
  void fire(wake_reason reason, Wake&& wake) {
    Waiter& waiter = m_record.waiter;
    const claim_result result = m_record.claim(reason);
    // [W4] release: the last access to the arm and to its record; pairs with [W5]. Weaker: the frame in which they lie
    // is used again while they are read.
    m_let_go.store(true, std::memory_order_release);
    if (result == claim_result::sleeps) wake(waiter);
  }

  /// The waiter that could not take the arm back. Returns when nobody touches it any more.
  void await_let_go() const {
    // [W5] acquire, pairs with [W4].
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
