// Scans: for every element, all elements up to it put together.
//
//     ramie::inclusive_scan(v.begin(), v.end(), sums.begin());
//     ramie::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), std::size_t{0});
#pragma once

#include <ramie/base/dynamic_array.hpp>
#include <ramie/base/function_objects.hpp>
#include <ramie/base/function_ref.hpp>
#include <ramie/base/invoke.hpp>
#include <ramie/parallel/divide.hpp>
#include <ramie/parallel/fold.hpp>
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

enum class scan_kind : bool { inclusive, exclusive };

/// f(i) for i = 0 … count - 1, divided. Compiled once, in the library: a part is worth an indirect call.
void run_parts(const parallel_policy& policy, permit& may, std::size_t count, function_ref<void(std::size_t)> f);

/// A piece that runs after the one before it knows its prefix, and writes the result at once. One that runs apart can
/// only add up, in parts; when its prefix is known, so are those of its parts, and they write in parallel. So elements
/// are read twice only where somebody had time to. (Two passes over parts: Blelloch, "Prefix Sums and Their
/// Applications", 1990; the second one by demand, as the parallel_scan of TBB.)
template <scan_kind Kind, class T, class Elements, class Output, class Operation>
struct scan {
  static_assert(std::is_copy_constructible_v<T>, "ramie: sums are copied, to the output and on to the next element");

  using view =
      std::optional<T>;  // of all elements before; empty at the first one of an inclusive scan without `initial`

  /// A range in equal parts.
  struct aside {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t part = 0;                  // elements
    dynamic_array<std::optional<T>> sums;  // of the parts; then the prefixes of the parts

    [[nodiscard]] std::size_t begin_of(std::size_t i) const { return begin + i * part; }
    [[nodiscard]] std::size_t end_of(std::size_t i) const { return i + 1 == sums.size() ? end : begin_of(i + 1); }
  };

  void run(view& prefix, std::size_t at, std::size_t end) const {
    if constexpr (Kind == scan_kind::inclusive) {
      if (!prefix) {
        prefix.emplace(elements(at));
        *advanced(output, at++) = *prefix;
      }
      T sum = *std::move(prefix);
      for (; at != end; ++at) {
        sum = call_with(operation, std::move(sum), elements(at));
        *advanced(output, at) = sum;
      }
      *prefix = std::move(sum);
    } else {
      T sum = *std::move(prefix);
      for (; at != end; ++at) {
        T next = call_with(operation, sum, elements(at));  // before the output, which may be the input
        *advanced(output, at) = std::move(sum);
        sum = std::move(next);
      }
      *prefix = std::move(sum);
    }
  }

  template <class Whole>
  void run_apart(Whole& whole, std::size_t begin, std::size_t end, aside& parts) const {
    parts.begin = begin;
    parts.end = end;
    // Their prefixes are computed one after another: some, but a small part of the work.
    const std::size_t least = parts_of(end - begin, 256);
    parts.part = whole.policy().grain != 0 ? whole.policy().grain : least < 16 ? 16 : least;
    parts.sums = dynamic_array<std::optional<T>>(parts_of(end - begin, parts.part));
    const fold<T, Elements, Operation> folded{elements, operation};
    for_each_part(whole, parts, [&](std::size_t i) { folded.run(parts.sums[i], parts.begin_of(i), parts.end_of(i)); });
  }

  template <class Whole>
  void absorb(Whole& whole, view& prefix, aside& parts) const {
    if (!whole.may().may_begin()) return;  // nothing of them has been written
    for (std::optional<T>& each : parts.sums) {
      std::optional<T> behind;
      if (prefix) {
        behind.emplace(call_with(operation, std::as_const(*prefix), *std::move(each)));
      } else {
        behind = std::move(each);
      }
      each = std::exchange(prefix, std::move(behind));
    }
    for_each_part(whole, parts, [&](std::size_t i) { run(parts.sums[i], parts.begin_of(i), parts.end_of(i)); });
  }

  const Elements& elements;
  const Output& output;
  Operation& operation;

 private:
  template <class Whole>
  static void for_each_part(Whole& whole, const aside& parts, function_ref<void(std::size_t)> f) {
    const parallel_policy each_is_a_piece{.stop = {}, .grain = whole.policy().grain != 0 ? std::size_t{1} : 0};
    run_parts(each_is_a_piece, whole.may(), parts.sums.size(), f);
  }
};

// On a fiber whose stack has been probed.
template <class Work>
[[gnu::noinline]] void scan_on_fiber(const parallel_policy& policy, std::size_t count, const Work& all,
                                     typename Work::view& initial) {
  permit may(policy.stop);
  division<Work> whole(all, policy, may);
  if (!policy.deterministic) {
    whole.run(0, count, initial);
  } else if (count != 0 && may.may_begin()) {
    typename Work::aside parts;
    all.run_apart(whole, 0, count, parts);
    if (may.all_pieces_ran()) all.absorb(whole, initial, parts);
  }
  may.conclude();
}

template <scan_kind Kind, class T, class Elements, class Output, class Operation>
Output scan_elements(const parallel_policy& policy, std::size_t count, const Elements& elements, Output output,
                     std::optional<T> initial, Operation& operation) {
  check_writable_apart<Output>();
  const scan<Kind, T, Elements, Output, Operation> all{elements, output, operation};
  on_a_fiber(policy.on, [&] {
    probe_stack_for<T>();
    scan_on_fiber(policy, count, all, initial);
  });
  return advanced(output, count);
}

}  // namespace detail

