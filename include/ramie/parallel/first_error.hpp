// Of several exceptions, the one to leave with.
#pragma once

#include <ramie/base/futex_lock.hpp>

#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

namespace ramie::detail {

/// The exception that the calling handler has caught, on a fiber. Ends the process, with a sentence, if that is no
/// exception.
[[nodiscard, gnu::cold]] std::exception_ptr caught_here() noexcept;

class first_error {
 public:
  /// Keeps the exception (without one: that of the handler which calls), unless one with a number at or below this one
  /// is there already. Any thread.
  void keep(std::uint64_t number = 0, std::exception_ptr caught = caught_here()) noexcept {
    const std::lock_guard guard(m_lock);
    if (m_error != nullptr && m_number <= number) return;
    m_number = number;
    std::swap(m_error, caught);  // the other one ends outside of the lock
  }

  /// Calls function(), and keeps its exception. Any thread.
  template <class Function>
  void keep_what_throws(const Function& function) noexcept {
    try {
      function();
    } catch (...) {
      keep();
    }
  }

  /// When nobody keeps any more: throws the kept exception, and keeps it no longer.
  void rethrow() {
    if (m_error != nullptr) std::rethrow_exception(std::exchange(m_error, nullptr));
  }

 private:
  futex_lock<> m_lock;
  std::uint64_t m_number = 0;
  std::exception_ptr m_error;
};

}  // namespace ramie::detail
