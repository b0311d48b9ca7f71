// The published tables, from the rows of a run.
#pragma once

#include <string>
#include <vector>

#include "framework/runner.hpp"

namespace bench::queues {

/// Tables 5.1, 5.2 (where there are hardware counters) and 5.3 of the source, and fairness and CPU time, which it
/// lacks. Each as far as its rows are there.
[[nodiscard]] std::string queue_tables(const std::vector<row_result>& rows);

}  // namespace bench::queues
