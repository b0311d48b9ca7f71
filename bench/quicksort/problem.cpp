#include "quicksort/problem.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "kernel/splitmix.hpp"

namespace bench::quicksort {
namespace {

fingerprint content_of(const huge_array<item>& items) {
  fingerprint found;
  for (const item each : items) {
    const auto bits = static_cast<std::uint64_t>(each);
    found.sum += bits;
    found.mixed += splitmix(bits).next();
  }
  return found;
}

}  // namespace

size size_at(scale s) {
  switch (s) {
    case scale::tiny: return {.items = 20'000, .cutoff = 32};
    case scale::quick: return {.items = 1'000'000, .cutoff = 32};
    case scale::ordinary:
    case scale::full: break;
  }
  return {.items = 10'000'000, .cutoff = 32};
}

[[gnu::noinline]] std::pair<slice, slice> partition(const slice& s) {
  item* const data = s.data;
  // In order, the three are also what the two searches below stop at, so neither looks for the end.
  item& middle = data[s.size / 2];
  item& last = data[s.size - 1];
  if (middle < data[0]) std::swap(middle, data[0]);
  if (last < middle) {
    std::swap(last, middle);
    if (middle < data[0]) std::swap(middle, data[0]);
  }
  const item pivot = middle;
  std::size_t low = 0;
  std::size_t high = s.size - 1;
  for (;;) {
    do ++low;
    while (data[low] < pivot);
    do --high;
    while (pivot < data[high]);
    if (low >= high) break;
    std::swap(data[low], data[high]);
  }
  return {{data, high + 1}, {data + high + 1, s.size - high - 1}};
}

[[gnu::noinline]] void sort_by_insertion(const slice& s) {
  for (std::size_t i = 1; i < s.size; ++i) {
    const item moving = s.data[i];
    std::size_t place = i;
    for (; place > 0 && moving < s.data[place - 1]; --place) s.data[place] = s.data[place - 1];
    s.data[place] = moving;
  }
}

std::uint64_t sort_serially(slice s, std::size_t cutoff) {
  std::uint64_t partitions = 0;
  while (s.size > cutoff) {
    const auto [first, second] = partition(s);
    partitions += 1 + sort_serially(second, cutoff);
    s = first;
  }
  sort_by_insertion(s);
  return partitions;
}

const problem& problem_of(const size& n) {
  static std::optional<problem> kept;
  if (kept && kept->n == n) return *kept;
  kept.reset();
  kept.emplace(problem{n, huge_array<item>(n.items), {}, 0});
  splitmix random(1);
  for (item& each : kept->input) each = static_cast<item>(random.next());
  kept->content = content_of(kept->input);
  huge_array<item> once = copy_of(*kept);
  kept->partitions = sort_serially(all_of(once), n.cutoff);
  return *kept;
}

huge_array<item> copy_of(const problem& p) {
  huge_array<item> items(p.input.size());
  std::copy(p.input.begin(), p.input.end(), items.begin());
  return items;
}

timed judged(timed run, const problem& p, const huge_array<item>& found) {
  run.stats["tasks"] = static_cast<double>(p.partitions);
  const auto unsorted = std::is_sorted_until(found.begin(), found.end());
  if (unsorted != found.end()) {
    run.complaint = fmt::format("item {} is smaller than the one before it", unsorted - found.begin());
  } else if (content_of(found) != p.content) {
    run.complaint = "sorted, but no permutation of the input";
  } else {
    run.verified = true;
  }
  return run;
}

}  // namespace bench::quicksort
