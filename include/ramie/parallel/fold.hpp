// The sum so far, of any operation, as the pieces of a range hand it on (divide.hpp).
#pragma once

#include <ramie/base/invoke.hpp>
#include <ramie/parallel/divide.hpp>
#include <ramie/parallel/large_values.hpp>
#include <ramie/parallel/range.hpp>

#include <cstddef>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

namespace ramie::detail {

/// The element that an iterator points at, by number.
template <class Iterator>
struct elements_of {
  [[gnu::always_inline]] decltype(auto) operator()(std::size_t i) const { return *advanced(first, i); }
  Iterator first;
};

/// And the result of a function for it.
template <class Iterator, class Function>
[[nodiscard]] auto transformed(Iterator first, Function& f) {
  return [first, &f](std::size_t i) -> decltype(auto) { return call_with(f, *advanced(first, i)); };
}

/// elements(0) ∘ elements(1) ∘ …. Empty before the first, so that T needs no default and the operation no neutral
/// value.
template <class T, class Elements, class Operation>
struct fold {
  using view = std::optional<T>;
  using aside = std::optional<T>;
  using element = std::invoke_result_t<const Elements&, std::size_t>;

  static_assert(std::is_constructible_v<T, element>,
                "ramie: elements must convert to the type of the sum, that of the initial value; where they do not, "
                "make the conversion the function of a transform_reduce or a transform_ scan");
  static_assert(std::is_invocable_v<Operation&, T, element> && std::is_invocable_v<Operation&, T, T>,
                "ramie: the operation must take (sum, element) and (sum, sum)");

  void run(view& sum, std::size_t at, std::size_t end) const {
    if (!sum) sum.emplace(elements(at++));
    if constexpr (is_large<T>) {
      for (; at != end; ++at) *sum = call_with(operation, *std::move(sum), elements(at));
    } else {
      run_in_registers(*sum, at, end);
    }
  }
  void run_apart(division<fold>& whole, std::size_t begin, std::size_t end, aside& sum) const {
    whole.run(begin, end, sum);
  }
  void absorb(division<fold>&, view& sum, aside& behind) const { add(sum, *std::move(behind)); }

  // By assignment, as everywhere here: the operation may return a reference to what it was given.
  void add(view& sum, T&& behind) const { *sum = call_with(operation, *std::move(sum), std::move(behind)); }

  const Elements& elements;
  Operation& operation;

 private:
  void run_in_registers(T& sum, std::size_t at, std::size_t end) const {
    T here = std::move(sum);
    if constexpr (std::is_floating_point_v<T>) {
      // Four at a time: one long chain of additions would wait for each one's latency, and the compiler must not
      // regroup.
      for (; end - at >= 4; at += 4) {
        const T first = call_with(operation, T(elements(at)), T(elements(at + 1)));
        const T second = call_with(operation, T(elements(at + 2)), T(elements(at + 3)));
        here = call_with(operation, here, T(call_with(operation, first, second)));
      }
    }
    for (; at != end; ++at) here = call_with(operation, std::move(here), elements(at));
    sum = std::move(here);
  }
};

}  // namespace ramie::detail
