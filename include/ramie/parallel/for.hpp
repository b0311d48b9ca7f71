// Loops whose passes may run at the same time.
//
//     ramie::parallel_for(0, n, [&](int i) { a[i] = 2 * i + 1; });
//     ramie::for_each(v, [](auto& each) { each.update(); });
#pragma once

#include <ramie/base/error.hpp>
#include <ramie/parallel/divide.hpp>
#include <ramie/parallel/policy.hpp>
#include <ramie/parallel/range.hpp>

#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace ramie {

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void negative_index() {
  throw misuse("ramie::parallel_for was given a negative first index with an unsigned last one; make both signed");
}

/// An index, and no truth value.
template <class T>
concept index = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool>;

// Modulo 2^64, or more, and 2^n: the distance of two ints can be more than the largest int.
template <index Index>
using modular = std::make_unsigned_t<std::conditional_t<(sizeof(Index) > sizeof(std::size_t)), Index, std::size_t>>;

template <index Index>
std::size_t distance(Index first, Index last) {
  if (!(first < last)) return 0;
  const auto count =
      static_cast<modular<Index>>(static_cast<modular<Index>>(last) - static_cast<modular<Index>>(first));
  if constexpr (sizeof(Index) > sizeof(std::size_t)) {
    if (count > std::numeric_limits<std::size_t>::max()) too_many_elements();
  }
  return static_cast<std::size_t>(count);
}
template <index Index>
[[gnu::always_inline]] inline Index advanced(Index from, std::size_t by) {
  return static_cast<Index>(static_cast<modular<Index>>(from) + by);
}

}  // namespace detail

/// f(i) for i = first … last - 1, perhaps several at the same time, in no order between them; nothing if last is not
/// behind first. f takes the common type of both. Returns when all calls have returned.
///
/// f is called through the one object that was passed, by several workers at once. It may do what fibers may: block,
/// yield, spawn, fork. One call must not wait for another one: they may be passes of one loop.
///
/// Throws a call's exception: no other piece begins then, and of several exceptions the first one in the order of the
/// indices leaves; `stopped`; misuse as fork_join, and for 2^64 indices or more. From a fiber or a thread as fork_join.
/// Costs on one worker as much as the loop, and about a microsecond more; see docs/algorithms.md.
template <detail::index First, detail::index Last, class Function>
void parallel_for(const parallel_policy& policy, First first, Last last, Function&& f) {
  using index = std::common_type_t<First, Last>;
  static_assert(std::is_invocable_v<Function&, index>,
                "ramie::parallel_for takes a function that can be called with an index");
  if constexpr (std::is_signed_v<First> && std::is_unsigned_v<index>) {
    if (first < 0) detail::negative_index();
  }
  if constexpr (std::is_signed_v<Last> && std::is_unsigned_v<index>) {
    if (last < 0) last = 0;
  }
  const auto from = static_cast<index>(first);
  detail::run_loop_divided(policy, detail::distance(from, static_cast<index>(last)),
                           [from, &f](std::size_t begin, std::size_t end) {
                             const index behind = detail::advanced(from, end);
                             for (index i = detail::advanced(from, begin); i != behind; ++i) f(i);
                           });
}

template <detail::index First, detail::index Last, class Function>
void parallel_for(First first, Last last, Function&& f) {
  ramie::parallel_for(parallel_policy{}, first, last, f);
}

/// f(*i) for each of `count` iterators from first on (none if count is below 1), all else as parallel_for. Returns the
/// iterator behind the last one.
template <detail::iterator Iterator, detail::index Count, class Function>
Iterator for_each_n(const parallel_policy& policy, Iterator first, Count count, Function&& f) {
  detail::check_writable_apart<Iterator>();
  const std::size_t elements = detail::distance(Count{0}, count);
  detail::run_loop_divided(policy, elements, [first, &f](std::size_t begin, std::size_t end) {
    const Iterator behind = detail::advanced(first, end);
    for (Iterator i = detail::advanced(first, begin); i != behind; ++i) f(*i);
  });
  return detail::advanced(first, elements);
}

template <detail::iterator Iterator, detail::index Count, class Function>
Iterator for_each_n(Iterator first, Count count, Function&& f) {
  return ramie::for_each_n(parallel_policy{}, first, count, f);
}

/// f(*i) for every iterator from first to last; all else as parallel_for.
template <detail::iterator Iterator, class Function>
void for_each(const parallel_policy& policy, Iterator first, Iterator last, Function&& f) {
  ramie::for_each_n(policy, first, detail::count_of(first, last), f);
}

template <detail::iterator Iterator, class Function>
void for_each(Iterator first, detail::same<Iterator> last, Function&& f) {
  ramie::for_each(parallel_policy{}, first, last, f);
}

template <detail::range Range, class Function>
void for_each(const parallel_policy& policy, Range&& range, Function&& f) {
  const auto [first, last] = detail::bounds(range);
  ramie::for_each(policy, first, last, f);
}

template <detail::range Range, class Function>
void for_each(Range&& range, Function&& f) {
  ramie::for_each(parallel_policy{}, range, f);
}

}  // namespace ramie
