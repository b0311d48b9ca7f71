// The way in from outside: threads that are no workers, wakers of other runtimes, and lanes that overflow.
//
// A list through the items themselves (they have a member `next`), so pushing never allocates, never fails, and a chain
// of a million woken fibers is appended in one step. Under a lock: it is entered by strangers, rarely, and a batch at a
// time. The count beside it lets workers see that it is empty without the lock.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>

#include <cstddef>
#include <mutex>
#include <span>

namespace ramie::queue {

template <class Node, class Provider = std_provider>
class injector {
 public:
  injector() = default;
  injector(const injector&) = delete;
  injector& operator=(const injector&) = delete;

  /// Any thread.
  void push(Node* node) { push_chain(node, node, 1); }

  /// Any thread. `first` … `last` are linked through `next`; there are `count` of them.
  void push_chain(Node* first, Node* last, std::size_t count) {
    last->next = nullptr;
    const std::lock_guard guard(m_lock);
    (m_last != nullptr ? m_last->next : m_first) = first;
    m_last = last;
    publish(m_count + count);
  }

  /// Any thread. Takes at most out.size() items, oldest first; returns how many. Waits for the lock only where the
  /// injector is not empty.
  std::size_t pop_batch(std::span<Node*> out) {
    if (size() == 0) return 0;
    const std::lock_guard guard(m_lock);
    std::size_t taken = 0;
    while (taken < out.size() && m_first != nullptr) {
      out[taken++] = m_first;
      m_first = m_first->next;
    }
    if (m_first == nullptr) m_last = nullptr;
    publish(m_count - taken);
    return taken;
  }

  /// Any thread; a guess by the time it is read, but never zero while a push that happened before is still there.
  [[nodiscard]] std::size_t size() const {
    // acquire, pairs with [J1]: a push seen here is seen whole.
    return m_size.load(std::memory_order_acquire);
  }

 private:
  void publish(std::size_t count) {
    m_count = count;
    m_size.store(count, std::memory_order_release);  // [J1]
  }

  alignas(cache_line_size) typename Provider::template atomic<std::size_t> m_size{0};
  alignas(cache_line_size) futex_lock<Provider> m_lock;
  // Under the lock:
  typename Provider::template plain<Node*> m_first = nullptr;
  typename Provider::template plain<Node*> m_last = nullptr;
  typename Provider::template plain<std::size_t> m_count = 0;
};

}  // namespace ramie::queue
