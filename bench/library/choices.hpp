// The library's choices for the options of the command.
#pragma once

#include "framework/options.hpp"

namespace bench {

[[nodiscard]] const choices& library_choices();

}  // namespace bench
