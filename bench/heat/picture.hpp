// The temperatures as pictures: PNG, black for cold and white for hot. Needs libpng; without it these throw
// std::runtime_error, which says how to get it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heat/problem.hpp"

namespace bench::heat {

/// The grid after all steps of `n`, computed serially.
[[nodiscard]] std::vector<std::byte> picture(const size& n);

/// About 20 pictures, the first and the last grid among them, as `directory`/heat_0000.png with the number of the step.
/// Makes the directory. Throws std::runtime_error with a sentence.
void write_frames(const size& n, const std::string& directory);

}  // namespace bench::heat
