// Memory for a copy of the elements.
#pragma once

#include <cstddef>

namespace ramie::detail::sorting {

/// Huge pages where the kernel has some and it is worth while: the first touch of a page costs more than its merge.
/// Null if there is none. Of any alignment up to 2 MiB.
[[nodiscard]] void* allocate_scratch(std::size_t bytes, std::size_t alignment) noexcept;
void free_scratch(void* memory) noexcept;

/// `count` T without elements.
template <class T>
class scratch {
 public:
  explicit scratch(std::size_t count) noexcept
      : m_memory(count <= static_cast<std::size_t>(-1) / 2 / sizeof(T)
                     ? static_cast<T*>(allocate_scratch(count * sizeof(T), alignof(T)))
                     : nullptr) {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { free_scratch(m_memory); }

  /// Null: there is not so much.
  [[nodiscard]] T* get() const { return m_memory; }

 private:
  T* const m_memory;
};

}  // namespace ramie::detail::sorting
