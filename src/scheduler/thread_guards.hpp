// The guards of every kernel thread that runs fibers, on its own stack or on others.
#pragma once

#include <ramie/base/error.hpp>
#include <ramie/base/exit_watch.hpp>
#include <ramie/stack/alternate_stack.hpp>

#include <new>
#include <optional>

namespace ramie::detail {

/// While it lives, a stack that overflows on the calling thread is reported, and an exit() by it is noticed.
class thread_guards {
 public:
  thread_guards() noexcept {
    try {
      m_for_overflow_reports.emplace();
    } catch (const spawn_error&) {
      // Without memory for it an overflow still ends the process, only without the report.
    } catch (const std::bad_alloc&) {  // for the sentence of spawn_error
    }
  }

 private:
  std::optional<stack::alternate_stack> m_for_overflow_reports;
  exit_watch m_exits;
};

}  // namespace ramie::detail
