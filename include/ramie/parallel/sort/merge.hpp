// Merges two sorted runs into one elsewhere, stable.
//
// Elements are relocated: constructed there and destroyed here, so that each is alive in exactly one place. Their moves
// do not throw; a comparison may. Then the rest goes over as it is: a merge that was begun always ends with all its
// elements alive in the output, and none in the input.
#pragma once

#include <ramie/base/lifetime.hpp>
#include <ramie/parallel/sort/branch_free.hpp>
#include <ramie/parallel/sort/elements.hpp>

#include <cstddef>
#include <iterator>

namespace ramie::detail::sorting {

/// Two runs, and where they go.
template <class In, class Out>
struct merge_job {
  In a;
  std::ptrdiff_t a_size;
  In b;
  std::ptrdiff_t b_size;
  Out out;

  [[nodiscard]] std::ptrdiff_t size() const { return a_size + b_size; }

  struct halves {
    merge_job first;
    merge_job second;
  };

  /// The jobs that merge the first `count` elements of the result, and the rest. The cut takes the least number of
  /// elements of `a` that leaves none of `b` before one of `a` that is not greater (Siebert, Träff, "Efficient MPI
  /// implementation of a parallel, stable merge algorithm", 2012). log n comparisons.
  template <class Less>
  [[nodiscard]] halves split_at(std::ptrdiff_t count, Less& less) const {
    std::ptrdiff_t low = count > b_size ? count - b_size : 0;
    std::ptrdiff_t high = count < a_size ? count : a_size;
    while (low < high) {
      const std::ptrdiff_t middle = low + (high - low) / 2;
      if (!less(b[count - middle - 1], a[middle])) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return {{a, low, b, count - low, out},
            {a + low, a_size - low, b + (count - low), b_size - (count - low), out + count}};
  }

  /// Without a comparison.
  void concatenate() const noexcept {
    relocate_all(a, a + a_size, out);
    relocate_all(b, b + b_size, out + a_size);
  }
};

/// A merge as it goes on. The elements left at its end go over as they are.
template <class In, class Out>
class merging {
 public:
  explicit merging(const merge_job<In, Out>& job)
      : m_a(job.a), m_a_end(job.a + job.a_size), m_b(job.b), m_b_end(job.b + job.b_size), m_out(job.out) {}
  merging(const merging&) = delete;
  merging& operator=(const merging&) = delete;
  ~merging() {
    relocate_all(m_a, m_a_end, m_out);
    relocate_all(m_b, m_b_end, m_out + (m_a_end - m_a));
  }

  /// So many steps at least before a run ends.
  [[nodiscard]] std::ptrdiff_t steps() const {
    const std::ptrdiff_t a = m_a_end - m_a;
    const std::ptrdiff_t b = m_b_end - m_b;
    return a < b ? a : b;
  }

  template <class Less>
  void step(Less& less) {
    if (less(*m_b, *m_a)) {
      relocate(m_b, m_out);
      ++m_b;
    } else {
      relocate(m_a, m_out);
      ++m_a;
    }
    ++m_out;
  }

 private:
  In m_a;
  const In m_a_end;
  In m_b;
  const In m_b_end;
  Out m_out;
};

/// The same of elements that are cheap to copy: the input stays as it is. No branch depends on the outcome of a
/// comparison; and each step waits for the comparison before it, so it goes on at both ends at the same time. As long
/// as both runs have `steps` elements, neither end can run out of one. (Bidirectional merges: Bergdoll, Peters,
/// "driftsort", 2024.)
///
/// False: `less` is no order, and the two ends do not meet. The output is good for nothing then, nor is it after an
/// exception.
template <class In, class Out, class Less>
[[nodiscard]] bool merge_from_both_ends(const merge_job<In, Out>& job, Less& less) {
  using difference = std::iter_difference_t<In>;
  In a = job.a;
  In a_end = a + job.a_size;
  In b = job.b;
  In b_end = b + job.b_size;
  Out out = job.out;
  Out out_end = out + job.size();
  for (;;) {
    std::ptrdiff_t steps = a_end - a < b_end - b ? a_end - a : b_end - b;
    if (steps <= 0) break;
    for (; steps != 0; --steps) {
      const auto take_b = without_branch(less(*b, *a));
      begin_at(address_of(*out), choose(take_b, *b, *a));
      b += static_cast<difference>(take_b);
      a += static_cast<difference>(1 - take_b);
      ++out;

      const auto take_last_a = without_branch(less(*(b_end - 1), *(a_end - 1)));
      --out_end;
      begin_at(address_of(*out_end), choose(take_last_a, *(a_end - 1), *(b_end - 1)));
      a_end -= static_cast<difference>(take_last_a);
      b_end -= static_cast<difference>(1 - take_last_a);
    }
  }
  if (a > a_end || b > b_end) return false;
  relocate_all(a, a_end, out);
  relocate_all(b, b_end, out + (a_end - a));
  return true;
}

/// On the calling worker.
template <class In, class Out, class Less>
void merge(const merge_job<In, Out>& job, Less& less) {
  if constexpr (is_cheap_to_copy<std::iter_value_t<Out>>) {
    try {
      if (merge_from_both_ends(job, less)) return;
    } catch (...) {
      job.concatenate();
      throw;
    }
  }
  merging<In, Out> all(job);
  while (all.steps() != 0) all.step(less);
}

}  // namespace ramie::detail::sorting
