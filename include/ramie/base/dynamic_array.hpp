// An array whose size is known when it is made: what is used here of <vector>.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace ramie::detail {

/// Elements on the heap, value-initialized. Can be moved, not copied.
template <class T>
class dynamic_array {
 public:
  dynamic_array() = default;
  /// Throws std::bad_alloc, and what T() throws.
  explicit dynamic_array(std::size_t size) : m_first(new T[size]()), m_size(size) {}
  /// Empty where there is no memory.
  dynamic_array(std::size_t size, const std::nothrow_t& quietly)
      : m_first(new(quietly) T[size]()), m_size(m_first != nullptr ? size : 0) {}
  dynamic_array(dynamic_array&& other) noexcept
      : m_first(std::exchange(other.m_first, nullptr)), m_size(std::exchange(other.m_size, 0)) {}
  dynamic_array& operator=(dynamic_array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~dynamic_array() { delete[] m_first; }

  void swap(dynamic_array& other) noexcept {
    std::swap(m_first, other.m_first);
    std::swap(m_size, other.m_size);
  }

  [[nodiscard]] std::size_t size() const { return m_size; }
  [[nodiscard]] bool empty() const { return m_size == 0; }
  [[nodiscard]] T& operator[](std::size_t at) { return m_first[at]; }
  [[nodiscard]] const T& operator[](std::size_t at) const { return m_first[at]; }
  [[nodiscard]] T* data() { return m_first; }
  [[nodiscard]] const T* data() const { return m_first; }
  [[nodiscard]] T* begin() { return m_first; }
  [[nodiscard]] T* end() { return m_first + m_size; }
  [[nodiscard]] const T* begin() const { return m_first; }
  [[nodiscard]] const T* end() const { return m_first + m_size; }

 private:
  T* m_first = nullptr;
  std::size_t m_size = 0;
};

}  // namespace ramie::detail
