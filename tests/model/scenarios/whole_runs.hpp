// Runs of the small scheduler, as it should be and with a step left out.
#pragma once

#include <model/scenarios/small_scheduler.hpp>

#include <support/repetitions.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ramie::model {

struct whole_run {
  static inline const limits few_preemptions{
      .how = search::bounded, .preemptions = test::nightly() ? 2U : 1U, .old_values = 1};
  static inline const limits large{.how = search::walks, .walks = test::sanitized ? 200 : test::repetitions(5'000)};

  // Of three workers with forks: an execution takes a millisecond.
  static inline const limits largest{.how = search::walks, .walks = test::sanitized ? 100 : test::repetitions(2'000)};

  std::string name;
  std::function<void(planted)> body;
  limits within;
};

[[nodiscard]] const std::vector<whole_run>& whole_runs();

}  // namespace ramie::model
