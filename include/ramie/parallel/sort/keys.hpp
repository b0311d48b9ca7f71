// The elements that are numbers in their natural order: they are sorted by their bits, by compiled code of the library
// (src/parallel/sort_keys.cpp), whatever their type is called.
#pragma once

#include <ramie/base/function_objects.hpp>
#include <ramie/parallel/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

namespace ramie::detail::sorting {

enum class direction { ascending, descending, unknown };

/// The relation of Compare to T's own order: `unknown` if it is not one of the standard's function objects.
template <class Compare, class T>
inline constexpr direction direction_of = direction::unknown;
template <class T>
inline constexpr direction direction_of<std::less<>, T> = direction::ascending;
template <class T>
inline constexpr direction direction_of<std::less<T>, T> = direction::ascending;
template <class T>
inline constexpr direction direction_of<std::ranges::less, T> = direction::ascending;
template <class T>
inline constexpr direction direction_of<std::greater<>, T> = direction::descending;
template <class T>
inline constexpr direction direction_of<std::greater<T>, T> = direction::descending;
template <class T>
inline constexpr direction direction_of<std::ranges::greater, T> = direction::descending;

template <class T>
inline constexpr bool is_number =
    (std::is_integral_v<T> && sizeof(T) <= 8) || std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class Iterator, class Compare>
concept keys = std::contiguous_iterator<Iterator> && is_number<std::iter_value_t<Iterator>> &&
               std::is_same_v<std::iter_reference_t<Iterator>, std::iter_value_t<Iterator>&> &&
               direction_of<Compare, std::iter_value_t<Iterator>> != direction::unknown;

/// The change to the bits of a number, read as a signed integer, that gives the integers the order of the numbers:
/// `fold` applies where the sign bit is set, `flip` then to all. Numbers whose bits differ never become equal:
/// floating-point numbers come in the total order of IEEE 754 (-NaN < -inf < … < -0 < +0 < … < +inf < NaN).
template <class Integer>
struct key_order {
  Integer fold;
  Integer flip;

  [[nodiscard]] constexpr Integer encoded(Integer bits) const {
    return bits ^ ((bits >> (8 * sizeof(Integer) - 1)) & fold) ^ flip;
  }
  [[nodiscard]] constexpr Integer decoded(Integer key) const {
    const Integer bits = key ^ flip;
    return bits ^ ((bits >> (8 * sizeof(Integer) - 1)) & fold);
  }
  [[nodiscard]] constexpr bool is_plain() const { return fold == 0 && flip == 0; }
};

template <std::size_t Size>
using key_of_size = std::conditional_t<
    Size == 1, std::int8_t,
    std::conditional_t<Size == 2, std::int16_t, std::conditional_t<Size == 4, std::int32_t, std::int64_t>>>;

template <class T>
constexpr key_order<key_of_size<sizeof(T)>> order_of(direction which) {
  using integer = key_of_size<sizeof(T)>;
  constexpr integer magnitude = std::numeric_limits<integer>::max();
  key_order<integer> order{0, 0};
  if constexpr (std::is_floating_point_v<T>) order.fold = magnitude;
  if constexpr (std::is_unsigned_v<T>) order.flip = static_cast<integer>(~magnitude);
  if (which == direction::descending) order.flip = static_cast<integer>(~order.flip);
  return order;
}

/// Sorts count keys in place. From a fiber. Throws `stopped`, nothing else: where memory is short it takes a way that
/// needs none.
void sort_keys(void* first, std::size_t count, key_order<std::int8_t>, const parallel_policy&);
void sort_keys(void* first, std::size_t count, key_order<std::int16_t>, const parallel_policy&);
void sort_keys(void* first, std::size_t count, key_order<std::int32_t>, const parallel_policy&);
void sort_keys(void* first, std::size_t count, key_order<std::int64_t>, const parallel_policy&);

/// Whether one of the numbers is -0, which equals +0 and can be told from it. From a fiber.
[[nodiscard]] bool has_negative_zero(const float* first, std::size_t count);
[[nodiscard]] bool has_negative_zero(const double* first, std::size_t count);

}  // namespace ramie::detail::sorting
