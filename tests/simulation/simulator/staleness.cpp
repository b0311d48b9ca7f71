#include <simulation/simulator/staleness.hpp>

#include <algorithm>

namespace ramie::sim {

// Another stream than the schedule's, which is the same with a weak memory and without.
staleness::staleness(std::uint64_t seed) : m_random(seed ^ 0x0'01D'5EED'0000'0000ULL), m_way(way(m_random.below(4))) {
  switch (m_way) {
    case way::often: {
      constexpr std::array<std::uint32_t, 4> chances{1, 2, 8, 32};
      m_one_in = chances[m_random.below(chances.size())];
      break;
    }
    case way::few: {
      constexpr std::array<std::uint32_t, 3> lengths{10, 50, 250};
      const std::uint32_t length = lengths[m_random.below(lengths.size())];
      m_count = 1 + m_random.below(static_cast<std::uint32_t>(m_points.size()));
      for (std::size_t i = 0; i < m_count; ++i) m_points[i] = m_random.below(length);
      break;
    }
    case way::lags: {
      constexpr std::array<std::uint32_t, 3> turns{5, 20, 80};
      m_turn = turns[m_random.below(turns.size())];
      break;
    }
    case way::places: {
      constexpr std::array<std::uint32_t, 3> chances{2, 6, 20};
      m_one_in = chances[m_random.below(chances.size())];
      m_salt = m_random.next();
      break;
    }
  }
}

std::string staleness::description() const {
  switch (m_way) {
    case way::often: return "one access in " + std::to_string(m_one_in) + " finds an old value";
    case way::few: return "up to " + std::to_string(m_count) + " accesses find the oldest value";
    case way::lags: return "threads see nothing new for about " + std::to_string(m_turn) + " steps";
    case way::places: return "one statement in " + std::to_string(m_one_in) + " finds the oldest values";
  }
  return "";
}

void staleness::advance(weak::slot thread) {
  view& mine = m_views[thread];
  if (mine.left-- != 0) return;
  mine.lags = !mine.lags;
  mine.left = m_random.below(2 * m_turn);
}

bool staleness::old_place(weak::slot thread) {
  switch (m_way) {
    case way::often: return m_random.below(m_one_in) == 0 && m_random.below(8) != 0;
    case way::few: {
      const auto end = m_points.begin() + static_cast<std::ptrdiff_t>(m_count);
      return std::find(m_points.begin(), end, m_accesses++) != end;
    }
    case way::lags: return m_views[thread].lags;
    case way::places: {
      const std::uint64_t statement = (m_salt ^ m_at.line() * 0x9E37'79B9'7F4A'7C15ULL) * 0xBF58'476D'1CE4'E5B9ULL;
      return (statement >> 32U) % m_one_in == 0 && m_random.below(4) != 0;
    }
  }
  return false;
}

std::size_t staleness::which(weak::slot /*thread*/, std::size_t count) {
  return m_way == way::often ? m_random.below(static_cast<std::uint32_t>(count)) : count - 1;
}

}  // namespace ramie::sim
