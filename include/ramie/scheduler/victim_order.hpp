// Whom a thief visits, in which order, and how long it waits between two rounds. One object a worker.
//
// A policy is a rule for the next victim, no more; the steal itself stands in batches.hpp, its counting in
// worker_loop.cpp. More policies (by size, by topology) are further cases here.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/base/random.hpp>
#include <ramie/scheduler/options.hpp>

namespace ramie::detail {

class victim_order {
 public:
  victim_order(victim_policy policy, unsigned self, unsigned workers, std::uint64_t seed)
      : m_policy(policy), m_self(self), m_workers(workers), m_random(seed ^ (std::uint64_t{self} << 32U)) {}

  /// Calls attempt(victim) for at most workers - 1 victims, never for this worker itself, until it says true; says
  /// whether it did.
  template <class Attempt>
  bool round(Attempt&& attempt) {
    if (m_workers < 2) return false;
    if (m_policy == victim_policy::last_victim && m_last != m_self && attempt(m_last)) return true;
    if (m_policy == victim_policy::random) {
      for (unsigned i = 1; i < m_workers; ++i) {
        const unsigned drawn = m_random.below(m_workers - 1);
        if (attempt(drawn < m_self ? drawn : drawn + 1)) return true;
      }
      return false;
    }
    unsigned victim = m_policy == victim_policy::sequential ? 0 : m_random.below(m_workers);
    for (unsigned i = 0; i < m_workers; ++i, victim = victim + 1 < m_workers ? victim + 1 : 0) {
      if (victim != m_self && attempt(victim)) {
        m_last = victim;
        return true;
      }
    }
    return false;
  }

 private:
  victim_policy m_policy;
  unsigned m_self;
  unsigned m_workers;
  unsigned m_last = m_self;
  random_source m_random;
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
