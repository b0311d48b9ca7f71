// The distance that keeps two words from disturbing each other.
#pragma once

#include <cstddef>

namespace ramie {

/// Words written by different workers are kept this many bytes apart. 64 is the line of every x86-64 processor;
/// adjacent-line prefetch makes pairs of lines travel together on some, which measured as no difference here.
/// (std::hardware_destructive_interference_size warns in gcc and may differ between translation units.)
inline constexpr std::size_t cache_line_size = 64;

}  // namespace ramie
