// Files of this folder as text in the program; see embed.cmake.
#pragma once

namespace bench {

extern const char* const plotting_program;
extern const char* const page_style;

}  // namespace bench
