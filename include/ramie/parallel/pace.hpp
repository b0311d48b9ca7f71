// How many elements are worth a fork: found out from the time that they take.
#pragma once

#include <ramie/base/min_max.hpp>
#include <ramie/base/ticks.hpp>
#include <ramie/parallel/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace ramie::detail {

/// Of the leaves that run one after another on one fiber. A fork and a look at the clock cost about 20 ns, and a thief
/// spends a microsecond or two, so a leaf shall take two to four.
///
/// Begins with one element, for any may be dear, and doubles while leaves are quick: after ten of them it has a
/// thousand elements. The halves of a range grow as fast on the way up from its first element, so this delays nothing.
class pace {
 public:
  explicit pace(const parallel_policy& policy) : m_by_time(policy.grain == 0) {
    if (!m_by_time) {
      // Below twice the grain one of the halves would be below the grain.
      m_leaf = policy.grain <= everything / 2 ? 2 * policy.grain - 1 : everything;
    }
  }

  [[nodiscard]] bool is_leaf(std::size_t elements) const { return elements <= m_leaf; }

  /// Where to divide. Among many elements at a multiple of 64: pieces then begin at a cache line if the elements do,
  /// whatever their size. (Vector instructions that cross from line to line cost a plain loop a fifth.)
  [[nodiscard]] std::size_t middle(std::size_t begin, std::size_t end) const {
    const std::size_t half_way = begin + (end - begin) / 2;
    return m_by_time && end - begin >= 256 ? half_way / 64 * 64 : half_way;
  }

  /// After how many elements of a leaf to look up: a quarter of a full one, between 256 and 1,024. Fewer are felt by a
  /// loop of the cheapest (a sum of a million integers, which adds up its vectors after each block, took two fifths
  /// more with 256). A starving worker may have to wait for so many, where dear elements follow upon cheap ones.
  [[nodiscard]] std::size_t block() const {
    return m_by_time ? max_of<std::size_t>(256, min_of<std::size_t>(m_leaf / 4, 1024)) : everything;
  }

  /// Before each leaf. It begins where the one before it ended: one look at the clock a leaf.
  void begin_leaf() {
    if (m_by_time && m_began == unknown) m_began = ticks();
  }

  /// In a leaf, between blocks.
  [[nodiscard]] bool is_late() const { return m_by_time && ticks() - m_began > aim(); }

  /// After each leaf.
  void end_leaf(std::size_t elements) {
    if (!m_by_time) return;
    const std::uint64_t now = ticks();
    const std::uint64_t time = now - m_began;
    m_began = now;
    if (time < aim() / 2) {
      if (elements > m_leaf / 2) m_leaf = elements <= everything / 2 ? 2 * elements : everything;
    } else if (time > 2 * aim()) [[unlikely]] {
      const std::size_t in_time = elements / (time / aim());
      m_leaf = in_time > 1 ? in_time : 1;
    }
  }

  /// Time has passed that belongs to no leaf.
  void pause() { m_began = unknown; }

 private:
  static constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();
  static constexpr std::uint64_t unknown = 0;
  static std::uint64_t aim() { return 4 * ticks_a_microsecond(); }

  const bool m_by_time;
  std::size_t m_leaf = 1;  // the most elements
  std::uint64_t m_began = unknown;
};

}  // namespace ramie::detail
