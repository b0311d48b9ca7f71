// Reductions: all elements put together by an operation.
//
//     double sum = ramie::reduce(v);
//     double dot = ramie::transform_reduce(a.begin(), a.end(), b.begin(), 0.0);
//     double same_on_every_machine = ramie::reduce({.deterministic = true}, v);
#pragma once

#include <ramie/base/function_objects.hpp>
#include <ramie/base/invoke.hpp>
#include <ramie/parallel/divide.hpp>
#include <ramie/parallel/fold.hpp>
#include <ramie/parallel/fork_join.hpp>
#include <ramie/parallel/large_values.hpp>
#include <ramie/parallel/policy.hpp>
#include <ramie/parallel/range.hpp>

#include <cstddef>
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

  /// Of elements begin … end - 1, into `all`. It stays empty where pieces were left out, or where there are none.
  [[gnu::noinline]] void sum(std::size_t begin, std::size_t end, std::optional<T>& all) const {
    if (begin == end || !m_may.may_begin()) return;
    if (end - begin <= m_leaf) return sum_of_leaf(begin, end, all);
    const std::size_t middle = begin + (end - begin) / 2;
    compact_optional<std::optional<T>> right;
    fork_all(
        *worker::current(), [&] { sum(begin, middle, all); },
        [&] {
          if (right.make()) sum(middle, end, *right);
        });
    if (right.has_failed()) return add_on_stack(middle, end, all);
    if (all && right && *right) add(all, std::move(**right));
  }

 private:
  // Not inlined, so that room for a sum is not in the frame of each level.
  [[gnu::noinline]] void sum_of_leaf(std::size_t begin, std::size_t end, std::optional<T>& all) const {
    m_may.guard([&] { m_fold.run(all, begin, end); });
  }
  [[gnu::noinline]] void add(std::optional<T>& all, T&& behind) const {
    m_may.guard([&] { m_fold.add(all, std::move(behind)); });
  }
  // Where there is no memory elsewhere.
  [[gnu::noinline]] void add_on_stack(std::size_t begin, std::size_t end, std::optional<T>& all) const {
    probe_stack_for<T>();
    std::optional<T> behind;
    sum(begin, end, behind);
    if (all && behind) add(all, *std::move(behind));
  }

  const fold_type& m_fold;
  permit& m_may;
  const std::size_t m_leaf;
};

// On a fiber whose stack has been probed.
template <class T, class Elements, class Operation>
[[gnu::noinline]] void reduce_on_fiber(const parallel_policy& policy, std::size_t count, T& initial,
                                       const fold<T, Elements, Operation>& folded, std::optional<T>& sum) {
  if (!policy.deterministic) {
    sum.emplace(std::move(initial));
    return run_divided(policy, count, folded, sum);
  }
  permit may(policy.stop);
  reduction_tree<T, Elements, Operation>(policy, count, folded, may).sum(0, count, sum);
  may.conclude();
  if (sum) {
    *sum = call_with(folded.operation, std::move(initial), *std::move(sum));
  } else {
    sum.emplace(std::move(initial));
  }
}

template <class T, class Elements, class Operation>
[[gnu::noinline]] T reduce_on_stack(const parallel_policy& policy, std::size_t count, T& initial,
                                    const Elements& elements, Operation& operation) {
  const fold<T, Elements, Operation> folded{elements, operation};
  std::optional<T> sum;
  on_a_fiber(policy.on, [&] {
    probe_stack_for<T>();  // it may be another one
    reduce_on_fiber(policy, count, initial, folded, sum);
  });
  return *std::move(sum);
}

/// elements(i) for i = 0 … count - 1, put together behind `initial`: by reference all the way from the caller's frame,
/// so that the stack is probed before another frame has a T.
template <class T, class Elements, class Operation>
T reduce_elements(const parallel_policy& policy, std::size_t count, T& initial, const Elements& elements,
                  Operation& operation) {
  probe_stack_for<T>();
  return reduce_on_stack<T>(policy, count, initial, elements, operation);
}

template <class T, class Iterator, class Operation>
T reduce(const parallel_policy& policy, Iterator first, Iterator last, T& initial, Operation& operation) {
  const std::size_t count = count_of(first, last);
  return reduce_elements(policy, count, initial, elements_of<Iterator>{first}, operation);
}

