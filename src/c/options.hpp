// The options of C as those of C++.
#pragma once

#include <ramie/c/ramie.h>
#include <ramie/scheduler/options.hpp>

namespace ramie::c {

/// NULL: the defaults. Throws bad_argument, bad_option, unknown_option.
options options_of(const ramie_options* given);

/// The name still lies where the caller has it.
spawn_options spawn_options_of(const ramie_spawn_options& given);

}  // namespace ramie::c
