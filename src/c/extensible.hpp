// Structs that grow at their end, between programs and libraries of different age: the rule of clone3(2) and
// copy_struct_from_user() in the kernel.
#pragma once

#include "c/error.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

namespace ramie::c {

/// Longer than any struct of any version will be: a size above it was never set.
inline constexpr std::size_t longest_struct = 4096;

/// The values of `given`, in the struct as this library knows it. NULL: `defaults`. Fields that an older program's
/// struct does not have yet are as in `defaults`; what this library does not know of a newer one's must be 0, or
/// unknown_option is thrown. `first_size`: how long the struct was in the first version that had it; bad_argument if
/// `size` is less, or more than longest_struct. `name` is for the sentence.
///
/// Not inlined: a compiler that sees an older program's struct would take the read of the newer one for an overrun.
template <class Struct>
[[gnu::noinline]] Struct read_extensible(const char* name, const Struct* given, const Struct& defaults,
                                         std::size_t first_size) {
  static_assert(std::is_trivially_copyable_v<Struct> && offsetof(Struct, size) == 0);
  if (given == nullptr) return defaults;
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size < first_size || size > longest_struct) {
    throw bad_argument(std::string(name) + ".size is " + std::to_string(size) +
                       ", which no version of ramie had; begin with the initializer of ramie/c/ramie.h, which sets it");
  }
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(Struct) && std::any_of(bytes + sizeof(Struct), bytes + size, [](auto byte) { return byte != 0; })) {
    throw unknown_option(std::string(name) + " sets an option that begins after byte " +
                         std::to_string(sizeof(Struct)) +
                         ", where this version of ramie has none; leave it 0, or use a newer library");
  }
  Struct known = defaults;
  std::memcpy(&known, given, std::min(size, sizeof(Struct)));
  return known;
}

}  // namespace ramie::c
