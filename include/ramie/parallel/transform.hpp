// The results of a function for every element.
//
//     ramie::transform(v.begin(), v.end(), squares.begin(), [](int x) { return x * x; });
#pragma once

#include <ramie/base/invoke.hpp>
#include <ramie/parallel/divide.hpp>
#include <ramie/parallel/policy.hpp>
#include <ramie/parallel/range.hpp>

#include <cstddef>
#include <utility>

namespace ramie {

/// output[i] = f(first[i]). Returns the end of the output, which may begin where the input does, and must not overlap
/// it otherwise. Runs, blocks, throws and ends early as parallel_for.
template <detail::iterator Iterator, detail::iterator Output, class Function>
Output transform(const parallel_policy& policy, Iterator first, Iterator last, Output output, Function f) {
  detail::check_writable_apart<Output>();
  const std::size_t count = detail::count_of(first, last);
  detail::run_loop_divided(policy, count, [first, output, &f](std::size_t begin, std::size_t end) {
    const Iterator behind = detail::advanced(first, end);
    Output to = detail::advanced(output, begin);
    for (Iterator from = detail::advanced(first, begin); from != behind; ++from, ++to)
      *to = detail::call_with(f, *from);
  });
  return detail::advanced(output, count);
}

template <detail::iterator Iterator, detail::iterator Output, class Function>
Output transform(Iterator first, detail::same<Iterator> last, Output output, Function f) {
  return ramie::transform(parallel_policy{}, first, last, output, std::move(f));
}

template <detail::range Range, detail::iterator Output, class Function>
Output transform(const parallel_policy& policy, Range&& range, Output output, Function f) {
  const auto [first, last] = detail::bounds(range);
  return ramie::transform(policy, first, last, output, std::move(f));
}

template <detail::range Range, detail::iterator Output, class Function>
Output transform(Range&& range, Output output, Function f) {
  return ramie::transform(parallel_policy{}, range, output, std::move(f));
}

/// output[i] = f(first[i], second[i]); all else as above.
template <detail::iterator First, detail::iterator Second, detail::iterator Output, class Function>
Output transform(const parallel_policy& policy, First first, First last, Second second, Output output, Function f) {
  detail::check_random_access<Second>();
  detail::check_writable_apart<Output>();
  const std::size_t count = detail::count_of(first, last);
  detail::run_loop_divided(policy, count, [first, second, output, &f](std::size_t begin, std::size_t end) {
    const First behind = detail::advanced(first, end);
    Second other = detail::advanced(second, begin);
    Output to = detail::advanced(output, begin);
    for (First from = detail::advanced(first, begin); from != behind; ++from, ++other, ++to)
      *to = detail::call_with(f, *from, *other);
  });
  return detail::advanced(output, count);
}

template <detail::iterator First, detail::iterator Second, detail::iterator Output, class Function>
Output transform(First first, detail::same<First> last, Second second, Output output, Function f) {
  return ramie::transform(parallel_policy{}, first, last, second, output, std::move(f));
}

}  // namespace ramie
