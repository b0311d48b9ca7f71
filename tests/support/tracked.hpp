// A value that counts how many of it there are, for tests that nothing is lost when something is thrown.
#pragma once

#include <atomic>
#include <string>
#include <utility>

namespace ramie::test {

/// Has no default value. The value is a text, so that appending is associative and not commutative.
class tracked {
 public:
  explicit tracked(std::string text) : m_text(std::move(text)) { ++alive; }
  tracked(const tracked& other) : m_text(other.m_text) { ++alive; }
  tracked(tracked&& other) noexcept : m_text(std::move(other.m_text)) { ++alive; }
  tracked& operator=(const tracked&) = default;
  tracked& operator=(tracked&&) noexcept = default;
  ~tracked() { --alive; }

  [[nodiscard]] const std::string& text() const { return m_text; }
  friend bool operator==(const tracked&, const tracked&) = default;

  static inline std::atomic<int> alive{0};

 private:
  std::string m_text;
};

inline tracked appended(const tracked& left, const tracked& right) { return tracked(left.text() + right.text()); }

}  // namespace ramie::test
