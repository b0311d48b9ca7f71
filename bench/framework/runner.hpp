// Runs a plan: contenders interleaved, every sample checked.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "framework/contender.hpp"
#include "framework/statistics.hpp"

namespace bench {

struct row_result {
  std::string suite;
  std::string row;
  std::string runtime;
  unsigned workers = 1;
  std::string queue;
  std::string unit;
  summary values;
  bool verified = false;
  std::string complaint;
  statistics stats;  ///< means over the repetitions
};

/// The runner's next step; the listener decides how to show it.
struct progress {
  const std::string& suite;
  const std::string& group;
  const std::string& runtime;
  unsigned workers;
  unsigned repetition;  ///< 0: preparation
  unsigned repetitions;
  std::size_t step;  ///< of all steps of the plan
  std::size_t steps;
};

struct run_control {
  unsigned repetitions = 5;
  std::uint64_t seed = 1;  ///< of the order in which a repetition takes the contenders
  std::function<void(const progress&)> on_step = [](const progress&) {};
  std::function<bool()> stop = [] { return false; };  ///< asked before each step
};

/// Preparations and repetitions.
[[nodiscard]] std::size_t steps_of(const plan& work, unsigned repetitions);

/// The results in the order of the plan. Never throws for a contender's sake: an exception makes its rows unverified.
/// A contender that failed is not repeated. When `stop` says so, the rows measured so far come back.
[[nodiscard]] std::vector<row_result> run_plan(const std::string& suite, const plan& work, const run_control& control);

}  // namespace bench