/// output[i] = initial ∘ x0 ∘ … ∘ xi; without `initial` x0 ∘ … ∘ xi, without an operation a sum. Returns the end of the
/// output, which may begin where the input does, and must not overlap it otherwise.
///
/// The operation must be associative, and need not be commutative. The sums have the type of `initial`, else that of
/// the elements, which are converted to it; it needs no default value. With policy.deterministic the grouping depends
/// on the number of elements and policy.grain alone, and every element is read twice.
///
/// The operation may do what fibers may, and is called by several workers at once. Throws std::bad_alloc; else blocks,
/// throws and ends early as parallel_for. On one worker one pass over the elements, as std::inclusive_scan.
template <detail::iterator Iterator, detail::iterator Output, class Operation, class T>
Output inclusive_scan(const parallel_policy& policy, Iterator first, Iterator last, Output output, Operation operation,
                      T initial) {
  const std::size_t count = detail::count_of(first, last);
  return detail::scan_elements<detail::scan_kind::inclusive, T>(policy, count, detail::elements_of<Iterator>{first},
                                                                output, std::move(initial), operation);
}

template <detail::iterator Iterator, detail::iterator Output, class Operation, class T>
Output inclusive_scan(Iterator first, detail::same<Iterator> last, Output output, Operation operation, T initial) {
  return ramie::inclusive_scan(parallel_policy{}, first, last, output, std::move(operation), std::move(initial));
}

template <detail::iterator Iterator, detail::iterator Output, class Operation = std::plus<>>
Output inclusive_scan(const parallel_policy& policy, Iterator first, Iterator last, Output output,
                      Operation operation = {}) {
  const std::size_t count = detail::count_of(first, last);
  return detail::scan_elements<detail::scan_kind::inclusive, std::iter_value_t<Iterator>>(
      policy, count, detail::elements_of<Iterator>{first}, output, {}, operation);
}

template <detail::iterator Iterator, detail::iterator Output, class Operation = std::plus<>>
Output inclusive_scan(Iterator first, detail::same<Iterator> last, Output output, Operation operation = {}) {
  return ramie::inclusive_scan(parallel_policy{}, first, last, output, std::move(operation));
}

/// output[i] = initial ∘ x0 ∘ … ∘ xi-1; all else as inclusive_scan.
template <detail::iterator Iterator, detail::iterator Output, class T, class Operation = std::plus<>>
Output exclusive_scan(const parallel_policy& policy, Iterator first, Iterator last, Output output, T initial,
                      Operation operation = {}) {
  const std::size_t count = detail::count_of(first, last);
  return detail::scan_elements<detail::scan_kind::exclusive, T>(policy, count, detail::elements_of<Iterator>{first},
                                                                output, std::move(initial), operation);
}

template <detail::iterator Iterator, detail::iterator Output, class T, class Operation = std::plus<>>
Output exclusive_scan(Iterator first, detail::same<Iterator> last, Output output, T initial, Operation operation = {}) {
  return ramie::exclusive_scan(parallel_policy{}, first, last, output, std::move(initial), std::move(operation));
}

/// output[i] = initial ∘ f(x0) ∘ … ∘ f(xi), as inclusive_scan. f is called twice for some elements. Without `initial`
/// the sums have the type that f returns.
template <detail::iterator Iterator, detail::iterator Output, class Operation, class Function, class T>
Output transform_inclusive_scan(const parallel_policy& policy, Iterator first, Iterator last, Output output,
                                Operation operation, Function f, T initial) {
  const std::size_t count = detail::count_of(first, last);
  return detail::scan_elements<detail::scan_kind::inclusive, T>(policy, count, detail::transformed(first, f), output,
                                                                std::move(initial), operation);
}

template <detail::iterator Iterator, detail::iterator Output, class Operation, class Function, class T>
Output transform_inclusive_scan(Iterator first, detail::same<Iterator> last, Output output, Operation operation,
                                Function f, T initial) {
  return ramie::transform_inclusive_scan(parallel_policy{}, first, last, output, std::move(operation), std::move(f),
                                         std::move(initial));
}

template <detail::iterator Iterator, detail::iterator Output, class Operation, class Function>
Output transform_inclusive_scan(const parallel_policy& policy, Iterator first, Iterator last, Output output,
                                Operation operation, Function f) {
  using sum = std::decay_t<std::invoke_result_t<Function&, std::iter_reference_t<Iterator>>>;
  const std::size_t count = detail::count_of(first, last);
  return detail::scan_elements<detail::scan_kind::inclusive, sum>(policy, count, detail::transformed(first, f), output,
                                                                  {}, operation);
}

template <detail::iterator Iterator, detail::iterator Output, class Operation, class Function>
Output transform_inclusive_scan(Iterator first, detail::same<Iterator> last, Output output, Operation operation,
                                Function f) {
  return ramie::transform_inclusive_scan(parallel_policy{}, first, last, output, std::move(operation), std::move(f));
}

/// output[i] = initial ∘ f(x0) ∘ … ∘ f(xi-1), as transform_inclusive_scan.
template <detail::iterator Iterator, detail::iterator Output, class T, class Operation, class Function>
Output transform_exclusive_scan(const parallel_policy& policy, Iterator first, Iterator last, Output output, T initial,
                                Operation operation, Function f) {
  const std::size_t count = detail::count_of(first, last);
  return detail::scan_elements<detail::scan_kind::exclusive, T>(policy, count, detail::transformed(first, f), output,
                                                                std::move(initial), operation);
}

template <detail::iterator Iterator, detail::iterator Output, class T, class Operation, class Function>
Output transform_exclusive_scan(Iterator first, detail::same<Iterator> last, Output output, T initial,
                                Operation operation, Function f) {
  return ramie::transform_exclusive_scan(parallel_policy{}, first, last, output, std::move(initial),
                                         std::move(operation), std::move(f));
}

}  // namespace ramie
