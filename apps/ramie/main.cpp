// The program `ramie`: its subcommands are in bench/framework.
#include <string>
#include <vector>

#include "framework/command_line.hpp"
#include "library/choices.hpp"
#include "library/version.hpp"
#include "suites.hpp"

int main(int argc, char** argv) {
  bench::command_line line(bench::all_suites(), bench::library_choices(), bench::version_text());
  return line.run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
