// Not for users.
//
// Completion and join meet in one word:
//
//     running ──join──► a waiter ──completion──► done
//        ├──────────────────────── completion ──► done
//        └──detach──► detached ──completion──► freed by the thread that ran it
//
// Each arrow is one atomic operation. The side that comes second finds the mark of the first, and finishes the work:
// the completion wakes the waiter, the join takes the result at once, the detach or the completion frees the task.
//
// A joiner that waits for the completion alone stands in the word itself. A joiner that may give up stands there with
// an arm (wait_record.hpp), which it takes back afterwards: the word then says running again, and the handle may join
// anew.
#pragma once

#include <ramie/base/assert.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/scheduler/wait_record.hpp>

#include <cstdint>

namespace ramie::detail {

template <class Waiter, class Provider = native_provider>
class join_word {
 public:
  using arm = wait_arm<Waiter, Provider>;

  /// The worker that ran the task, once. Calls wake(waiter) if somebody waits. True: nobody will join, so the caller
  /// frees the task. Otherwise it must not touch it.
  template <class Wake>
  [[nodiscard]] bool complete(Wake&& wake) {
    // [M1] acq_rel: release the result to [M2], [M3], [M4]; acquire what their side has left, the waiter [M3] or the
    // task [M4]. Weaker: the joiner reads no result, or a waiter is woken before it has left its stack.
    const std::uintptr_t before = m_state.exchange(done, std::memory_order_acq_rel);
    if (before == detached) return true;
    if ((before & is_arm) != 0) {  // nor is it done: it is completed once
      reinterpret_cast<arm*>(before - is_arm)->fire(wake_reason::woken, wake);
    } else if (before != running) {
      wake(*reinterpret_cast<Waiter*>(before));
    }
    return false;
  }

  [[nodiscard]] bool is_done() const {
    return m_state.load(std::memory_order_acquire) == done;  // [M2], pairs with [M1]
  }

  /// The handle's side, once. False: it is done already, nobody will wake the waiter.
  [[nodiscard]] bool set_waiter(Waiter& waiter) { return set(reinterpret_cast<std::uintptr_t>(&waiter)); }
  /// The same with an arm. Unlike the waiter it may still run. To be taken back after the wait, however that has ended.
  [[nodiscard]] bool set_arm(arm& mine) { return set(reinterpret_cast<std::uintptr_t>(&mine) | is_arm); }

  /// The handle's side, after set_arm() was true. Nobody touches the arm when it returns; that may take as long as a
  /// completion that is under way needs for a few instructions.
  void take_back(arm& mine) {
    std::uintptr_t expected = reinterpret_cast<std::uintptr_t>(&mine) | is_arm;
    // [M5] relaxed: nobody has touched the arm, and the next joiner publishes itself [M3]. On failure the arm says all.
    if (!m_state.compare_exchange_strong(expected, running, std::memory_order_relaxed, std::memory_order_relaxed)) {
      mine.await_let_go();
    }
  }

  /// The handle's side, instead of a join. True: it is done already, so the caller frees the task.
  [[nodiscard]] bool detach() {
    std::uintptr_t expected = running;
    // [M4] release: the handle's side has left the task, to the side that frees it; pairs with [M1]. acquire on
    // failure: the result of [M1], to free it.
    if (m_state.compare_exchange_strong(expected, detached, std::memory_order_release, std::memory_order_acquire)) {
      return false;
    }
    if (expected != done) fail("a handle was detached while another fiber waits on it.", "Let the wait return first.");
    return true;
  }

 private:
  bool set(std::uintptr_t waiting) {
    std::uintptr_t expected = running;
    // [M3] release: the waiter is suspended and may be woken, or its arm is whole; pairs with [M1]. Acquire on failure:
    // the result.
    if (m_state.compare_exchange_strong(expected, waiting, std::memory_order_release, std::memory_order_acquire)) {
      return true;
    }
    if (expected != done) fail("two waits on one handle at once.", "Give each fiber one joiner.");
    return false;
  }

  // Any other value: the address of the waiter, or the address of its arm and the bit.
  static constexpr std::uintptr_t running = 0;
  static constexpr std::uintptr_t done = 1;
  static constexpr std::uintptr_t detached = 2;
  static constexpr std::uintptr_t is_arm = 1;  // beside an address, which done has none
  static_assert(alignof(Waiter) >= 4 && alignof(arm) >= 4);
  typename Provider::template atomic<std::uintptr_t> m_state{running};
};

}  // namespace ramie::detail
