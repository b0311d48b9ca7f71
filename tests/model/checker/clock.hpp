// The happens-before order of an execution's events: vector clocks over a handful of threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ramie::model {

/// Threads of one execution, the one that runs the body (thread 0) included.
inline constexpr std::size_t max_threads = 8;

/// The n-th event of a thread. The first value of a location is written by nobody.
struct event_id {
  std::uint8_t thread;
  std::int16_t index;
  friend bool operator==(event_id, event_id) = default;
  friend auto operator<=>(event_id, event_id) = default;
};
inline constexpr event_id nobody{0xFF, -1};

/// How many events of each thread are known. Signed 16 bits: SSE2 has a maximum of those.
class clock {
 public:
  [[nodiscard]] bool contains(event_id event) const { return event == nobody || m_known[event.thread] > event.index; }
  [[nodiscard]] std::int16_t known(std::size_t thread) const { return m_known[thread]; }
  void include(event_id event) {
    m_known[event.thread] = std::max(m_known[event.thread], static_cast<std::int16_t>(event.index + 1));
  }
  void join(const clock& other) {
    for (std::size_t i = 0; i < max_threads; ++i) m_known[i] = std::max(m_known[i], other.m_known[i]);
  }

 private:
  alignas(16) std::array<std::int16_t, max_threads> m_known{};
};

}  // namespace ramie::model
