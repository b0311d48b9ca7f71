// The bucket that a key belongs to, by one look at a table that was made from samples.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ramie::detail::sorting {

/// The range of the samples is cut into cells of equal width, a power of two, and neighbouring cells are put together
/// to buckets of about as many samples each. So a bucket costs one subtraction, one shift and one load, whatever the
/// keys are; keys that crowd in one cell share a bucket, whose range is a small part of the whole: it is distributed
/// once more. (The splitters of a sample sort, as in Axtmann, Witt, Ferizovic, Sanders, "Engineering in-place
/// (shared-memory) sorting algorithms", ACM TOPC 2022, need a comparison for each bit of the bucket's number; there,
/// too, "IPS²Ra" takes bits of the key.)
template <class Integer>
class bucket_map {
  using number = std::make_unsigned_t<Integer>;

 public:
  /// Besides these there is a cell for what is less than all samples, and one for what is more.
  static constexpr std::size_t inner_cells = 4096;
  /// The most that `wanted` in make() may be, and the most that there are then.
  static constexpr std::size_t most_wanted = 512;
  static constexpr std::size_t most_buckets = 2 * most_wanted + 2;

  /// From samples in ascending order; about `wanted` buckets.
  void make(const Integer* samples, std::size_t count, std::size_t wanted) {
    m_least = samples[0];
    const auto range = static_cast<number>(static_cast<number>(samples[count - 1]) - static_cast<number>(m_least));
    constexpr int bits = static_cast<int>(std::bit_width(inner_cells)) - 1;
    const auto width = static_cast<int>(std::bit_width(range));
    m_shift = width > bits ? width - bits : 0;
    const std::size_t enough = (count + wanted - 1) / wanted;

    std::size_t bucket = 0;
    std::size_t in_bucket = 0;
    std::size_t cells_of_bucket = 0;
    std::size_t sample = 0;
    const auto close = [&] {
      m_single[bucket] = cells_of_bucket == 1 && m_shift == 0;
      ++bucket;
      in_bucket = 0;
      cells_of_bucket = 0;
    };
    for (std::size_t cell = 0; cell < cells; ++cell) {
      std::size_t in_cell = 0;
      while (sample + in_cell < count && cell_of(samples[sample + in_cell], m_least, m_shift) == cell) ++in_cell;
      sample += in_cell;
      // A crowded one stays alone.
      if (in_cell >= enough && cells_of_bucket != 0) close();
      m_bucket_of[cell] = static_cast<std::uint16_t>(bucket);
      ++cells_of_bucket;
      in_bucket += in_cell;
      if (in_bucket >= enough) close();
    }
    if (cells_of_bucket != 0) close();
    m_buckets = bucket;
    m_single[m_bucket_of[0]] = m_single[m_bucket_of[cells - 1]] = false;
  }

  [[nodiscard]] std::size_t buckets() const { return m_buckets; }
  /// The registers of a loop over keys: the compiler cannot know that the keys it writes are no part of the map.
  class reader {
   public:
    explicit reader(const bucket_map& of) : m_least(of.m_least), m_shift(of.m_shift), m_bucket_of(of.m_bucket_of) {}
    [[nodiscard]] std::size_t operator()(Integer key) const { return m_bucket_of[cell_of(key, m_least, m_shift)]; }

   private:
    const Integer m_least;
    const int m_shift;
    const std::uint16_t* const m_bucket_of;
  };
  /// All keys of this bucket are equal.
  [[nodiscard]] bool is_single(std::size_t bucket) const { return m_single[bucket]; }

 private:
  [[nodiscard]] static std::size_t cell_of(Integer key, Integer least, int shift) {
    const auto distance = static_cast<number>(static_cast<number>(key) - static_cast<number>(least));
    const auto steps = static_cast<std::size_t>(distance >> shift);
    const std::size_t above = steps < inner_cells ? steps + 1 : cells - 1;
    return key < least ? 0 : above;
  }

  static constexpr std::size_t cells = inner_cells + 2;

  Integer m_least{};
  int m_shift = 0;
  std::size_t m_buckets = 0;
  std::uint16_t m_bucket_of[cells];
  bool m_single[most_buckets];
};

}  // namespace ramie::detail::sorting
