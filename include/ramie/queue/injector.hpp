// The way in from outside: threads that are no workers, wakers of other runtimes, lanes that overflow, and crowds of
// fibers woken at once.
//
// Two lists under one lock: single items, linked through their member `next`, and bundles of up to 64. Pushing never
// allocates and never fails: a bundle lies in memory of the waiters (on the stack of one of its items), and a million
// woken fibers are appended in one step. Taking a bundle is one step too: it is unlinked under the lock and read
// outside, item by item from an array. Through a list of items instead, each step would wait for a cache miss, under
// the lock. (Measured: 1,000,000 fibers, docs/performance.md.)
//
// The count beside the lock lets workers see that there is nothing without taking it.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/queue/bundle.hpp>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <span>

namespace ramie::queue {

template <class Node, class Provider = native_provider>
class injector {
  template <class T>
  using plain = typename Provider::template plain<T>;

 public:
  using bundle = queue::bundle<Node, Provider>;

  injector() = default;
  injector(const injector&) = delete;
  injector& operator=(const injector&) = delete;

  /// Any thread.
  void push(Node* node) {
    node->next = nullptr;
    const std::lock_guard guard(m_lock);
    append(m_first, m_last, node, node);
    publish(m_count + 1);
  }

  /// Any thread. In their order; at least one.
  void push(std::span<Node* const> nodes) {
    for (std::size_t i = 1; i < nodes.size(); ++i) nodes[i - 1]->next = nodes[i];
    nodes.back()->next = nullptr;
    const std::lock_guard guard(m_lock);
    append(m_first, m_last, nodes.front(), nodes.back());
    publish(m_count + nodes.size());
  }

  /// Any thread. The bundles from `first` to `last`, linked through `next`. They are read until their items are taken,
  /// and never after. Cost: a cache miss a bundle.
  void push(bundle* first, bundle* last) {
    last->next = nullptr;
    std::size_t count = 0;
    for (const bundle* each = first; each != nullptr; each = each->next) count += each->count;
    const std::lock_guard guard(m_lock);
    append(m_first_bundle, m_last_bundle, first, last);
    publish(m_count + count);
  }

  /// Any thread. Takes a bundle, or at most `singles` single items, in turns where there are both; oldest first within
  /// each kind. Returns how many. `out` has room for a bundle. Waits for the lock only where there is something.
  std::size_t pop_batch(std::span<Node*, bundle_capacity> out, std::size_t singles) {
    if (size() == 0) return 0;
    m_lock.lock();
    if (bundle* const taken = m_first_bundle; taken != nullptr && (m_bundles_turn || m_first == nullptr)) {
      m_first_bundle = taken->next;
      if (m_first_bundle == nullptr) m_last_bundle = nullptr;
      m_bundles_turn = false;
      publish(m_count - taken->count);
      m_lock.unlock();
      std::copy_n(taken->items, taken->count, out.begin());  // ours alone: its items run only when we let them
      return taken->count;
    }
    const std::lock_guard guard(m_lock, std::adopt_lock);
    std::size_t taken = 0;
    for (; taken < std::min(singles, out.size()) && m_first != nullptr; m_first = m_first->next) out[taken++] = m_first;
    if (m_first == nullptr) m_last = nullptr;
    m_bundles_turn = true;
    publish(m_count - taken);
    return taken;
  }

  /// Any thread; a guess by the time it is read, but never zero while a push that happened before is still there.
  [[nodiscard]] std::size_t size() const {
    // relaxed: the lists are read under the lock.
    return m_size.load(std::memory_order_relaxed);
  }

 private:
  template <class Link>
  static void append(plain<Link*>& list_first, plain<Link*>& list_last, Link* first, Link* last) {
    if (list_last != nullptr) {
      list_last->next = first;
    } else {
      list_first = first;
    }
    list_last = last;
  }

  void publish(std::size_t count) {
    m_count = count;
    m_size.store(count, std::memory_order_relaxed);
  }

  alignas(cache_line_size) typename Provider::template atomic<std::size_t> m_size{0};
  alignas(cache_line_size) lock_of<Provider> m_lock;
  // Under the lock:
  plain<Node*> m_first = nullptr;
  plain<Node*> m_last = nullptr;
  plain<bundle*> m_first_bundle = nullptr;
  plain<bundle*> m_last_bundle = nullptr;
  plain<std::size_t> m_count = 0;
  plain<bool> m_bundles_turn = true;
};

}  // namespace ramie::queue
