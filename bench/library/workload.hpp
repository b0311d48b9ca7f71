// The workloads as ramie runs them: what the suites time, `scaling` profiles, and the tests repeat with many workers.
#pragma once

#include <ramie/scheduler/options.hpp>

#include <functional>
#include <string>
#include <vector>

#include "framework/options.hpp"
#include "framework/timed.hpp"

namespace bench {

struct workload {
  std::string name;
  /// Runs it once in a runtime with these options, and verifies the result.
  std::function<timed(const ramie::options&, scale)> run;
  /// Sets victims, back-off or idling itself: another workload with another scheduler, for tests and not for `scaling`.
  bool has_own_options = false;
};

[[nodiscard]] std::vector<workload> all_workloads();

}  // namespace bench
