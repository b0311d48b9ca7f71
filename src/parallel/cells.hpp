// The cell of a key, of so many cells of equal width.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ramie::detail::sorting {

template <class Integer>
struct key_range {
  Integer least;
  Integer largest;
};

/// By a multiplication: widths need not be powers of two.
template <class Integer>
struct cell_scale {
  using number = std::make_unsigned_t<Integer>;

  /// The range from `least` to `largest`, which is more, in at most 65,535 cells.
  cell_scale(Integer least_key, Integer largest, std::uint32_t cells) : least(least_key) {
    const auto range = static_cast<number>(static_cast<number>(largest) - static_cast<number>(least));
    const auto bits = static_cast<int>(std::bit_width(range));
    shift = bits > 31 ? bits - 31 : 0;
    factor = (std::uint64_t{cells} << 32U) / (static_cast<std::uint64_t>(range >> shift) + 1);
  }
  [[nodiscard]] std::uint16_t operator()(Integer key) const {
    const auto distance = static_cast<number>(static_cast<number>(key) - static_cast<number>(least));
    return static_cast<std::uint16_t>((static_cast<std::uint64_t>(distance >> shift) * factor) >> 32U);
  }

  Integer least;
  int shift;
  std::uint64_t factor;
};

/// At least one key.
[[nodiscard]] key_range<std::int32_t> range_of_keys(const std::int32_t* keys, std::size_t count) noexcept;
[[nodiscard]] key_range<std::int64_t> range_of_keys(const std::int64_t* keys, std::size_t count) noexcept;

/// cells[i] = scale(keys[i]), eight at once. False, and nothing is written, where the processor or the build cannot, or
/// the scale has too fine steps: then the cells are not worth being noted, and are better computed each time.
[[nodiscard]] bool cells_of_keys(const std::int64_t* keys, std::size_t count, const cell_scale<std::int64_t>& scale,
                                 std::uint16_t* cells) noexcept;
[[nodiscard]] inline bool cells_of_keys(const std::int32_t* /*keys*/, std::size_t /*count*/,
                                        const cell_scale<std::int32_t>& /*scale*/, std::uint16_t* /*cells*/) noexcept {
  return false;
}

}  // namespace ramie::detail::sorting
