// A runtime's options, every one of them from the seed: none may be left to what this computer has.
#pragma once

#include <ramie/base/random.hpp>
#include <ramie/scheduler/options.hpp>

#include <chrono>
#include <cstdint>

namespace ramie::sim {

/// `events` is usually a chronicle. `which` tells the runtimes of one run apart.
inline options drawn_options(std::uint64_t seed, observer& events, std::uint64_t which = 0) {
  random_source random(seed * 4 + which);
  constexpr unsigned workers[] = {1, 2, 2, 3, 4, 8};
  constexpr int spins[] = {0, 0, 1, 5, 20};
  constexpr const char* machines[] = {"pack:2 l3:2 core:2 pu:1", "pack:2 core:1 pu:1", "l3:2 core:2 pu:1"};
  constexpr unsigned thresholds[] = {0, 1, 4, 1'000'000};
  options chosen;
  chosen.workers = workers[random.below(6)];
  chosen.stack_size = bytes(64U << 10U);
  chosen.retained_stacks = random.below(4) == 0 ? 1 : 10'000;
  chosen.seed = random.next();
  chosen.queue = queue::all_kinds[random.below(queue::all_kinds.size())];
  chosen.victim = static_cast<victim_policy>(random.below(7));
  chosen.topology = machines[random.below(3)];
  chosen.steal_threshold = thresholds[random.below(4)];
  chosen.backoff = static_cast<backoff_policy>(random.below(3));
  chosen.stealing = random.below(7) != 0;
  chosen.spin = std::chrono::microseconds(spins[random.below(5)]);
  chosen.fork_stealing = random.below(4) == 0 ? fork_stealing::continuation : fork_stealing::child;
  chosen.events = &events;
  return chosen;
}

}  // namespace ramie::sim
