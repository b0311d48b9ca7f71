// The two words of a job that several workers change, apart from the job itself: the part that the model checker runs.
//
// The count says how much is left before the job is done: its children, and `open` while its function has not returned.
// So it does not come to 0 while the function runs, whatever children come and go; the function's own children are
// added when it returns, all at once (or many at once, before so many have ended that `open` is used up). The worker
// that brings it to 0 completes the job.
//
// The list has the followers of the job: continuations, waiters, notes of exceptions.
#pragma once

#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie::job::detail {

template <class Provider = native_provider>
class open_count {
 public:
  using word = typename Provider::template atomic<std::uint32_t>;
  static constexpr std::uint32_t open = std::uint32_t{1} << 30U;

  explicit open_count(word& held) : m_word(held) {}

  /// For the job's maker.
  void begin() { m_word.store(open, std::memory_order_relaxed); }  // published with the job

  /// For a caller that may add children: its own part is still in the count.
  void add_children(std::uint32_t children) {
    // relaxed: so it is not 0, and the child's end publishes its work.
    m_word.fetch_add(children, std::memory_order_relaxed);
  }

  /// Adds to the count, modulo 2^32. True: the job is done.
  [[nodiscard]] bool add_up_to_zero(std::uint32_t amount) {
    // [J1] acq_rel: release the work done for the job, to the worker that brings the count to 0 and acquires it.
    // Weaker: a waiter does not see the work of a child.
    return m_word.fetch_add(amount, std::memory_order_acq_rel) + amount == 0;
  }

  /// For the job's function, at its end, if it has no children that it has not added: none is left, and nobody adds any
  /// more.
  [[nodiscard]] bool has_nothing_left() const {
    return m_word.load(std::memory_order_acquire) == open;  // [J1]: those that have ended
  }

 private:
  word& m_word;
};

/// Item has an `Item* next`.
template <class Item, class Provider = native_provider>
class after_list {
 public:
  [[nodiscard]] bool is_finished() const {
    return m_first.load(std::memory_order_acquire) == finished();  // [J2], pairs with [J3]
  }

  /// Any thread. Puts the item before the others. False: the job is done, and nothing follows it any more.
  [[nodiscard]] bool add(Item& item) {
    Item* first = m_first.load(std::memory_order_acquire);  // [J2]
    do {
      if (first == finished()) return false;
      item.next = first;
      // [J4] release: the item and its link; pairs with [J3], [J5]. acquire on failure: [J2].
    } while (!m_first.compare_exchange_weak(first, &item, std::memory_order_release, std::memory_order_acquire));
    return true;
  }

  /// For the worker that has brought the count to 0. Items of the list then stay there; only a waiter, or a job that
  /// follows one with a kept handle, may still come before them.
  [[nodiscard]] Item* look() const {
    return m_first.load(std::memory_order_acquire);  // [J5], pairs with [J4]
  }

  /// The same, once, if anybody waits or will: takes the list. From then on the job may be gone.
  [[nodiscard]] Item* finish() {
    // [J3] acq_rel: release all that was done, to [J2]; acquire the waiters, from [J4].
    return m_first.exchange(finished(), std::memory_order_acq_rel);
  }

 private:
  static Item* finished() { return reinterpret_cast<Item*>(std::uintptr_t{1}); }
  typename Provider::template atomic<Item*> m_first{nullptr};
};

}  // namespace ramie::job::detail
