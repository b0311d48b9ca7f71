// A run that `ramie bench --json` saved.
#pragma once

#include <string>

#include "report/page.hpp"

namespace bench {

/// Without the summaries of the suites, the notes and the absent peers, which are not saved. Throws std::runtime_error
/// with a sentence that names the file, and the place in it that is not as --json writes it.
[[nodiscard]] report read_saved_run(const std::string& file);

}  // namespace bench
