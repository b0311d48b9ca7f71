// Sums that would fill a fiber's stack.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>

namespace ramie::detail {

/// Too large to lie in a frame of each level of a division.
template <class T>
inline constexpr bool is_large = sizeof(T) > 128;

/// A T, or none yet. A large one does not lie where this does: that is a frame of a recursion, on most levels of which
/// it is never made.
template <class T>
class set_aside {
 public:
  /// Makes a T{}. False: there is no memory for it.
  [[nodiscard]] bool make() {
    if constexpr (is_large<T>) {
      m_made.reset(new (std::nothrow) T());
    } else {
      m_made.emplace();
    }
    return static_cast<bool>(m_made);
  }
  explicit operator bool() const { return static_cast<bool>(m_made); }
  T& operator*() { return *m_made; }

 private:
  std::conditional_t<is_large<T>, std::unique_ptr<T>, std::optional<T>> m_made;
};

/// Touches so many bytes of the stack below, page by page: whoever has less hits the guard, and is told so. A frame
/// that is larger than the guard could step over it instead.
void probe_stack(std::size_t bytes);

/// For a few T in frames of functions that are not inlined here.
template <class T>
void probe_stack_for() {
  if constexpr (sizeof(T) >= 1024) probe_stack(4 * sizeof(T));
}

}  // namespace ramie::detail
