// Sorting, stable, with memory for a copy of the elements: a merge sort by halves, on all workers.
//
// Halves are sorted into the other memory, so that the merge brings them back and nothing is copied besides; halves are
// a fork, and so are the halves of a merge. A half that is in order already, or strictly in the opposite one, is found
// out before it is divided. (Each level looks at an element at most once, and stops at the first that is out of order:
// with random ones, after two or three.)
//
// In every case, after sorting a range all its elements are in the memory that was asked for. An exception of a
// comparison goes on after that; and merges that come then compare nothing.
#pragma once

#include <ramie/parallel/first_error.hpp>
#include <ramie/parallel/permit.hpp>
#include <ramie/parallel/policy.hpp>
#include <ramie/parallel/sort/merge.hpp>
#include <ramie/parallel/sort/pieces.hpp>
#include <ramie/parallel/sort/small_sort.hpp>

#include <cstddef>
#include <iterator>
#include <utility>

namespace ramie::detail::sorting {

template <class Iterator, class Less>
class merge_sort {
  using difference = std::iter_difference_t<Iterator>;
  using value = std::iter_value_t<Iterator>;
  using pointer = value*;

 public:
  /// So many or fewer are a leaf.
  static constexpr difference small = most_of_a_small_sort<value>;
  /// A fork, and a look whether to go on, are worth so many.
  static constexpr std::size_t default_grain = 2048;

  merge_sort(Less& less, const parallel_policy& policy, permit& may)
      : m_less(less), m_may(may), m_grain(static_cast<std::ptrdiff_t>(grain_of(policy, default_grain))) {}

  /// `other` is memory for as many elements, without any.
  void sort(Iterator first, difference size, pointer other) {
    const part all{first, other, size};
    if (size > small) return divide_in_place(all);  // it is in no order: the caller has looked
    sort_in_place(all);
  }

 private:
  /// Elements, which lie at `at`, and their other memory.
  struct part {
    Iterator at;
    pointer other;
    difference size;

    // Whole leaves, but for the last one.
    [[nodiscard]] difference half() const { return (size / 2 + small - 1) / small * small; }
    [[nodiscard]] part left() const { return {at, other, half()}; }
    [[nodiscard]] part right() const { return {at + half(), other + half(), size - half()}; }
    /// Of the two halves, when they have been sorted into the other memory; and the other way round.
    [[nodiscard]] merge_job<pointer, Iterator> merge_back() const {
      return {other, half(), other + half(), size - half(), at};
    }
    [[nodiscard]] merge_job<Iterator, pointer> merge_over() const {
      return {at, half(), at + half(), size - half(), other};
    }
  };

  void sort_in_place(const part& p) {
    if (!is_done_without_dividing(p)) divide_in_place(p);
  }

  void divide_in_place(const part& p) {
    bring_together(p, [&] { sort_to_other(p.left()); }, [&] { sort_to_other(p.right()); }, p.merge_back());
  }

  void sort_to_other(const part& p) {
    bool done = false;
    try {
      done = is_done_without_dividing(p);
    } catch (...) {
      relocate_all(p.at, p.at + p.size, p.other);
      throw;
    }
    if (done) return relocate_all(p.at, p.at + p.size, p.other);
    bring_together(p, [&] { sort_in_place(p.left()); }, [&] { sort_in_place(p.right()); }, p.merge_over());
  }

  template <class Left, class Right, class Job>
  void bring_together(const part& p, Left left, Right right, const Job& job) {
    try {
      if (p.size > m_grain) {
        both(left, right);
      } else {
        first_error thrown;
        thrown.keep_what_throws(left);
        thrown.keep_what_throws(right);
        thrown.rethrow();
      }
    } catch (...) {
      job.concatenate();
      throw;
    }
    merge_all(job);
  }

  template <class Job>
  [[gnu::noinline]] void merge_all(const Job& job) {
    if (job.a_size == 0 || job.b_size == 0) return job.concatenate();
    if (job.size() <= 2 * m_grain) {
      if (job.size() <= m_grain || m_may.may_begin()) return m_may.guard([&] { merge_here(job); });
      return job.concatenate();
    }
    if (!m_may.may_begin()) return job.concatenate();
    const auto halves = m_may.guard([&] {
      try {
        return job.split_at(job.size() / 2, m_less);
      } catch (...) {
        job.concatenate();
        throw;
      }
    });
    both([&] { merge_all(halves.first); }, [&] { merge_all(halves.second); });
  }

  template <class Job>
  void merge_here(const Job& job) {
    bool in_order = false;
    try {
      in_order = !m_less(job.b[0], job.a[job.a_size - 1]);
    } catch (...) {
      job.concatenate();
      throw;
    }
    if (in_order) return job.concatenate();
    sorting::merge(job, m_less);
  }

  /// Both are called, whatever the other one throws.
  static void both(function_ref<void()> f, function_ref<void()> g) {
    first_error thrown;
    call_both([&] { thrown.keep_what_throws(f); }, [&] { thrown.keep_what_throws(g); });
    thrown.rethrow();
  }

  bool is_done_without_dividing(const part& p) {
    if (p.size > m_grain && !m_may.may_begin()) return true;
    return m_may.guard([&] {
      if (p.size > small) return is_in_order(p);
      small_sort(p.at, p.at + p.size, m_less);
      return true;
    });
  }

  bool is_in_order(const part& p) {
    difference next = 1;
    if (m_less(p.at[1], p.at[0])) {
      while (++next != p.size && m_less(p.at[next], p.at[next - 1])) {
      }
      if (next != p.size) return false;
      for (difference i = 0; i < p.size / 2; ++i) std::iter_swap(p.at + i, p.at + (p.size - 1 - i));
      return true;
    }
    while (++next != p.size && !m_less(p.at[next], p.at[next - 1])) {
    }
    return next == p.size;
  }

  Less& m_less;
  permit& m_may;
  const std::ptrdiff_t m_grain;
};

}  // namespace ramie::detail::sorting
