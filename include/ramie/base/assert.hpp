// Two kinds of check.
//
// RAMIE_ASSERT(condition, "sentence")  an invariant of ramie itself; checked in builds with RAMIE_ASSERTIONS.
// fail("sentence")                     a rule that the caller broke; always checked, says what to do, and aborts.
#pragma once

#include <ramie/base/config.hpp>
#include <source_location>
#include <string_view>

namespace ramie::detail {

/// Called once before the process aborts, to add the failing thread's place (worker, fiber). Set by the scheduler; base
/// itself knows nothing of either. Must be safe to call from any state.
using state_dump = void (*)() noexcept;
void set_state_dump(state_dump dump) noexcept;

/// Writes "ramie: <what> <detail>" and the state dump to standard error, then aborts. Any thread; allocates nothing.
[[noreturn]] void fail(std::string_view what, std::string_view detail = {}) noexcept;

/// Writes which invariant did not hold and where, then as fail().
[[noreturn]] void assertion_failed(const char* condition, const char* sentence, std::source_location where) noexcept;

}  // namespace ramie::detail

#if RAMIE_ASSERTIONS
#define RAMIE_ASSERT(condition, sentence) \
  (static_cast<bool>(condition)           \
       ? static_cast<void>(0)             \
       : ::ramie::detail::assertion_failed(#condition, sentence, ::std::source_location::current()))
#else
#define RAMIE_ASSERT(condition, sentence) static_cast<void>(0)
#endif
