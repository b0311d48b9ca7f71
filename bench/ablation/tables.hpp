#pragma once

#include <string>
#include <vector>

#include "framework/runner.hpp"

namespace bench::ablation {

/// The source's table: a line an optimization, its total, a column a program and number of threads, the best of each
/// column marked.
[[nodiscard]] std::string table_of(const std::vector<row_result>& rows);

}  // namespace bench::ablation
