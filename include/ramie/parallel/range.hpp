// The arguments of the parallel algorithms: random-access iterators, and ranges that have them and know their size.
#pragma once

#include <ramie/base/error.hpp>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <type_traits>

namespace ramie::detail {

// Both weak on purpose: an argument that is no random-access iterator shall choose the overload, so that its user reads
// the sentence.
template <class T>
concept iterator = std::input_or_output_iterator<T>;

template <class T>
concept range = requires(T& each) {
  { std::begin(each) } -> iterator;
  std::end(each);
};

/// T, but not deduced from this argument: so that {} in the place of the first one is a policy, and no iterator.
template <class T>
using same = std::type_identity_t<T>;

template <class T>
using range_iterator = decltype(std::begin(std::declval<T&>()));

/// An argument that may follow a range: it is not the range's end, or the range is an array, and with that an iterator.
template <class T, class Range>
concept not_an_end_of = !std::same_as<T, range_iterator<Range>>;

template <class Iterator>
constexpr void check_random_access() {
  static_assert(std::random_access_iterator<Iterator>,
                "ramie's parallel algorithms divide a range at any place, so they take random-access iterators (of a "
                "vector, a deque, an array, a span, pointers); put the elements, or pointers to them, into a vector");
}

/// What stands for a bit, as the elements of a vector<bool> do.
template <class T>
concept bit_reference = std::is_class_v<T> && std::convertible_to<T, bool> && requires(T each) { each.flip(); };

/// Of an algorithm that calls a function on elements, or writes them.
template <class Iterator>
constexpr void check_writable_apart() {
  check_random_access<Iterator>();
  static_assert(!bit_reference<std::iter_reference_t<Iterator>>,
                "elements of a vector<bool> share words, which two workers would write at once; use a vector<char>, or "
                "const iterators if you only read");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void too_many_elements() {
  throw misuse("a parallel algorithm was given 2^64 elements or more");
}

template <iterator Iterator>
[[nodiscard, gnu::always_inline]] inline Iterator advanced(const Iterator& from, std::size_t by) {
  return from + static_cast<std::iter_difference_t<Iterator>>(by);
}

/// 0 if last is before first.
template <class Iterator, class Sentinel>
[[nodiscard]] std::size_t count_of(const Iterator& first, const Sentinel& last) {
  check_random_access<Iterator>();
  if constexpr (std::random_access_iterator<Iterator>) {  // or the compiler would say more than the sentence
    static_assert(std::sized_sentinel_for<Sentinel, Iterator>,
                  "ramie's parallel algorithms must know how many elements there are: give a range with a size");
    const auto count = last - first;
    if (!(count > 0)) return 0;
    if constexpr (sizeof(count) > sizeof(std::size_t)) {  // of a view of integers
      if (count > static_cast<std::iter_difference_t<Iterator>>(std::numeric_limits<std::size_t>::max()))
        too_many_elements();
    }
    return static_cast<std::size_t>(count);
  } else {
    return 0;
  }
}

/// How many parts of `part` elements there are, the last one perhaps smaller. Nothing in it wraps round.
[[nodiscard]] constexpr std::size_t parts_of(std::size_t count, std::size_t part) {
  return count / part + (count % part != 0 ? 1 : 0);
}

template <class Iterator>
struct iterator_pair {
  Iterator first;
  Iterator last;
};

template <class Range>
[[nodiscard]] auto bounds(Range& range) {
  const auto first = std::begin(range);
  return iterator_pair<std::remove_const_t<decltype(first)>>{first, advanced(first, count_of(first, std::end(range)))};
}

}  // namespace ramie::detail
