// Not for users.
//
// The other workers, by how near they are to one: the hierarchical victim policy.
//
// Items in a near worker's queues are likely to be in a cache that both workers use, so far ones are left to their own
// neighbours for a while: a round looks at the near ones alone, and when `threshold` rounds in succession have brought
// nothing, the next ones also look at the level behind. A success at some level makes that one the outermost again.
//
// Nothing may wait for the threshold longer than a search takes. A worker that is about to sleep calls
// look_everywhere(): if its last look before it sleeps sees work, the next round is sure to look there, however far
// that is and however large the threshold; without this it would go round between search and sleep until the threshold
// is reached.
#pragma once

#include <ramie/base/random.hpp>
#include <ramie/topology/hierarchy.hpp>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace ramie::detail {

class near_first {
 public:
  /// Knows nobody.
  near_first() = default;
  /// For worker `self`. Levels on which there is nobody do not count.
  near_first(const topology::hierarchy& machine, unsigned self, unsigned workers, unsigned threshold)
      : m_threshold(threshold) {
    for (const auto level : {topology::distance::same_cache, topology::distance::same_node, topology::distance::far}) {
      const std::size_t before = m_others.size();
      for (unsigned other = 0; other < workers; ++other) {
        if (other != self && machine.between(self, other) == level)
          m_others.push_back(static_cast<std::uint16_t>(other));
      }
      if (m_others.size() != before) m_ends[m_levels++] = static_cast<std::uint32_t>(m_others.size());
    }
    reach(0);
  }

  /// Calls attempt(victim) for the workers within reach, each once, the near ones first and each level in an order
  /// drawn anew, until it says true; says whether it did.
  template <class Attempt>
  bool round(random_source& random, Attempt&& attempt) {
    std::uint32_t next = 0;
    for (unsigned level = 0; level < m_reached; ++level) {
      for (const std::uint32_t end = m_ends[level]; next < end; ++next) {
        std::swap(m_others[next], m_others[next + random.below(end - next)]);
        if (!attempt(unsigned{m_others[next]})) continue;
        reach(level);
        return true;
      }
    }
    if (m_reached < m_levels && ++m_fruitless >= m_threshold) reach(m_reached);
    return false;
  }

  /// From the next round on, until one succeeds.
  void look_everywhere() { m_reached = m_levels; }

 private:
  // This level is the outermost from now on.
  void reach(unsigned level) {
    m_fruitless = 0;
    m_reached = m_threshold == 0 || level >= m_levels ? m_levels : level + 1;
  }

  std::vector<std::uint16_t> m_others;    // at most 4096 workers in a runtime; all of one level stand together
  std::array<std::uint32_t, 3> m_ends{};  // of the levels, in m_others
  unsigned m_levels = 0;
  unsigned m_reached = 0;  // how many of them a round looks at
  unsigned m_fruitless = 0;
  unsigned m_threshold = 0;
};

}  // namespace ramie::detail
