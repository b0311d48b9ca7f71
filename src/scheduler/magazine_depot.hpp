// Where workers exchange whole magazines of free objects: see magazine.hpp.
#pragma once

#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/scheduler/magazine.hpp>

#include <cstddef>
#include <mutex>

namespace ramie::detail {

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

}  // namespace ramie::detail
