// What the code of a landing pad does in the end.
#pragma once

namespace ramie::detail {

struct landing_pad_ends {
  bool resumes = false;     // goes on unwinding, or cannot be followed
  bool terminates = false;  // std::terminate(), before it has caught anything
  bool catches = false;
};

/// Follows the branches of the code from there, and no calls. Tables alone do not tell: for cleanup within a noexcept
/// function gcc writes the same as for cleanup elsewhere, and lets the cleanup's code end in std::terminate(); clang
/// writes a handler for everything, which calls that. Any thread; some µs.
[[nodiscard]] landing_pad_ends ends_of_landing_pad(const unsigned char* code) noexcept;

}  // namespace ramie::detail
