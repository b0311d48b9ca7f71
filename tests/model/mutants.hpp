// Puts every fault that a header can have into it, one at a time, and runs its scenarios until one fails.
#pragma once

#include <model/scenarios/scenario.hpp>

#include <vector>

namespace ramie::model {

struct hunt {
  std::size_t killed = 0;
  std::size_t kept = 0;  // they survive, and their comment says why
  std::vector<mutant> survivors;
};

/// Prints a line for each mutant: what killed it, after how many executions and what time.
[[nodiscard]] hunt hunt_mutants(const subject& of);

}  // namespace ramie::model
