// Scripts that let a shell complete the command line, made from the parser.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench {

[[nodiscard]] const std::vector<std::string>& completion_shells();

/// For `shell`, one of completion_shells(). Commands, options and listed values come from the parser; a type name FILE
/// or DIR completes paths.
[[nodiscard]] std::string completion_script(const CLI::App& program, const std::string& shell);

}  // namespace bench
