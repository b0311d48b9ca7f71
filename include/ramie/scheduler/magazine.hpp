// Recycling of equal objects with a cache a worker: tasks and fibers.
//
// The magazine scheme of Bonwick and Adams ("Magazines and Vmem", USENIX 2001): each worker keeps two lists of up to
// `magazine_size` objects and exchanges whole lists with a depot that all share. Taking and giving are a few
// instructions; the depot's lock is taken once in magazine_size operations, also when one worker makes all objects and
// another ends them all.
#pragma once

#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>

#include <cstddef>
#include <mutex>
#include <utility>

namespace ramie::detail {

inline constexpr std::size_t magazine_size = 64;

/// A list of free objects through their member `next`.
template <class Node>
struct magazine {
  Node* first = nullptr;
  std::size_t count = 0;

  void push(Node* node) {
    node->next = first;
    first = node;
    ++count;
  }
  Node* pop() {
    Node* const node = first;
    if (node != nullptr) {
      first = static_cast<Node*>(node->next);
      --count;
    }
    return node;
  }
};

/// Full magazines, linked through the member `next_magazine` of their first objects. Any thread.
template <class Node, class Provider = native_provider>
class magazine_depot {
 public:
  void give(magazine<Node> full) {
    if (full.count == 0) return;
    const std::lock_guard guard(m_lock);
    full.first->next_magazine = m_first;
    full.first->magazine_count = full.count;
    m_first = full.first;
    m_count = m_count + full.count;
  }

  /// Empty if there is none.
  magazine<Node> take() {
    const std::lock_guard guard(m_lock);
    magazine<Node> taken;
    if (m_first != nullptr) {
      taken = {m_first, m_first->magazine_count};
      m_first = m_first->next_magazine;
      m_count = m_count - taken.count;
    }
    return taken;
  }

  [[nodiscard]] std::size_t count() const {
    const std::lock_guard guard(m_lock);
    return m_count;
  }

 private:
  mutable ramie::lock_of<Provider> m_lock;
  typename Provider::template plain<Node*> m_first = nullptr;
  typename Provider::template plain<std::size_t> m_count = 0;  // objects
};

/// One worker's cache before a Source: `magazine<Node> Source::refill()` gives some or none,
/// `Source::give_back(magazine)` takes them.
template <class Node, class Source>
class magazine_cache {
 public:
  /// Owner. Null only if the source has none.
  Node* take(Source& source) {
    if (Node* const node = m_loaded.pop()) [[likely]]
      return node;
    return take_slowly(source);
  }

  /// Owner.
  void give(Node* node, Source& source) {
    if (m_loaded.count >= magazine_size) [[unlikely]]
      return give_slowly(node, source);
    m_loaded.push(node);
  }

  /// Owner, or anyone when there is no owner any more.
  void flush(Source& source) {
    source.give_back(std::exchange(m_loaded, {}));
    source.give_back(std::exchange(m_spare, {}));
  }

 private:
  // Calls, so that the fast paths need no registers for what they do once in 64 times.
  [[gnu::noinline]] Node* take_slowly(Source& source) {
    std::swap(m_loaded, m_spare);
    if (m_loaded.count == 0) m_loaded = source.refill();
    return m_loaded.pop();
  }
  [[gnu::noinline]] void give_slowly(Node* node, Source& source) {
    if (m_spare.count != 0) source.give_back(std::exchange(m_spare, {}));
    std::swap(m_loaded, m_spare);
    m_loaded.push(node);
  }

  magazine<Node> m_loaded;
  magazine<Node> m_spare;
};

}  // namespace ramie::detail
