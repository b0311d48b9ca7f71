// How C++ fails into C: a code, and a sentence for ramie_last_error().
#pragma once

#include <ramie/base/error.hpp>
#include <ramie/c/ramie.h>

#include <stdexcept>
#include <string_view>

namespace ramie::c {

/// An argument of a C function that cannot be meant: RAMIE_ERROR_ARGUMENT.
class bad_argument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// A newer program asks for what this library does not know: RAMIE_ERROR_UNKNOWN_OPTION.
class unknown_option : public bad_option {
 public:
  using bad_option::bad_option;
};

/// Keeps the sentence for the calling kernel thread and returns the code. Never waits.
int failed(ramie_error code, std::string_view sentence) noexcept;
/// The same for the exception that is being handled, thrown by ramie itself.
int failed() noexcept;
/// The same where it came out of a function that C or C++ gave us: with spawn_error no stack was there to call it on.
int escaped() noexcept;

[[noreturn, gnu::cold]] void throw_given_null(const char* function, const char* what);
[[noreturn, gnu::cold]] void fail_given_null(const char* function, const char* what);

/// For functions that return a code. Throws bad_argument, "<function> was given NULL as <what>".
inline void expect(const void* given, const char* function, const char* what) {
  if (given == nullptr) [[unlikely]]
    throw_given_null(function, what);
}

/// For functions that do not. Ends the process with the same sentence.
inline void require(const void* given, const char* function, const char* what) {
  if (given == nullptr) [[unlikely]]
    fail_given_null(function, what);
}

inline constexpr const char* the_function = "the function. Give the address of one.";
inline constexpr const char* the_place = "the place for what it makes. Give the address of a pointer.";
inline constexpr const char* the_runtime = "the runtime. Give what ramie_runtime_new stored, if it returned RAMIE_OK.";
inline constexpr const char* the_fiber = "the fiber. Give what ramie_spawn stored, if it returned RAMIE_OK.";
inline constexpr const char* the_counter = "the counter. Give what ramie_counter_new stored, if it returned RAMIE_OK.";

/// RAMIE_OK, or the code of what `action` throws. May switch fibers inside, because nothing here outlives that.
template <class Action>
[[gnu::always_inline]] inline int guarded(Action&& action) noexcept {
  try {
    action();
    return RAMIE_OK;
  } catch (...) {
    return failed();
  }
}

}  // namespace ramie::c
