// Sums that would fill a fiber's stack.
#pragma once

#include <cstddef>
#include <new>
#include <optional>

namespace ramie::detail {

/// Too large to lie in a frame of each level of a division.
template <class T>
inline constexpr bool is_large = sizeof(T) > 128;

/// A T, or none yet. A large one does not lie where this does: that is a frame of a recursion, on most levels of which
/// it is never made.
template <class T, bool Large = is_large<T>>
class compact_optional {
 public:
  /// Once: makes a T{}. False: there is no memory for it.
  [[nodiscard]] bool make() {
    m_made.emplace();
    return true;
  }
  /// Whether make() was false.
  [[nodiscard]] static constexpr bool has_failed() { return false; }
  explicit operator bool() const { return m_made.has_value(); }
  T& operator*() { return *m_made; }

 private:
  std::optional<T> m_made;
};

template <class T>
class compact_optional<T, true> {
 public:
  compact_optional() = default;
  compact_optional(const compact_optional&) = delete;
  compact_optional& operator=(const compact_optional&) = delete;
  ~compact_optional() { delete m_made; }

  [[nodiscard]] bool make() {
    m_made = new (std::nothrow) T();
    m_failed = m_made == nullptr;
    return !m_failed;
  }
  [[nodiscard]] bool has_failed() const { return m_failed; }
  explicit operator bool() const { return m_made != nullptr; }
  T& operator*() { return *m_made; }

 private:
  T* m_made = nullptr;
  bool m_failed = false;
};

/// Touches so many bytes of the stack below, page by page: a fiber that has less hits the guard, and the report says
/// so. A frame that is larger than the guard could step over it instead.
void probe_stack(std::size_t bytes);

/// For a few T in frames of functions that are not inlined here.
template <class T>
void probe_stack_for() {
  if constexpr (sizeof(T) >= 1024) probe_stack(4 * sizeof(T));
}

}  // namespace ramie::detail
