// Not for users.
//
// Recycling of equal objects with a cache a worker: tasks and fibers.
//
// The magazine scheme of Bonwick and Adams ("Magazines and Vmem", USENIX 2001): each worker keeps two lists of up to
// `magazine_size` objects and exchanges whole lists with a depot that all share. Taking and giving are a few
// instructions; the depot's lock is taken once in magazine_size operations, also when one worker makes all objects and
// another ends them all.
#pragma once

#include <cstddef>
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

/// One worker's cache before a Source: `magazine<Node> Source::refill()` gives some or none,
/// `Source::give_back(magazine)` takes them.
template <class Node, class Source>
class magazine_cache {
 public:
  /// Owner. Null only if the source has none.
  Node* take(Source& source) {
    if (Node* const node = take_quickly()) [[likely]]
      return node;
    return take_slowly(source);
  }
  /// Owner.
  void give(Node* node, Source& source) {
    if (!give_quickly(node)) [[unlikely]]
      give_slowly(node, source);
  }

  /// Owner. The parts of the two that do not touch the source. Null, and false: the other part does the rest.
  Node* take_quickly() { return m_loaded.pop(); }
  [[nodiscard]] bool give_quickly(Node* node) {
    if (m_loaded.count >= magazine_size) return false;
    m_loaded.push(node);
    return true;
  }

  // Functions of their own, so that the fast paths need no registers for what they do once in 64 times.
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

  /// Owner, or anyone when there is no owner any more.
  void flush(Source& source) {
    source.give_back(std::exchange(m_loaded, {}));
    source.give_back(std::exchange(m_spare, {}));
  }

 private:
  magazine<Node> m_loaded;
  magazine<Node> m_spare;
};

}  // namespace ramie::detail
