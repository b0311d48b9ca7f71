// The program around `bench`: its other subcommands, its help, and what its exit codes mean.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/command.hpp"

namespace bench {

class command_line {
 public:
  /// `version` is what --version prints.
  command_line(std::vector<suite> suites, const choices& offered, std::string version);
  ~command_line();
  command_line(const command_line&) = delete;
  command_line& operator=(const command_line&) = delete;

  /// The arguments without the program's name. Returns the exit code: 0 everything verified, 1 a row did not or
  /// something could not be written, 2 a bad command line, 128 + n after signal n. Throws nothing.
  [[nodiscard]] int run(const std::vector<std::string>& arguments);

 private:
  int obey(const std::vector<std::string>& arguments);
  void explain(const std::vector<std::string>& about) const;
  void help(const CLI::App& about, const std::string& colour) const;

  std::unique_ptr<CLI::App> m_app;
  std::unique_ptr<command> m_bench;
  std::string m_version;
  std::string m_shell;
  std::string m_help_about;
  CLI::App* m_completion = nullptr;
  CLI::App* m_help = nullptr;
  std::string m_hint;  ///< the command whose help explains the mistake
};

}  // namespace bench
