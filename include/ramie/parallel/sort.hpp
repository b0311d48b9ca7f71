// Sorting on all workers.
//
//     ramie::sort(v);
//     ramie::stable_sort(people, [](const person& a, const person& b) { return a.name < b.name; });
//
// Numbers in their natural order are sorted by distribution and vector instructions, in the library; anything else by
// templates. docs/sorting.md has the algorithms that they are made of, and the measurements.
#pragma once

#include <ramie/base/function_objects.hpp>
#include <ramie/base/lifetime.hpp>
#include <ramie/parallel/divide.hpp>
#include <ramie/parallel/permit.hpp>
#include <ramie/parallel/policy.hpp>
#include <ramie/parallel/range.hpp>
#include <ramie/parallel/sort/existing_order.hpp>
#include <ramie/parallel/sort/in_place_merge_sort.hpp>
#include <ramie/parallel/sort/keys.hpp>
#include <ramie/parallel/sort/merge_sort.hpp>
#include <ramie/parallel/sort/pieces.hpp>
#include <ramie/parallel/sort/quicksort.hpp>
#include <ramie/parallel/sort/scratch.hpp>

#include <iterator>
#include <type_traits>

namespace ramie {

namespace detail::sorting {

template <class Iterator, class Compare>
constexpr void check() {
  check_random_access<Iterator>();
  if constexpr (std::random_access_iterator<Iterator>) {  // or the compiler would say more than the sentence
    using value = std::iter_value_t<Iterator>;
    static_assert(
        std::is_same_v<std::iter_reference_t<Iterator>, value&>,
        "ramie sorts elements in place: iterators to proxies (vector<bool>, zipped ranges) or to const elements "
        "give no access to them; sort indices, or a vector of copies");
    static_assert(std::is_move_constructible_v<value> && std::is_move_assignable_v<value>,
                  "ramie sorts elements by moving them: they must be move constructible and move assignable");
    static_assert(
        requires(Compare& less, value& a, const value& b) { less(a, a) && less(b, b) && less(a, b); },
        "a comparison is called with two elements, const or not, as less(a, b), and says whether the first "
        "one comes before the second");
  }
}

template <class Iterator, class Compare>
void sort_elements(const parallel_policy& policy, Iterator first, Iterator last, Compare& less) {
  permit may(policy.stop);
  const unsigned workers = workers_here();
  if (may.may_begin() && !sort_by_existing_order(first, last, less, workers))
    quicksort<Iterator, Compare>(less).sort_in_parallel(first, last, policy, may, workers);
  may.conclude();
}

template <class Iterator, class Compare>
void sort(const parallel_policy& policy, Iterator first, Iterator last, Compare& less) {
  check<Iterator, Compare>();
  on_a_fiber(policy.on, [&] {
    const std::size_t count = count_of(first, last);
    if (count < 2) return;
    if constexpr (keys<Iterator, Compare>) {
      using value = std::iter_value_t<Iterator>;
      sort_keys(address_of(*first), count, order_of<value>(direction_of<Compare, value>), policy);
    } else {
      sort_elements(policy, first, last, less);
    }
  });
}

template <class Iterator, class Compare>
void stable_sort_elements(const parallel_policy& policy, Iterator first, Iterator last, Compare& less) {
  using value = std::iter_value_t<Iterator>;
  permit may(policy.stop);
  if (may.may_begin() && !sort_by_existing_order(first, last, less, workers_here())) {
    if constexpr (is_relocatable<value> && std::is_nothrow_move_assignable_v<value>) {
      const scratch<value> other(static_cast<std::size_t>(last - first));
      if (other.get() != nullptr) {
        merge_sort<Iterator, Compare>(less, policy, may).sort(first, last - first, other.get());
        return may.conclude();
      }
    }
    in_place_merge_sort<Iterator, Compare>(less, policy, may).sort(first, last);
  }
  may.conclude();
}

template <class Iterator, class Compare>
void stable_sort(const parallel_policy& policy, Iterator first, Iterator last, Compare& less) {
  check<Iterator, Compare>();
  on_a_fiber(policy.on, [&] {
    const std::size_t count = count_of(first, last);
    if (count < 2) return;
    if constexpr (keys<Iterator, Compare>) {
      using value = std::iter_value_t<Iterator>;
      // Nobody can tell equal numbers apart, but for zeros.
      bool plain = true;
      if constexpr (std::is_floating_point_v<value>) plain = !has_negative_zero(address_of(*first), count);
      if (plain) {
        return sort_keys(address_of(*first), count, order_of<value>(direction_of<Compare, value>), policy);
      }
    }
    stable_sort_elements(policy, first, last, less);
  });
}

}  // namespace detail::sorting

/// Sorts [first, last) by `less`, or by <. Equal elements come in any order.
///
/// Any random-access iterators, any elements that can be moved. `less` must be a strict weak order; it is called by
/// several workers at once, through one object. Numbers (integers up to 64 bits, float, double) in a contiguous range
/// that are compared by std::less, std::greater or their ranges:: counterparts never call it; float and double then
/// come in the total order of IEEE 754, in which -0 is before +0 and a NaN is beyond the infinity of its sign. Any
/// other comparison that is no strict weak order, as < is where there are NaNs among others, gives some order; nothing
/// is lost then.
///
/// Throws what `less` or a move throws, after everything that ran has returned; the range then holds all its elements
/// in some order, unless it was a move that threw: then valid ones, as after std::sort. Throws `stopped` if the
/// policy's stop token asks it to, with all elements in some order; the token is looked at before each pass over the
/// range, and before each piece of a pass that divides it. Misuse as fork_join. Never for want of memory.
///
/// From a fiber, or from a thread as fork_join. Blocks the fiber, not its worker, and only where work was taken (but
/// for the copying of a block of 1 KiB that another worker has to finish). In place, besides up to 4.5 MB a worker and
/// 1 % of the range for numbers, where they can be had. O(n log n) for every input.
template <detail::iterator Iterator, class Compare = std::less<>>
void sort(const parallel_policy& policy, Iterator first, detail::same<Iterator> last, Compare less = {}) {
  detail::sorting::sort(policy, first, last, less);
}

template <detail::iterator Iterator, class Compare = std::less<>>
void sort(Iterator first, detail::same<Iterator> last, Compare less = {}) {
  detail::sorting::sort(parallel_policy{}, first, last, less);
}

template <detail::range Range, detail::not_an_end_of<Range> Compare = std::less<>>
void sort(const parallel_policy& policy, Range&& range, Compare less = {}) {
  const auto [first, last] = detail::bounds(range);
  detail::sorting::sort(policy, first, last, less);
}

template <detail::range Range, detail::not_an_end_of<Range> Compare = std::less<>>
void sort(Range&& range, Compare less = {}) {
  const auto [first, last] = detail::bounds(range);
  detail::sorting::sort(parallel_policy{}, first, last, less);
}

/// The same, and elements that are equal keep their order. All else as sort(), but for this:
///
/// Takes memory for a copy of all elements, while it runs. Where it cannot be had, and for elements whose moves may
/// throw, does without, in O(n log² n). Integers by std::less or std::greater are sorted as by sort(), and so are
/// floating-point numbers without a -0; with one, +0 and -0 keep their order, and NaNs give some order.
template <detail::iterator Iterator, class Compare = std::less<>>
void stable_sort(const parallel_policy& policy, Iterator first, detail::same<Iterator> last, Compare less = {}) {
  detail::sorting::stable_sort(policy, first, last, less);
}

template <detail::iterator Iterator, class Compare = std::less<>>
void stable_sort(Iterator first, detail::same<Iterator> last, Compare less = {}) {
  detail::sorting::stable_sort(parallel_policy{}, first, last, less);
}

template <detail::range Range, detail::not_an_end_of<Range> Compare = std::less<>>
void stable_sort(const parallel_policy& policy, Range&& range, Compare less = {}) {
  const auto [first, last] = detail::bounds(range);
  detail::sorting::stable_sort(policy, first, last, less);
}

template <detail::range Range, detail::not_an_end_of<Range> Compare = std::less<>>
void stable_sort(Range&& range, Compare less = {}) {
  const auto [first, last] = detail::bounds(range);
  detail::sorting::stable_sort(parallel_policy{}, first, last, less);
}

}  // namespace ramie
