#include <simulation/simulator/schedule.hpp>

#include <simulation/simulator/thread.hpp>

#include <algorithm>
#include <functional>
#include <limits>

namespace ramie::sim {

schedule::schedule(std::uint64_t seed) : m_random(seed), m_priorities(m_random.below(3) != 0) {
  constexpr std::array<std::uint32_t, 6> means{1, 2, 5, 20, 80, 300};
  constexpr std::array<std::uint32_t, 5> lengths{30, 300, 2'000, 10'000, 50'000};
  m_spurious = m_random.below(4) == 0 ? 8 : 0;
  if (!m_priorities) {
    m_mean = means[m_random.below(means.size())];
    return;
  }
  constexpr std::array<std::uint32_t, 4> turns{8, 20, 50, 150};
  if (m_random.below(2) == 0) {
    m_turn = turns[m_random.below(turns.size())];
    return;
  }
  m_turn = 3'000;
  const std::uint32_t length = lengths[m_random.below(lengths.size())];
  m_changes = 1 + m_random.below(static_cast<std::uint32_t>(m_change_points.size()));
  m_all_changes = m_changes;
  for (std::size_t i = 0; i < m_changes; ++i) m_change_points[i] = m_random.below(length);
  std::sort(m_change_points.begin(), m_change_points.begin() + static_cast<std::ptrdiff_t>(m_changes),
            std::greater<>());
}

std::string schedule::description() const {
  const std::string spurious = m_spurious != 0 ? ", spurious wake-ups" : "";
  if (m_priorities && m_turn < 1'000) return "delays after about " + std::to_string(m_turn) + " steps" + spurious;
  if (m_priorities) return "priorities that change at up to " + std::to_string(m_all_changes) + " steps" + spurious;
  return "a random thread about every " + std::to_string(m_mean) + " steps" + spurious;
}

std::int64_t schedule::draw_priority() { return m_priorities ? 1 + m_random.below(1U << 30U) : 0; }

thread& schedule::any(std::span<thread* const> runnable, const thread* but_for) {
  const auto self = std::ranges::find(runnable, but_for);
  if (self == runnable.end() || runnable.size() == 1) {
    return *runnable[m_random.below(static_cast<std::uint32_t>(runnable.size()))];
  }
  const std::size_t drawn = m_random.below(static_cast<std::uint32_t>(runnable.size() - 1));
  return *runnable[drawn + (drawn >= static_cast<std::size_t>(self - runnable.begin()) ? 1 : 0)];
}

bool schedule::change_point(std::uint64_t step) {
  bool reached = false;
  for (; m_changes > 0 && m_change_points[m_changes - 1] <= step; --m_changes) reached = true;
  return reached;
}

thread& schedule::choose(std::span<thread* const> runnable, thread* current, reason why, std::uint64_t step) {
  if (!m_priorities) {
    m_next_decision = step + 1 + (m_mean > 1 ? m_random.below(2 * m_mean) : 0);
    return any(runnable, current);
  }
  const bool falls = why == reason::gives_way || step >= m_turn_ends || change_point(step);
  if (falls && current != nullptr) current->priority = --m_lowest;
  thread& next = **std::ranges::max_element(runnable, {}, [](const thread* each) { return each->priority; });
  if (&next != current || falls) m_turn_ends = step + 1 + m_random.below(2 * m_turn);
  m_next_decision = std::min(m_turn_ends, m_changes > 0 ? m_change_points[m_changes - 1] : m_turn_ends);
  m_next_decision = std::max(m_next_decision, step + 1);
  return next;
}

}  // namespace ramie::sim
