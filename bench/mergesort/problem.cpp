#include "mergesort/problem.hpp"

#include <algorithm>
#include <optional>

#include "kernel/large_arrays.hpp"
#include "kernel/splitmix.hpp"

namespace bench::mergesort {
namespace {

constexpr std::size_t network_size = 8;

void order(item& low, item& high) {
  const item a = low;
  const item b = high;
  low = a < b ? a : b;
  high = a < b ? b : a;
}

// 19 comparisons without a branch (Knuth, The Art of Computer Programming, vol. 3, 5.3.4).
void sort_8(const item* from, item* to) {
  item v0 = from[0];
  item v1 = from[1];
  item v2 = from[2];
  item v3 = from[3];
  item v4 = from[4];
  item v5 = from[5];
  item v6 = from[6];
  item v7 = from[7];
  order(v0, v2), order(v1, v3), order(v4, v6), order(v5, v7);
  order(v0, v4), order(v1, v5), order(v2, v6), order(v3, v7);
  order(v0, v1), order(v2, v3), order(v4, v5), order(v6, v7);
  order(v2, v4), order(v3, v5);
  order(v1, v4), order(v3, v6);
  order(v1, v2), order(v3, v4), order(v5, v6);
  to[0] = v0;
  to[1] = v1;
  to[2] = v2;
  to[3] = v3;
  to[4] = v4;
  to[5] = v5;
  to[6] = v6;
  to[7] = v7;
}

void sort_few(const item* from, item* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const item moving = from[i];
    std::size_t place = i;
    for (; place > 0 && to[place - 1] > moving; --place) to[place] = to[place - 1];
    to[place] = moving;
  }
}

void sort_runs(const item* from, item* to, std::size_t n) {
  std::size_t i = 0;
  for (; i + network_size <= n; i += network_size) sort_8(from + i, to + i);
  sort_few(from + i, to + i, n - i);
}

// Without a branch on the items, and from both ends at once: two chains of dependent loads instead of one. As long as
// both runs have `rounds` items, neither end can run out of them, whichever it takes.
[[gnu::always_inline]] inline void merge_inline(const merge_job& job) {
  const item* a = job.a;
  const item* b = job.b;
  const item* a_end = a + job.a_size;
  const item* b_end = b + job.b_size;
  item* out = job.out;
  item* out_end = out + job.size();
  for (;;) {
    std::size_t rounds = static_cast<std::size_t>(std::min(a_end - a, b_end - b));
    if (rounds == 0) break;
    for (; rounds != 0; --rounds) {
      const item first_a = *a;
      const item first_b = *b;
      const bool take_a = first_a <= first_b;
      *out++ = take_a ? first_a : first_b;
      a += take_a;
      b += !take_a;

      const item last_a = a_end[-1];
      const item last_b = b_end[-1];
      const bool take_last_b = last_a <= last_b;
      *--out_end = take_last_b ? last_b : last_a;
      b_end -= take_last_b;
      a_end -= !take_last_b;
    }
  }
  std::copy(b, b_end, std::copy(a, a_end, out));
}

}  // namespace

size size_at(scale s) {
  switch (s) {
    case scale::tiny: return {.items = 10'000, .cutoff = 200, .merge_grain = 500};
    case scale::quick: return {.items = 1'000'000, .cutoff = 5'000, .merge_grain = 32'768};
    case scale::ordinary:
    case scale::full: break;
  }
  return {.items = 5'000'000, .cutoff = 5'000, .merge_grain = 32'768};
}

[[gnu::noinline]] void sort_leaf(item* data, item* buffer, std::size_t n, bool into_buffer) {
  // As many passes as it takes; the first writes to where an even number of changes leads to the right place.
  bool in_buffer = into_buffer;
  for (std::size_t width = network_size; width < n; width *= 2) in_buffer = !in_buffer;
  item* from = in_buffer ? buffer : data;
  item* to = in_buffer ? data : buffer;
  sort_runs(data, from, n);
  for (std::size_t width = network_size; width < n; width *= 2) {
    for (std::size_t i = 0; i < n; i += 2 * width) {
      const std::size_t a_size = std::min(width, n - i);
      const std::size_t b_size = std::min(width, n - i - a_size);
      merge_inline({from + i, a_size, from + i + a_size, b_size, to + i});
    }
    std::swap(from, to);
  }
}

[[gnu::noinline]] void merge(const merge_job& job) { merge_inline(job); }

std::pair<merge_job, merge_job> merge_job::split_at(std::size_t count) const {
  // How many of the first `count` come from a: the least number that leaves no item of b before an item of a that is
  // not greater (Siebert and Träff, "Efficient MPI implementation of a parallel, stable merge algorithm", 2012).
  std::size_t low = count > b_size ? count - b_size : 0;
  std::size_t high = std::min(count, a_size);
  while (low < high) {
    const std::size_t from_a = low + (high - low) / 2;
    if (a[from_a] <= b[count - from_a - 1]) {
      low = from_a + 1;
    } else {
      high = from_a;
    }
  }
  const std::size_t from_b = count - low;
  return {{a, low, b, from_b, out}, {a + low, a_size - low, b + from_b, b_size - from_b, out + count}};
}

void sort_serially(const slice& s, std::size_t cutoff) {
  if (s.size <= cutoff) return s.sort_leaf();
  const auto [first, second] = s.halves();
  sort_serially(first, cutoff);
  sort_serially(second, cutoff);
  merge(s.merge_of_halves());
}

const problem& problem_of(const size& n) {
  static std::optional<problem> kept;
  if (kept && kept->n == n) return *kept;
  kept.reset();
  kept.emplace(problem{n, huge_array<item>(n.items), huge_array<item>(n.items)});
  splitmix random(1);
  for (item& each : kept->input) each = random.next_32();
  std::copy(kept->input.begin(), kept->input.end(), kept->sorted.begin());
  std::sort(kept->sorted.begin(), kept->sorted.end());
  return *kept;
}

arrays::arrays(const problem& p) : m_data(p.input.size()), m_buffer(p.input.size()) {
  std::copy(p.input.begin(), p.input.end(), m_data.begin());
}

timed judged(timed run, const problem& p, const huge_array<item>& found) {
  return judged_as_sorted(std::move(run), p.sorted, found);
}

}  // namespace bench::mergesort
