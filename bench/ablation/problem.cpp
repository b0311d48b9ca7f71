#include "ablation/problem.hpp"

#include <algorithm>

#include "fib/contenders.hpp"
#include "mergesort/contenders.hpp"
#include "nqueens/contenders.hpp"
#include "quicksort/contenders.hpp"
#include "simpson/contenders.hpp"

namespace bench::ablation {
namespace {

/// The time of all, as the source gives it, whatever the suite of that program divides by.
timed whole(timed run) {
  run.operations = 1;
  return run;
}

template <class Run>
constexpr program on_both_pools(row_of_time row, std::string_view heading, Run run, void (*prepare)(const sizes& n)) {
  return {.row = row, .heading = heading, .run = run, .run_ramie = run, .prepare = prepare};
}

constexpr std::array all_programs{
    on_both_pools(
        {"mergesort", "ms"}, "MS",
        [](const auto& chosen, const sizes& n) {
          return whole(run_threadpool(chosen, mergesort::merging::sequential, mergesort::problem_of(n.mergesort)));
        },
        [](const sizes& n) { static_cast<void>(mergesort::problem_of(n.mergesort)); }),
    on_both_pools(
        {"quicksort", "ms"}, "QS",
        [](const auto& chosen, const sizes& n) {
          return whole(run_threadpool(chosen, quicksort::problem_of(n.quicksort)));
        },
        [](const sizes& n) { static_cast<void>(quicksort::problem_of(n.quicksort)); }),
    on_both_pools(
        {"nqueens", "ms"}, "NQ",
        [](const auto& chosen, const sizes& n) { return whole(nqueens::run_threadpool(chosen, n.queens)); },
        [](const sizes&) {}),
    on_both_pools(
        {"simpson", "ms"}, "S",
        [](const auto& chosen, const sizes& n) {
          return whole(run_threadpool(chosen, simpson::problem_of(n.simpson)));
        },
        [](const sizes& n) { static_cast<void>(simpson::problem_of(n.simpson)); }),
    on_both_pools(
        {"fib", "ms"}, "F",
        [](const auto& chosen, const sizes& n) { return whole(fib::run_threadpool(chosen, n.fib)); },
        [](const sizes&) {}),
};

using options_to_change = locked_pool_options&;

constexpr std::array all_lines{
    line{.name = "base", .change = [](options_to_change) {}, .kept = true},
    line{.name = "const", .change = [](options_to_change o) { o.const_fields = true; }, .kept = true},
    line{.name = "pinning", .change = [](options_to_change o) { o.pin = true; }, .kept = true},
    line{.name = "delayed_sleep", .change = [](options_to_change o) { o.delayed_sleep = true; }, .kept = true},
    line{.name = "padding", .change = [](options_to_change o) { o.padding = true; }, .kept = true},
    line{.name = "fewer_locks", .change = [](options_to_change o) { o.fewer_locks = true; }},
    line{.name = "unsigned_ids", .change = [](options_to_change o) { o.unsigned_ids = true; }},
    line{.name = "unsafe_reads", .change = [](options_to_change o) { o.unsafe_reads = true; }},
    line{.name = "no_push_when_full", .change = [](options_to_change o) { o.push_limit = 16; }},
    line{.name = "future_reuse", .change = [](options_to_change o) { o.reuse_futures = true; }},
    line{.name = "mallopt", .change = [](options_to_change o) { o.keep_heap = true; }, .for_good = true},
    line{.name = "status_bits", .change = [](options_to_change o) { o.future_layout = LOCKED_FUTURE_STATUS_BITS; }},
    line{.name = "result_in_data",
         .change = [](options_to_change o) { o.future_layout = LOCKED_FUTURE_RESULT_IN_DATA; }},
    line{.name = "without_pool", .change = [](options_to_change o) { o.future_layout = LOCKED_FUTURE_WITHOUT_POOL; }},
    line{.name = "futex", .change = [](options_to_change o) { o.future_layout = LOCKED_FUTURE_FUTEX; }},
};

}  // namespace

sizes sizes_at(scale s) {
  switch (s) {
    case scale::tiny:
      return {.mergesort = {.items = 10'000, .cutoff = 200, .merge_grain = 500},
              .quicksort = {.items = 5'000, .cutoff = 32},
              .queens = 6,
              .simpson = {.from = 0.1, .tolerance = 1e-6},
              .fib = 12};
    case scale::quick:
      return {.mergesort = {.items = 500'000, .cutoff = 1'000, .merge_grain = 32'768},
              .quicksort = {.items = 200'000, .cutoff = 32},
              .queens = 11,
              .simpson = {.from = 0.0005, .tolerance = 1e-12},
              .fib = 26};
    case scale::ordinary: break;
    case scale::full:
      return {.mergesort = {.items = 100'000'000, .cutoff = 1'000, .merge_grain = 32'768},
              .quicksort = {.items = 50'000'000, .cutoff = 32},
              .queens = 14,
              .simpson = {.from = 0.00001, .tolerance = 1e-11},
              .fib = 36};
  }
  return {.mergesort = {.items = 5'000'000, .cutoff = 1'000, .merge_grain = 32'768},
          .quicksort = {.items = 2'000'000, .cutoff = 32},
          .queens = 13,
          .simpson = {.from = 0.00005, .tolerance = 1e-12},
          .fib = 31};
}

std::span<const program> programs() { return all_programs; }
std::span<const line> lines() { return all_lines; }

locked_pool_options options_of(const line& chosen, unsigned workers) {
  locked_pool_options made{};
  made.nthreads = static_cast<int>(workers);
  for (const line& before : all_lines) {
    if (before.name == chosen.name) break;
    if (before.kept) before.change(made);
  }
  chosen.change(made);
  return made;
}

const line* line_for_good() {
  const auto* const found =
      std::find_if(all_lines.begin(), all_lines.end(), [](const line& each) { return each.for_good; });
  return found == all_lines.end() ? nullptr : found;
}

}  // namespace bench::ablation
