// The program `ramie`: its subcommands.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "framework/command.hpp"
#include "library/choices.hpp"
#include "suites.hpp"

int main(int argc, char** argv) {
  try {
    CLI::App app("ramie: fibers for Linux");
    app.require_subcommand(1);
    bench::command bench(app, bench::all_suites(), bench::library_choices());
    CLI11_PARSE(app, argc, argv);
    return bench.run();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "ramie: %s\n", problem.what());
    return 1;
  }
}
