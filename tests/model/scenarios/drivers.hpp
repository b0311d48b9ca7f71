// Drivers whose completions others take, beside workers that sleep in the list or nap.
#pragma once

#include <model/scenarios/scenario.hpp>

#include <vector>

namespace ramie::model {

/// Steps that workers can be made without, to see that scenarios notice.
enum class without : std::uint8_t {
  nothing,
  watch,                  // the timekeeper does not watch the others' drivers
  watch_before_look,      // it begins to after its last look
  look_at_drivers,        // S3 and X3 leave the drivers out
  end_of_watch_first,     // a timekeeper watches on when another one may have begun to
  another_timekeeper,     // a timekeeper that has found work leaves the drivers without a watch
  end_of_search,          // X1: a napping worker is still counted as one that searches
  look_before_nap,        // X3
  retraction_before_poll  // what completes is made ready while its worker is in the list of sleepers
};

struct driver_scenario {
  std::string name;
  std::function<void(without)> body;
  limits within = {};
};

[[nodiscard]] const std::vector<driver_scenario>& driver_scenarios();

}  // namespace ramie::model
