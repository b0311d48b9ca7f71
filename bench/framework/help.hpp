// The text of --help, made from the parser.
#pragma once

#include <string>
#include <vector>

#include "framework/colour.hpp"

namespace CLI {
class App;
}

namespace bench {

struct example {
  std::string why;
  std::string line;
};

/// The facts about a command that the parser does not know.
struct lesson {
  std::vector<example> examples;
  std::vector<std::string> more = {};  ///< lines, for example of exit codes
};

/// One sentence, usage, arguments, options by group, examples. `program` is the parent, or `command` itself.
[[nodiscard]] std::string help_text(const CLI::App& program, const CLI::App& command, const lesson& taught,
                                    const palette& colours);

}  // namespace bench
