// The suite `skynet`: a tree in which every node has ten children, down to the leaves, each of which is a task that
// returns its number; their sum goes up. (github.com/atemerev/skynet) Nearly all nodes are leaves that do nothing.
#pragma once

#include <cstdint>

#include "framework/options.hpp"
#include "framework/plan_builder.hpp"

namespace bench::skynet {

inline constexpr row_of_time row{"skynet", "ns"};
inline constexpr unsigned children = 10;

/// How many leaves: a power of ten.
[[nodiscard]] std::uint64_t leaves_at(scale s);
/// Goroutines are slower.
[[nodiscard]] std::uint64_t leaves_of_go_at(scale s);

struct result {
  std::uint64_t sum = 0;
  std::uint64_t leaves = 0;

  result& operator+=(const result& other) {
    sum += other.sum;
    leaves += other.leaves;
    return *this;
  }
};

/// The leaf with this number.
[[nodiscard]] constexpr result leaf(std::uint64_t number) { return {number, 1}; }

/// By calls. Of the node whose leaves are `first` and the `leaves - 1` after it.
[[nodiscard, gnu::noinline]] result plain_call(std::uint64_t first, std::uint64_t leaves);

[[nodiscard]] timed judged(timed run, std::uint64_t leaves, const result& found);

}  // namespace bench::skynet
