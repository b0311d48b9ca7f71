// Command lines that make no sense, in words that say what would.
//
// CLI11 finds most of them too, but one at a time and in its own order: the value of a misspelt option is "no suite" to
// it. So the arguments are compared with the parser before it runs.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace bench {

struct options;
struct suite;

/// what() is one sentence without a full stop. Nothing was measured.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The intent of the arguments, before their values are looked at.
struct foresight {
  const CLI::App* command = nullptr;  ///< the subcommand; the program itself if there is none
  bool help = false;                  ///< wins over everything, so that a wrong line can be completed to ask
  bool version = false;
  std::string colour = "auto";
  std::vector<std::string> plain;  ///< the command's arguments that are no options
};

/// Finds unknown commands and options, missing, superfluous and repeated values, options that exclude each other, and
/// arguments that nobody takes: throws usage_error. `seen` is filled as far as was read.
void read_ahead(const CLI::App& program, const std::vector<std::string>& arguments, foresight& seen);

/// Files and folders of the options that could not be written to, do not exist, that nothing would use, or of which one
/// would overwrite the other: throws usage_error. Makes the folders that are to be written to.
void check_places(const options& o, const std::vector<suite>& chosen);

/// The message of CLI11 about a value, without the names that the user did not write.
[[nodiscard]] std::string in_plain_words(const CLI::App& command, const std::string& said);

/// The one of `known` that was probably meant by `word`; empty if none is near.
[[nodiscard]] std::string nearest(const std::string& word, const std::vector<std::string>& known);

/// "; did you mean 'x'?", or nothing.
[[nodiscard]] std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

// Facts from the parser about an option: help and completion read the same.

/// The values that it takes, where they can be listed: its type name is "a|b|c".
[[nodiscard]] std::vector<std::string> values_of(const CLI::Option& option);
/// "--workers"; "-h" and "--help".
[[nodiscard]] std::vector<std::string> names_of(const CLI::Option& option);
[[nodiscard]] bool takes_value(const CLI::Option& option);
/// The options that are shown: not the positional ones.
[[nodiscard]] std::vector<const CLI::Option*> options_of(const CLI::App& command);
[[nodiscard]] std::vector<const CLI::Option*> positionals_of(const CLI::App& command);
/// The commands that are shown: hidden ones are in no group.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& program);

}  // namespace bench
