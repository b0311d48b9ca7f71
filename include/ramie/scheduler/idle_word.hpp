// Not for users.
//
// The word of the event count: how many workers search, how many sleep. A spawn looks at it; sleep_gate.hpp has the
// rest, and the names of the steps.
#pragma once

#include <ramie/base/provider.hpp>

#include <cstdint>

namespace ramie::detail {

/// The two counts in the word.
class idle_counts {
 public:
  constexpr explicit idle_counts(std::uint64_t word = 0) : m_word(word) {}
  [[nodiscard]] constexpr unsigned searching() const { return static_cast<unsigned>(m_word & 0xFFFF'FFFFU); }
  [[nodiscard]] constexpr unsigned sleeping() const { return static_cast<unsigned>(m_word >> 32U); }

  static constexpr std::uint64_t one_searching = 1;
  static constexpr std::uint64_t one_sleeping = std::uint64_t{1} << 32U;

 private:
  std::uint64_t m_word;
};

template <class Provider = native_provider>
struct idle_word {
  // Most accesses are relaxed: it carries no data, but for X1. The order comes from the fences of the gate.
  typename Provider::template atomic<std::uint64_t> value{0};

  [[nodiscard]] idle_counts counts() const { return idle_counts(value.load(std::memory_order_relaxed)); }

  /// [P2], [P3] Any thread, after it pushed. False: no worker sleeps, and a worker that is about to sleep sees the push
  /// in [S3].
  [[nodiscard, gnu::always_inline]] bool somebody_sleeps() const {
    Provider::fence_light();          // P2, pairs with S2
    return counts().sleeping() != 0;  // P3
  }
};

}  // namespace ramie::detail
