// The common part of the suites over large arrays: how many items there are, and how a sorted array is judged.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "framework/options.hpp"
#include "framework/timed.hpp"
#include "kernel/huge_array.hpp"

namespace bench {

[[nodiscard]] inline std::size_t array_size_at(scale s) {
  switch (s) {
    case scale::tiny: return 50'000;
    case scale::quick: return 1'000'000;
    case scale::ordinary:
    case scale::full: break;
  }
  return 10'000'000;
}

/// `run`, verified if `found` is `sorted` item by item; `sorted` is the input in order, so it is a permutation then.
template <class Item>
[[nodiscard]] timed judged_as_sorted(timed run, const huge_array<Item>& sorted, const huge_array<Item>& found) {
  const auto [different, right] = std::mismatch(found.begin(), found.end(), sorted.begin());
  run.verified = different == found.end();
  if (run.verified) return run;
  const auto unsorted = std::is_sorted_until(found.begin(), found.end());
  if (unsorted != found.end()) {
    run.complaint = fmt::format("item {} is smaller than the one before it", unsorted - found.begin());
  } else {
    run.complaint = fmt::format("sorted, but no permutation of the input: item {} is {} instead of {}",
                                different - found.begin(), *different, *right);
  }
  return run;
}

}  // namespace bench
