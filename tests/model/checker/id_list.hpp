// A list of events that is copied with every execution: a dozen in place, more on the heap.
#pragma once

#include <model/checker/clock.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace ramie::model {

class id_list {
 public:
  [[nodiscard]] std::size_t size() const { return m_size; }
  [[nodiscard]] const event_id* begin() const { return m_size > few ? m_many.data() : m_few.data(); }
  [[nodiscard]] const event_id* end() const { return begin() + m_size; }
  [[nodiscard]] event_id operator[](std::size_t index) const { return begin()[index]; }
  [[nodiscard]] event_id back() const { return end()[-1]; }

  void push_back(event_id added) { insert(m_size, added); }
  void insert(std::size_t at, event_id added) {
    if (m_size < few) {
      std::copy_backward(m_few.begin() + at, m_few.begin() + m_size, m_few.begin() + m_size + 1);
      m_few[at] = added;
    } else {
      if (m_size == few) m_many.assign(m_few.begin(), m_few.end());
      m_many.insert(m_many.begin() + static_cast<std::ptrdiff_t>(at), added);
    }
    ++m_size;
  }
  void erase(event_id gone) { erase_at(static_cast<std::size_t>(std::find(begin(), end(), gone) - begin())); }
  void erase_at(std::size_t at) {
    if (m_size > few) {
      m_many.erase(m_many.begin() + static_cast<std::ptrdiff_t>(at));
      if (m_size == few + 1) std::ranges::copy(m_many, m_few.begin());
    } else {
      std::copy(m_few.begin() + at + 1, m_few.begin() + m_size, m_few.begin() + at);
    }
    --m_size;
  }

  friend bool operator<(const id_list& a, const id_list& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr std::size_t few = 12;
  std::size_t m_size = 0;
  std::array<event_id, few> m_few{};
  std::vector<event_id> m_many;  // all of them, where they are more
};

}  // namespace ramie::model
