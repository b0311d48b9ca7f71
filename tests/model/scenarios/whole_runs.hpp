// Runs of the small scheduler, as it should be and with a step left out.
#pragma once

#include <model/scenarios/small_scheduler.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ramie::model {

struct whole_run {
  static constexpr limits large{.how = search::walks, .walks = 5'000};

  std::string name;
  std::function<void(planted)> body;
  limits within;
};

[[nodiscard]] const std::vector<whole_run>& whole_runs();

}  // namespace ramie::model
