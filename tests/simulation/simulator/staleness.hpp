// Where the memory is weak: which accesses take an older place than the newest. Everything that is drawn, from one
// seed.
//
// Four ways, of which the seed chooses one:
//   often       each access, with a probability that is drawn too; which of the older places, at random.
//   few         a handful of accesses in the whole run, the oldest place: the same as PCT for schedules. (Gao,
//               Chakraborty, Ozkan, "Probabilistic Concurrency Testing for Weak Memory Programs", ASPLOS 2023, draws as
//               few, but only of the reads that do see another thread's write; a runtime has too many of those to get
//               anywhere.)
//   lags        a thread sees nothing new for some tens of accesses, unless it must, then everything for some tens.
//   places      all accesses of a few statements, the oldest place, three times of four: an order that is too weak
//               stands in one statement.
#pragma once

#include <simulation/memory/weak_memory.hpp>
#include <simulation/simulator/operations.hpp>

#include <ramie/base/random.hpp>

#include <array>
#include <string>

namespace ramie::sim {

class staleness final : public weak::chooser {
 public:
  explicit staleness(std::uint64_t seed);

  [[nodiscard]] std::string description() const;
  /// A thread is about to take a step.
  void step(weak::slot thread, where at) {
    m_at = at;
    if (m_way == way::lags) advance(thread);
  }

  bool old_place(weak::slot thread) override;
  std::size_t which(weak::slot thread, std::size_t count) override;

 private:
  enum class way : std::uint8_t { often, few, lags, places };
  void advance(weak::slot thread);

  random_source m_random;
  way m_way;
  std::uint32_t m_one_in = 2;    // often: one access in so many; places: one statement in so many
  std::uint32_t m_turn = 0;      // lags: how long, on average
  std::uint64_t m_salt = 0;      // places
  std::uint64_t m_accesses = 0;  // few: those until now that had a choice
  std::array<std::uint64_t, 6> m_points{};
  std::size_t m_count = 0;
  struct view {
    bool lags = false;
    std::uint32_t left = 0;
  };
  std::array<view, weak::most_threads> m_views;
  where m_at;
};

}  // namespace ramie::sim
