// Chooses the thread that runs next: everything that is drawn, from one seed.
//
// Three ways, of which the seed chooses one:
//   random      after a random number of steps, any thread. Its mean, from every step to every few hundred, is drawn
//   too. priorities  PCT: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic
//               Guarantees of Finding Bugs" (ASPLOS 2010). Each thread has a random priority, the highest runs; at a
//               few random steps the running one falls below all others. Here also one that waits in a spin loop falls,
//               and one that has run for very long, because it may spin without saying so.
//   delays      the same, but a thread falls each time it has run for some tens of steps, and so stays in the middle of
//               whatever it does until nobody else has anything to do, or has fallen after it: for windows of one step.
#pragma once

#include <ramie/base/random.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ramie::sim {

struct thread;

class schedule {
 public:
  explicit schedule(std::uint64_t seed);

  [[nodiscard]] std::string description() const;

  /// A new thread's priority.
  [[nodiscard]] std::int64_t draw_priority();
  /// The step before which somebody is to be chosen anew.
  [[nodiscard]] std::uint64_t next_decision() const { return m_next_decision; }
  /// Somebody can go on who could not before.
  void somebody_woke(std::uint64_t step) {
    if (m_priorities) m_next_decision = step;
  }

  enum class reason : std::uint8_t {
    turn_is_over,  ///< next_decision() has come
    gives_way,     ///< it waits in a spin loop: anybody else, if there is one
    blocked,       ///< it is not among the runnable ones
  };
  /// One of `runnable`, which is not empty. `current` may be null.
  [[nodiscard]] thread& choose(std::span<thread* const> runnable, thread* current, reason why, std::uint64_t step);

  [[nodiscard]] std::uint32_t below(std::uint32_t bound) { return m_random.below(bound); }
  [[nodiscard]] bool spurious_wakeup() { return m_spurious != 0 && m_random.below(m_spurious) == 0; }

 private:
  [[nodiscard]] thread& any(std::span<thread* const> runnable, const thread* but_for);
  [[nodiscard]] bool change_point(std::uint64_t step);

  random_source m_random;
  bool m_priorities;
  std::uint32_t m_mean = 1;  // random: steps between two choices
  std::uint32_t m_turn = 0;  // priorities: steps that one may run on, on average
  std::uint32_t m_spurious;  // one futex_wait in so many returns for no reason; 0: none
  std::int64_t m_lowest = 0;
  std::uint64_t m_next_decision = 0;
  std::uint64_t m_turn_ends = 0;
  std::array<std::uint64_t, 6> m_change_points{};
  std::size_t m_changes = 0;  // still to come
  std::size_t m_all_changes = 0;
};

}  // namespace ramie::sim
