// Decides which thread begins a task, and when its future may be freed.
//
// A submitted future has an entry in a queue, and a user who holds it. The worker that takes the entry out of the queue
// begins the task, unless a waiter was faster. A waiter begins it where it is, however deep, in any queue. Then the
// entry stays behind, dead, until somebody takes it out. So a future is freed by the last of two: its user, when the
// task has ended, and the one that takes the entry out.
//
// One word: the worker that has begun it << 16 | given_up << 2 | unlinked << 1 | begun. Each bit is added once.
//
//   0 ──begin_from_queue──► begun, unlinked ──give_up──► the user frees
//   0 ──begin_in_place───► begun ──give_up──► begun, given_up ──unlink──► the taker of the entry frees
//                               └──unlink───► begun, unlinked ──give_up──► the user frees
#pragma once

#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie::pool {

/// Tells the worker that has taken an entry out of a queue how to go on.
enum class [[nodiscard]] entry {
  to_run,   ///< it has begun the task
  dead,     ///< another worker has; the future must not be touched any more
  to_free,  ///< another worker has, and the user has given the future up
};

template <class Provider = native_provider>
class begin_word {
 public:
  // To begin publishes nothing. The taker of the entry has seen, by the queue, everything written before the submit. A
  // holder of the future has seen it by the way that the future came to it.

  /// A waiter, which leaves the entry where it is. False: somebody has begun it before.
  [[nodiscard]] bool begin_in_place(unsigned worker) {
    std::uint32_t expected = 0;
    return m_word.compare_exchange_strong(expected, begun_by(worker), std::memory_order_relaxed,
                                          std::memory_order_relaxed);
  }

  /// For the worker that has taken the entry out of its queue.
  entry begin_from_queue(unsigned worker) {
    std::uint32_t expected = 0;
    if (m_word.compare_exchange_strong(expected, begun_by(worker) | unlinked, std::memory_order_relaxed,
                                       std::memory_order_relaxed)) {
      return entry::to_run;
    }
    // [B1] acq_rel: release our having taken the entry to the user, if it frees; acquire the user's last access, if we
    // do; pairs with [B2]. Weaker: the memory is used again under the one or the other.
    return (m_word.fetch_add(unlinked, std::memory_order_acq_rel) & given_up) != 0 ? entry::to_free : entry::dead;
  }

  /// The user, when the task has ended. True: it frees.
  [[nodiscard]] bool give_up() {
    // [B2] acquire: the taker of the entry has done with it; acq_rel: the same, and our own last access; pairs with
    // [B1].
    if ((m_word.load(std::memory_order_acquire) & unlinked) != 0) return true;
    return (m_word.fetch_add(given_up, std::memory_order_acq_rel) & unlinked) != 0;
  }

  [[nodiscard]] bool has_begun() const { return (m_word.load(std::memory_order_relaxed) & begun) != 0; }
  /// After a begin that failed: the worker that was faster.
  [[nodiscard]] unsigned worker() const { return m_word.load(std::memory_order_relaxed) >> worker_shift; }

 private:
  static constexpr std::uint32_t begun = 1;
  static constexpr std::uint32_t unlinked = 2;
  static constexpr std::uint32_t given_up = 4;
  static constexpr unsigned worker_shift = 16;
  static constexpr std::uint32_t begun_by(unsigned worker) { return worker << worker_shift | begun; }

  typename Provider::template atomic<std::uint32_t> m_word{0};
};

}  // namespace ramie::pool
