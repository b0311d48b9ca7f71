// Reductions: all elements put together by an operation.
//
//     double sum = ramie::reduce(v);
//     double dot = ramie::transform_reduce(a.begin(), a.end(), b.begin(), 0.0);
//     double same_on_every_machine = ramie::reduce({.deterministic = true}, v);
#pragma once

#include <ramie/parallel/divide.hpp>
#include <ramie/parallel/fold.hpp>
#include <ramie/parallel/fork_join.hpp>
#include <ramie/parallel/policy.hpp>
#include <ramie/parallel/range.hpp>

#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

namespace ramie {

namespace detail {

/// One grouping of the elements for each number of them: a tree of halves over at most 1,024 leaves, or over leaves of
/// policy.grain. A fork at each of its nodes is a few microseconds in all.
template <class T, class Elements, class Operation>
class reduction_tree {
 public:
  using fold_type = fold<T, Elements, Operation>;
  reduction_tree(const parallel_policy& policy, std::size_t count, const fold_type& folded, permit& may)
      : m_fold(folded), m_may(may), m_leaf(policy.grain != 0 ? policy.grain : parts_of(count, 1024)) {}

  /// Of elements begin … end - 1. Empty where pieces were left out, or where there are none.
  [[gnu::noinline]] std::optional<T> sum(std::size_t begin, std::size_t end) const {
    std::optional<T> all;
    if (begin == end || !m_may.may_begin()) return all;
    if (end - begin <= m_leaf) {
      m_may.guard([&] { m_fold.run(all, begin, end); });
      return all;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    auto [left, right] =
        fork_all(*worker::current(), [&] { return sum(begin, middle); }, [&] { return sum(middle, end); });
    if (left && right)
      m_may.guard([&] { all.emplace(std::invoke(m_fold.operation, *std::move(left), *std::move(right))); });
    return all;
  }

 private:
  const fold_type& m_fold;
  permit& m_may;
  const std::size_t m_leaf;
};

/// elements(i) for i = 0 … count - 1, put together behind `initial`.
template <class T, class Elements, class Operation>
T reduce_elements(const parallel_policy& policy, std::size_t count, T initial, const Elements& elements,
                  Operation& operation) {
  const fold<T, Elements, Operation> folded{elements, operation};
  std::optional<T> sum;
  if (policy.deterministic) {
    on_a_fiber([&] {
      permit may(policy.stop);
      sum = reduction_tree<T, Elements, Operation>(policy, count, folded, may).sum(0, count);
      may.conclude();
    });
    if (!sum) return initial;
    return std::invoke(operation, std::move(initial), *std::move(sum));
  }
  sum.emplace(std::move(initial));
  run_divided(policy, count, folded, sum);
  return *std::move(sum);
}

}  // namespace detail

/// initial ∘ x1 ∘ x2 ∘ … in the order of the elements, grouped in any way: so the operation must be associative, and
/// need not be commutative. T needs no default value; elements are converted to it. Without `initial`: a value T{} of
/// the elements' type; without an operation: plus.
///
/// With policy.deterministic the grouping depends on the number of elements and policy.grain alone, so the result is
/// the same to the last bit with any number of workers.
///
/// The operation may do what fibers may, and is called by several workers at once. Blocks, throws and ends early as
/// parallel_for. On one worker one pass over the elements, as std::accumulate.
template <detail::iterator Iterator, class T, class Operation = std::plus<>>
T reduce(const parallel_policy& policy, Iterator first, Iterator last, T initial, Operation operation = {}) {
  const std::size_t count = detail::count_of(first, last);
  const detail::elements_of<Iterator> elements{first};
  return detail::reduce_elements(policy, count, std::move(initial), elements, operation);
}

template <detail::iterator Iterator, class T, class Operation = std::plus<>>
T reduce(Iterator first, detail::same<Iterator> last, T initial, Operation operation = {}) {
  return ramie::reduce(parallel_policy{}, first, last, std::move(initial), std::move(operation));
}

template <detail::iterator Iterator>
auto reduce(const parallel_policy& policy, Iterator first, Iterator last) {
  return ramie::reduce(policy, first, last, std::iter_value_t<Iterator>{});
}

template <detail::iterator Iterator>
auto reduce(Iterator first, detail::same<Iterator> last) {
  return ramie::reduce(parallel_policy{}, first, last);
}

template <detail::range Range, detail::no_end_of<Range> T, class Operation = std::plus<>>
T reduce(const parallel_policy& policy, Range&& range, T initial, Operation operation = {}) {
  const auto [first, last] = detail::bounds(range);
  return ramie::reduce(policy, first, last, std::move(initial), std::move(operation));
}

template <detail::range Range, detail::no_end_of<Range> T, class Operation = std::plus<>>
T reduce(Range&& range, T initial, Operation operation = {}) {
  return ramie::reduce(parallel_policy{}, range, std::move(initial), std::move(operation));
}

template <detail::range Range>
auto reduce(const parallel_policy& policy, Range&& range) {
  return ramie::reduce(policy, range, std::iter_value_t<detail::range_iterator<Range>>{});
}

template <detail::range Range>
auto reduce(Range&& range) {
  return ramie::reduce(parallel_policy{}, range);
}

/// initial ∘ f(x1) ∘ f(x2) ∘ …, as reduce().
template <detail::iterator Iterator, class T, class Operation, class Function>
T transform_reduce(const parallel_policy& policy, Iterator first, Iterator last, T initial, Operation operation,
                   Function f) {
  const std::size_t count = detail::count_of(first, last);
  return detail::reduce_elements(policy, count, std::move(initial), detail::transformed(first, f), operation);
}

template <detail::iterator Iterator, class T, class Operation, class Function>
T transform_reduce(Iterator first, detail::same<Iterator> last, T initial, Operation operation, Function f) {
  return ramie::transform_reduce(parallel_policy{}, first, last, std::move(initial), std::move(operation),
                                 std::move(f));
}

template <detail::range Range, detail::no_end_of<Range> T, class Operation, class Function>
T transform_reduce(const parallel_policy& policy, Range&& range, T initial, Operation operation, Function f) {
  const auto [first, last] = detail::bounds(range);
  return ramie::transform_reduce(policy, first, last, std::move(initial), std::move(operation), std::move(f));
}

template <detail::range Range, detail::no_end_of<Range> T, class Operation, class Function>
T transform_reduce(Range&& range, T initial, Operation operation, Function f) {
  return ramie::transform_reduce(parallel_policy{}, range, std::move(initial), std::move(operation), std::move(f));
}

/// initial ∘ f(x1, y1) ∘ f(x2, y2) ∘ …, as reduce(); without functions the inner product.
template <detail::iterator First, detail::iterator Second, class T, class Operation, class Function>
T transform_reduce(const parallel_policy& policy, First first, First last, Second second, T initial,
                   Operation operation, Function f) {
  detail::check_random_access<Second>();
  const std::size_t count = detail::count_of(first, last);
  const auto elements = [&](std::size_t i) -> decltype(auto) {
    return std::invoke(f, *detail::advanced(first, i), *detail::advanced(second, i));
  };
  return detail::reduce_elements(policy, count, std::move(initial), elements, operation);
}

template <detail::iterator First, detail::iterator Second, class T, class Operation, class Function>
T transform_reduce(First first, detail::same<First> last, Second second, T initial, Operation operation, Function f) {
  return ramie::transform_reduce(parallel_policy{}, first, last, second, std::move(initial), std::move(operation),
                                 std::move(f));
}

template <detail::iterator First, detail::iterator Second, class T>
T transform_reduce(const parallel_policy& policy, First first, First last, Second second, T initial) {
  return ramie::transform_reduce(policy, first, last, second, std::move(initial), std::plus<>(), std::multiplies<>());
}

template <detail::iterator First, detail::iterator Second, class T>
T transform_reduce(First first, detail::same<First> last, Second second, T initial) {
  return ramie::transform_reduce(parallel_policy{}, first, last, second, std::move(initial));
}

}  // namespace ramie
