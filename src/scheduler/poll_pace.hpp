// Not for users. When a busy worker polls what may reach it from elsewhere (whole_worker::poll()).
//
// One rule, whatever the pieces of work are (tasks, fibers that go on, calls): after 2 of them, 4, and so on to 64, as
// long as they take less than 50 us, and after 2 again when they have taken more than 100 us. So the clock is read once
// a poll, and not between polls. If a piece takes L:
//
//   pieces of equal length        at most max(100 us, 2 L) from poll to poll
//   short ones, then long ones    once up to 64 L, because the clock is read at the next poll only; then as above
//   any                           at most 64 pieces, and one more where the oldest task has its turn
//
// A worker does not poll in the middle of a piece: a fiber that computes for a second delays the poll by a second. Two
// pieces and not one: a poll may bring work, and what the worker has already shall have every second choice at least.
#pragma once

#include <ramie/base/ticks.hpp>

#include <algorithm>
#include <cstdint>

namespace ramie::detail {

/// Of one worker, and for the thread that holds it.
class poll_pace {
 public:
  /// Intervals, in choices of the next piece.
  static constexpr std::uint32_t shortest = 2;
  static constexpr std::uint32_t longest = 64;
  /// In ticks. No interval of pieces that are shorter than half of it takes longer.
  [[nodiscard]] static std::uint64_t aim() { return 100 * ticks_a_microsecond(); }

  /// Before each choice. True: it begins with a poll, and polls() or put_off() must follow.
  [[nodiscard, gnu::always_inline]] bool due() { return --m_left == 0; }

  /// At the beginning of a poll; `now` in ticks. So an interval contains the poll before it: both delay the next one.
  void polls(std::uint64_t now) {
    const std::uint64_t took = now - m_polled_at;  // huge if the clocks of two processors differ: as if it were late
    if (took <= aim() / 2) {
      m_interval = std::min(2 * m_interval, longest);
    } else if (took > aim()) {
      m_interval = shortest;
    }
    m_polled_at = now;
    m_left = m_interval;  // the choice that began with the poll is the first of them
  }

  /// The poll comes at the next choice instead.
  void put_off() { m_left = 1; }

  /// After a search or a sleep: nothing is known of the next pieces.
  void begin_again() { m_left = m_interval = shortest; }

  /// The last choice began with a poll.
  [[nodiscard]] bool just_polled() const { return m_left == m_interval; }

  [[nodiscard]] std::uint32_t interval() const { return m_interval; }

 private:
  std::uint32_t m_left = shortest;
  std::uint32_t m_interval = shortest;
  std::uint64_t m_polled_at = 0;
};

}  // namespace ramie::detail
