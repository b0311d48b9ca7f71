// The whole command with suites of the test's own, for the tests of what it prints.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "framework/command.hpp"
#include "framework/peers.hpp"

namespace command_run {

inline const bench::choices offered{.queues = {"chase_lev"},
                                    .victims = {"random"},
                                    .backoffs = {"none"},
                                    .default_queue = "chase_lev",
                                    .default_victim = "random",
                                    .default_backoff = "none"};

struct outcome {
  int status = -1;
  std::string out;
  std::string err;
};

/// A suite of one row, whose samples come from `run`; it also looks for a peer that does not exist.
inline bench::suite suite_of(const std::string& name, std::function<bench::sample()> run) {
  return {.name = name,
          .summary = "a test",
          .make_plan = [name, run](const bench::options&, const bench::peer_programs& programs) {
            bench::contender c;
            c.runtime = "ramie";
            c.rows = {{name + "_row", "ns"}};
            c.run = [run] { return std::vector<bench::sample>{run()}; };
            bench::plan p;
            p.groups.push_back({.name = "g", .contenders = {c}});
            if (programs.wanted()) p.absent.push_back(programs.how_to_get("no_such_peer"));
            return p;
          }};
}

inline bench::suite good_suite(const std::string& name) {
  return suite_of(name, [name] {
    bench::sample s;
    s.row = name + "_row";
    s.value = 1;
    s.verified = true;
    return s;
  });
}

inline outcome run(std::vector<bench::suite> suites, std::vector<std::string> arguments) {
  outcome result;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  CLI::App app;
  bench::command command(app, std::move(suites), offered);
  arguments.insert(arguments.begin(), "bench");
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
    result.status = command.run();
  } catch (const CLI::ParseError& problem) {
    result.status = app.exit(problem);
  }
  std::fflush(nullptr);
  result.out = testing::internal::GetCapturedStdout();
  result.err = testing::internal::GetCapturedStderr();
  return result;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace command_run
