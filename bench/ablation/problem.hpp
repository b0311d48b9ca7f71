// The suite `ablation`: what each optimization of a student's thread pool brings, on the five programs of the source,
// each as the suite of its name has it.
#pragma once

#include <ramie/c/threadpool_options.h>

#include <array>
#include <span>
#include <string_view>

#include "ablation/locked_pool/locked_pool.h"
#include "framework/options.hpp"
#include "framework/plan_builder.hpp"
#include "mergesort/problem.hpp"
#include "quicksort/problem.hpp"
#include "simpson/problem.hpp"

namespace bench::ablation {

struct sizes {
  mergesort::size mergesort;
  quicksort::size quicksort;
  unsigned queens;
  simpson::size simpson;
  unsigned fib;
};
[[nodiscard]] sizes sizes_at(scale s);

struct program {
  row_of_time row;           ///< of the whole
  std::string_view heading;  ///< in the source's table
  timed (*run)(const locked_pool_options& chosen, const sizes& n);
  timed (*run_ramie)(const thread_pool_options& chosen, const sizes& n);
  void (*prepare)(const sizes& n);  ///< makes the input
};
[[nodiscard]] std::span<const program> programs();

/// A line of the source's table, in its order.
struct line {
  std::string_view name;
  void (*change)(locked_pool_options& in);
  bool kept = false;      ///< by the lines after it; the others stand each on what was kept
  bool for_good = false;  ///< outlasts the pool: a process of its own each time
};
[[nodiscard]] std::span<const line> lines();
/// The locked pool with what was kept before this line, and its own.
[[nodiscard]] locked_pool_options options_of(const line& chosen, unsigned workers);
/// Null: there is none.
[[nodiscard]] const line* line_for_good();

}  // namespace bench::ablation
