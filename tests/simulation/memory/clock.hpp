// The happens-before order of a simulated run's events: vector clocks over its threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace ramie::weak {

/// Threads that live at a time; a thread that begins when another one has been joined may have its slot.
inline constexpr std::size_t most_threads = 24;
using slot = std::uint32_t;

/// The n-th event of a slot. Negative: of nobody, and known to all.
struct event_id {
  slot thread = 0;
  std::int32_t index = -1;
};

/// How many events of each thread are known.
class clock {
 public:
  [[nodiscard]] bool contains(event_id event) const { return m_known[event.thread] > event.index; }
  [[nodiscard]] std::int32_t operator[](slot thread) const { return m_known[thread]; }
  [[nodiscard]] bool contains(const clock& other) const {
    bool all = true;
    for (std::size_t i = 0; i < most_threads; ++i) all = all && other.m_known[i] <= m_known[i];
    return all;
  }
  void include(event_id event) { m_known[event.thread] = std::max(m_known[event.thread], event.index + 1); }
  void join(const clock& other) {
    for (std::size_t i = 0; i < most_threads; ++i) m_known[i] = std::max(m_known[i], other.m_known[i]);
  }
  void meet(const clock& other) {
    for (std::size_t i = 0; i < most_threads; ++i) m_known[i] = std::min(m_known[i], other.m_known[i]);
  }

 private:
  alignas(16) std::array<std::int32_t, most_threads> m_known{};
};

/// The knowledge that passes from a release to an acquire.
struct knowledge {
  clock happened;   // the events that happened before
  clock overtaken;  // what happened before an access that is coherence-ordered before one of them
  clock ordered;    // the seq_cst accesses that are coherence-ordered before one of them

  void join(const knowledge& other) {
    happened.join(other.happened);
    overtaken.join(other.overtaken);
    ordered.join(other.ordered);
  }
};

}  // namespace ramie::weak
