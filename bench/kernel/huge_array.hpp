// Large inputs in huge pages where the kernel has some: random accesses then cost a cache miss, not a walk through the
// page table as well.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <sys/mman.h>
#include <type_traits>

namespace bench {

namespace detail {
struct freeing {
  void operator()(void* memory) const { std::free(memory); }
};
}  // namespace detail

/// A fixed number of T, zeroed; so its pages are there before a clock starts.
template <class T>
class huge_array {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  explicit huge_array(std::size_t size) : m_size(size) {
    constexpr std::size_t huge_page = std::size_t{2} << 20U;
    const std::size_t alignment = size * sizeof(T) >= huge_page ? huge_page : 64;
    const std::size_t bytes = (size * sizeof(T) + alignment - 1) / alignment * alignment;
    m_memory.reset(static_cast<T*>(std::aligned_alloc(alignment, bytes != 0 ? bytes : alignment)));
    if (!m_memory) throw std::bad_alloc();
    if (alignment == huge_page) madvise(m_memory.get(), bytes, MADV_HUGEPAGE);  // a wish; it may fail
    std::uninitialized_value_construct_n(m_memory.get(), size);
  }

  [[nodiscard]] std::size_t size() const { return m_size; }
  [[nodiscard]] T* data() { return m_memory.get(); }
  [[nodiscard]] const T* data() const { return m_memory.get(); }
  T& operator[](std::size_t i) { return m_memory.get()[i]; }
  const T& operator[](std::size_t i) const { return m_memory.get()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + m_size; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + m_size; }

 private:
  std::size_t m_size;
  std::unique_ptr<T, detail::freeing> m_memory;
};

}  // namespace bench
