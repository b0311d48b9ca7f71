// Not for users.
//
// The order in which a thief visits its victims, and how long it waits between two rounds. One object a worker.
//
// A policy is a rule for the next victim, no more; the steal itself stands in batches.hpp, its counting in
// worker_loop.cpp. Two policies ask how much their victims have. The others never do, and pay nothing for it.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/base/random.hpp>
#include <ramie/scheduler/near_first.hpp>
#include <ramie/scheduler/options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace ramie::detail {

class victim_order {
 public:
  /// `near` is for the hierarchical policy alone.
  victim_order(victim_policy policy, unsigned self, unsigned workers, std::uint64_t seed, near_first near = {})
      : m_policy(policy),
        m_self(self),
        m_workers(workers),
        m_random(seed ^ (std::uint64_t{self} << 32U)),
        m_near(std::move(near)) {}

  /// Calls attempt(victim) for at most workers - 1 victims, never for this worker itself, until it says true; says
  /// whether it did. size(victim) -> std::size_t is how much there is to steal, a guess.
  template <class Attempt, class Size>
  bool round(Attempt&& attempt, Size&& size) {
    if (m_workers < 2) return false;
    switch (m_policy) {
      case victim_policy::sequential: return scan(0, attempt);
      case victim_policy::random:
        for (unsigned i = 1; i < m_workers; ++i) {
          if (attempt(drawn())) return true;
        }
        return false;
      case victim_policy::random_start: return scan(m_random.below(m_workers), attempt);
      case victim_policy::last_victim:
        if (m_last != m_self && attempt(m_last)) return true;
        return scan(m_random.below(m_workers), attempt);
      case victim_policy::two_random: return by_pairs(attempt, size);
      case victim_policy::hierarchical: return m_near.round(m_random, attempt);
      case victim_policy::probabilistic:
        for (unsigned i = 1; i < m_workers; ++i) {
          if (attempt(drawn_by_size(size))) return true;
        }
        return false;
    }
    return false;
  }

  /// The next round leaves nobody out for being far. (Policies that draw may still miss somebody; they draw again.)
  void look_everywhere() { m_near.look_everywhere(); }

 private:
  // From one victim on, round once.
  template <class Attempt>
  bool scan(unsigned victim, Attempt&& attempt) {
    for (unsigned i = 0; i < m_workers; ++i, victim = victim + 1 < m_workers ? victim + 1 : 0) {
      if (victim != m_self && attempt(victim)) {
        m_last = victim;
        return true;
      }
    }
    return false;
  }

  // Two at a time. (Two choices balance far better than one, and more choices hardly better: Mitzenmacher 2001.) An
  // attempt also at a victim that seems to have nothing: a size is a guess, and one attempt decides.
  template <class Attempt, class Size>
  bool by_pairs(Attempt&& attempt, Size&& size) {
    for (unsigned left = m_workers - 1; left > 0; --left) {
      const unsigned rank = m_random.below(m_workers - 1);
      unsigned first = other(rank);
      if (m_workers == 2) return attempt(first);
      const unsigned second_rank = m_random.below(m_workers - 2);
      unsigned second = other(second_rank < rank ? second_rank : second_rank + 1);
      if (size(second) > size(first)) std::swap(first, second);
      if (attempt(first)) return true;
      if (--left == 0) return false;
      if (attempt(second)) return true;
    }
    return false;
  }

  // The probabilistic stealing of BWoS (Wang et al., OSDI 2023): a victim is drawn, and accepted with a probability
  // that is proportional to the length of its queue; otherwise the thief draws again. The measure is the longest queue
  // that the thief has seen. If the thief refuses every victim, the loads have changed, and the lengths just seen
  // become the measure. So the search ends, looks at a few victims instead of all, and accepts at once where no victim
  // has anything.
  template <class Size>
  unsigned drawn_by_size(Size&& size) {
    std::uint32_t longest = 0;
    unsigned victim = m_self;
    for (unsigned refused = 0; refused < most_refusals; ++refused) {
      victim = drawn();
      const auto length =
          static_cast<std::uint32_t>(std::min<std::size_t>(size(victim), std::numeric_limits<std::uint32_t>::max()));
      longest = std::max(longest, length);
      m_longest = std::max(m_longest, length);
      if (m_longest == 0 || m_random.below(m_longest) < length) return victim;
    }
    m_longest = longest;
    return victim;
  }

  unsigned drawn() { return other(m_random.below(m_workers - 1)); }
  // Of the other workers, the one with this rank.
  [[nodiscard]] unsigned other(unsigned rank) const { return rank < m_self ? rank : rank + 1; }

  static constexpr unsigned most_refusals = 8;

  victim_policy m_policy;
  unsigned m_self;
  unsigned m_workers;
  unsigned m_last = m_self;
  std::uint32_t m_longest = 0;
  random_source m_random;
  near_first m_near;
};

class backoff {
 public:
  backoff(backoff_policy policy, std::uint64_t seed) : m_policy(policy), m_random(seed) {}

  /// After a round without success.
  void pause() {
    switch (m_policy) {
      case backoff_policy::none: return;
      case backoff_policy::fixed: return spin(fixed_pauses);
      case backoff_policy::exponential:
        spin(m_delay / 2 + m_random.below(m_delay / 2 + 1));  // jitter: the upper half
        if (m_delay < max_pauses) m_delay *= 2;
        return;
    }
  }
  /// After a success.
  void reset() { m_delay = 1; }

 private:
  static void spin(std::uint32_t pauses) {
    for (std::uint32_t i = 0; i < pauses; ++i) native_provider::pause();
  }
  static constexpr std::uint32_t fixed_pauses = 64;
  static constexpr std::uint32_t max_pauses = 1024;

  backoff_policy m_policy;
  std::uint32_t m_delay = 1;
  random_source m_random;
};

}  // namespace ramie::detail
