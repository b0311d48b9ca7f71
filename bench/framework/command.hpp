// The command `ramie bench`, for any table of suites.
#pragma once

#include <vector>

#include "framework/contender.hpp"
#include "framework/options.hpp"

namespace CLI {
class App;
}

namespace bench {

/// Adds the subcommands `bench` and `report` (and a hidden one for repetitions in child processes) to `app`. Running
/// the chosen one is run()'s part.
class command {
 public:
  command(CLI::App& app, std::vector<suite> suites, const choices& offered);

  /// True if the parsed command line chose it.
  [[nodiscard]] bool chosen() const;

  /// The exit status; of a measurement that of run_suites(). Throws usage_error before anything is measured.
  [[nodiscard]] int run();

  [[nodiscard]] const std::vector<suite>& suites() const { return m_suites; }

 private:
  [[nodiscard]] int run_child_repetition();
  [[nodiscard]] int redraw() const;
  void list() const;

  std::vector<suite> m_suites;
  options m_options;
  options m_child_options;
  std::string m_child_suite;
  std::string m_child_runtime;
  std::size_t m_child_size = 0;
  CLI::App* m_bench = nullptr;
  CLI::App* m_child = nullptr;
  CLI::App* m_report = nullptr;
  std::string m_saved;
  std::string m_directory;
};

/// The arguments of a repetition of `suite_name` in a process of its own; the first is this executable.
[[nodiscard]] std::vector<std::string> child_repetition(const std::string& suite_name, const std::string& runtime,
                                                        unsigned workers, std::size_t size, const options& o);

}  // namespace bench
