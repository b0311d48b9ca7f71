// Puts every fault that a header can have into it, one at a time, and runs its scenarios until one fails.
#pragma once

#include <model/scenarios/scenario.hpp>

#include <vector>

namespace ramie::model {

struct survivor {
  mutant what;
};

/// Prints a line for each mutant: what killed it, after how many executions and what time. Returns those that survived
/// and are not said to be kept where they stand in the source.
[[nodiscard]] std::vector<survivor> hunt_mutants(const subject& of);

}  // namespace ramie::model