template <class T, class Iterator, class Operation, class Function>
T transform_reduce(const parallel_policy& policy, Iterator first, Iterator last, T& initial, Operation& operation,
                   Function& f) {
  const std::size_t count = count_of(first, last);
  return reduce_elements(policy, count, initial, transformed(first, f), operation);
}

template <class T, class First, class Second, class Operation, class Function>
T transform_reduce_two(const parallel_policy& policy, First first, First last, Second second, T& initial,
                       Operation&& operation, Function&& f) {
  check_random_access<Second>();
  const std::size_t count = count_of(first, last);
  const auto elements = [&](std::size_t i) -> decltype(auto) {
    return call_with(f, *advanced(first, i), *advanced(second, i));
  };
  return reduce_elements(policy, count, initial, elements, operation);
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
  return detail::reduce<T>(policy, first, last, initial, operation);
}

template <detail::iterator Iterator, class T, class Operation = std::plus<>>
T reduce(Iterator first, detail::same<Iterator> last, T initial, Operation operation = {}) {
  return detail::reduce<T>(parallel_policy{}, first, last, initial, operation);
}

template <detail::iterator Iterator>
auto reduce(const parallel_policy& policy, Iterator first, Iterator last) {
  return ramie::reduce(policy, first, last, std::iter_value_t<Iterator>{});
}

template <detail::iterator Iterator>
auto reduce(Iterator first, detail::same<Iterator> last) {
  return ramie::reduce(parallel_policy{}, first, last);
}

template <detail::range Range, detail::not_an_end_of<Range> T, class Operation = std::plus<>>
T reduce(const parallel_policy& policy, Range&& range, T initial, Operation operation = {}) {
  const auto [first, last] = detail::bounds(range);
  return detail::reduce<T>(policy, first, last, initial, operation);
}

template <detail::range Range, detail::not_an_end_of<Range> T, class Operation = std::plus<>>
T reduce(Range&& range, T initial, Operation operation = {}) {
  const auto [first, last] = detail::bounds(range);
  return detail::reduce<T>(parallel_policy{}, first, last, initial, operation);
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
  return detail::transform_reduce<T>(policy, first, last, initial, operation, f);
}

template <detail::iterator Iterator, class T, class Operation, class Function>
T transform_reduce(Iterator first, detail::same<Iterator> last, T initial, Operation operation, Function f) {
  return detail::transform_reduce<T>(parallel_policy{}, first, last, initial, operation, f);
}

template <detail::range Range, detail::not_an_end_of<Range> T, class Operation, class Function>
T transform_reduce(const parallel_policy& policy, Range&& range, T initial, Operation operation, Function f) {
  const auto [first, last] = detail::bounds(range);
  return detail::transform_reduce<T>(policy, first, last, initial, operation, f);
}

template <detail::range Range, detail::not_an_end_of<Range> T, class Operation, class Function>
T transform_reduce(Range&& range, T initial, Operation operation, Function f) {
  const auto [first, last] = detail::bounds(range);
  return detail::transform_reduce<T>(parallel_policy{}, first, last, initial, operation, f);
}

/// initial ∘ f(x1, y1) ∘ f(x2, y2) ∘ …, as reduce(); without functions the inner product.
template <detail::iterator First, detail::iterator Second, class T, class Operation, class Function>
T transform_reduce(const parallel_policy& policy, First first, First last, Second second, T initial,
                   Operation operation, Function f) {
  return detail::transform_reduce_two<T>(policy, first, last, second, initial, operation, f);
}

template <detail::iterator First, detail::iterator Second, class T, class Operation, class Function>
T transform_reduce(First first, detail::same<First> last, Second second, T initial, Operation operation, Function f) {
  return detail::transform_reduce_two<T>(parallel_policy{}, first, last, second, initial, operation, f);
}

template <detail::iterator First, detail::iterator Second, class T>
T transform_reduce(const parallel_policy& policy, First first, First last, Second second, T initial) {
  return detail::transform_reduce_two<T>(policy, first, last, second, initial, std::plus<>(), std::multiplies<>());
}

template <detail::iterator First, detail::iterator Second, class T>
T transform_reduce(First first, detail::same<First> last, Second second, T initial) {
  return detail::transform_reduce_two<T>(parallel_policy{}, first, last, second, initial, std::plus<>(),
                                         std::multiplies<>());
}

}  // namespace ramie
