// How often a seeded test repeats: 5 seeds in the ordinary run, 50 where RAMIE_NIGHTLY is set.
#pragma once

#include <ramie/base/config.hpp>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace ramie::test {

/// Sanitized builds are 5 to 15 times slower; what is repeated is repeated less there.
inline constexpr bool sanitized = RAMIE_ASAN != 0 || RAMIE_TSAN != 0;

inline bool nightly() {
  const char* const value = std::getenv("RAMIE_NIGHTLY");
  return value != nullptr && *value != '\0' && *value != '0';
}

/// `ordinary` in the ordinary run, ten times that in the nightly one.
inline unsigned repetitions(unsigned ordinary = 5) { return nightly() ? ordinary * 10 : ordinary; }

/// How long a stress lasts that has no number of repetitions: a second in the ordinary run, a minute in the nightly
/// one.
inline std::chrono::seconds stress_time() { return std::chrono::seconds(nightly() ? 60 : 1); }

/// for (rounds race(20'000); race.next();): so many rounds of a race between threads that must run at the same time.
/// Fewer where a busy machine lets each round wait for several time slices: no more are begun after three times the
/// stress_time().
class rounds {
 public:
  explicit rounds(std::uint64_t most) : m_most(most) {}
  [[nodiscard]] bool next() {
    if (m_begun == m_most || std::chrono::steady_clock::now() > m_end) return false;
    ++m_begun;
    return true;
  }
  [[nodiscard]] std::uint64_t begun() const { return m_begun; }

 private:
  const std::uint64_t m_most;
  const std::chrono::steady_clock::time_point m_end = std::chrono::steady_clock::now() + 3 * stress_time();
  std::uint64_t m_begun = 0;
};

/// The seeds of a storm: 1, 2, ... A failing test prints the one it used; RAMIE_SEED=<n> runs that one alone.
inline std::vector<std::uint64_t> seeds(unsigned ordinary = 5) {
  if (const char* const only = std::getenv("RAMIE_SEED")) return {std::strtoull(only, nullptr, 0)};
  std::vector<std::uint64_t> all;
  for (std::uint64_t seed = 1; seed <= repetitions(ordinary); ++seed) all.push_back(seed);
  return all;
}

}  // namespace ramie::test
