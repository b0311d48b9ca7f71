// The tables of the report, from the same rows as table_text().
#pragma once

#include <string>
#include <vector>

#include "framework/runner.hpp"

namespace bench {

/// Rows of one suite, those of one name together.
[[nodiscard]] std::string values_table_html(const std::vector<row_result>& rows);

/// The costs of a repetition; only the columns that some row fills. Empty if no row has statistics.
[[nodiscard]] std::string statistics_table_html(const std::vector<row_result>& rows);

/// Statistics as text; those that differ only in a number at the end share a name: "worker_cycles 0: 5, 1: 7".
[[nodiscard]] std::string families_text(const statistics& stats);

}  // namespace bench
