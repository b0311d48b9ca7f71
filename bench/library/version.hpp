// The text of `ramie --version`.
#pragma once

#include <string>

namespace bench {

/// The version, how it was built, and which features of this kernel the library uses. Lines.
[[nodiscard]] std::string version_text();

}  // namespace bench
