// The source's table, from the rows of a run.
#pragma once

#include <string>
#include <vector>

#include "framework/runner.hpp"

namespace bench::jobs {

/// Serial and parallel time of each workload and the speed-up, one table a worker count: of ramie's jobs with a parent,
/// on the queue that was measured first.
[[nodiscard]] std::string speedup_tables(const std::vector<row_result>& rows);

}  // namespace bench::jobs
