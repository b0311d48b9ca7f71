// A distribution of times: counts in buckets that grow with what they count, an eighth of a power of two each.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace bench::queues {

/// Of nanoseconds. One writer.
class histogram {
 public:
  void add(std::uint64_t ns) {
    ++m_counts[bucket_of(ns)];
    ++m_total;
    m_most = std::max(m_most, ns);
    const auto value = static_cast<double>(ns);
    m_sum += value;
    m_squares += value * value;
  }

  void add(const histogram& other) {
    for (std::size_t i = 0; i < m_counts.size(); ++i) m_counts[i] += other.m_counts[i];
    m_total += other.m_total;
    m_most = std::max(m_most, other.m_most);
    m_sum += other.m_sum;
    m_squares += other.m_squares;
  }

  [[nodiscard]] std::uint64_t total() const { return m_total; }
  [[nodiscard]] std::uint64_t most() const { return m_most; }
  [[nodiscard]] double mean() const { return m_total == 0 ? 0 : m_sum / static_cast<double>(m_total); }
  [[nodiscard]] double variance() const {
    return m_total == 0 ? 0 : std::max(0.0, m_squares / static_cast<double>(m_total) - mean() * mean());
  }

  /// So many nanoseconds or fewer in the share `q` of all: the middle of the bucket in which it lies.
  [[nodiscard]] double quantile(double q) const {
    if (m_total == 0) return 0;
    const auto wanted =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(m_total))));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < m_counts.size(); ++i) {
      seen += m_counts[i];
      if (seen >= wanted) return static_cast<double>(lower(i) + (lower(i + 1) - lower(i)) / 2);
    }
    return static_cast<double>(m_most);
  }

  /// Calls f(least number of the bucket, count) for each that is not empty.
  template <class F>
  void each(F&& f) const {
    for (std::size_t i = 0; i < m_counts.size(); ++i) {
      if (m_counts[i] != 0) f(lower(i), m_counts[i]);
    }
  }

  /// The bucket's least number: 0 to 7 have buckets of their own, then eight share each power of two.
  [[nodiscard]] static constexpr std::uint64_t lower(std::size_t bucket) {
    return bucket < 8 ? bucket : (8 + bucket % 8) << (bucket / 8 - 1);
  }
  [[nodiscard]] static constexpr std::size_t bucket_of(std::uint64_t ns) {
    if (ns < 8) return static_cast<std::size_t>(ns);
    const auto power = static_cast<std::size_t>(std::bit_width(ns)) - 4;
    return std::min<std::size_t>(buckets - 1, power * 8 + static_cast<std::size_t>(ns >> power));
  }

 private:
  static constexpr std::size_t buckets = 320;  // up to about an hour and a half

  std::array<std::uint64_t, buckets> m_counts{};
  std::uint64_t m_total = 0;
  std::uint64_t m_most = 0;
  double m_sum = 0;
  double m_squares = 0;
};

}  // namespace bench::queues
