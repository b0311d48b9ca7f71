#include "report/plots.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

#include "framework/child.hpp"
#include "report/embedded.hpp"

namespace bench {
namespace {

// The program's exit status where there is no matplotlib.
constexpr int no_matplotlib = 3;
constexpr const char* install = "apt-get install python3-matplotlib";

void read_into(drawing& result, const std::string& output) {
  try {
    const auto all = nlohmann::json::parse(output);
    for (const auto& p : all.at("plots")) {
      result.plots.push_back({.suite = p.at("suite").get<std::string>(),
                              .name = p.at("name").get<std::string>(),
                              .title = p.at("title").get<std::string>(),
                              .look = p.at("look").get<std::string>(),
                              .height = p.at("height").get<double>(),
                              .svg = p.at("svg").get<std::string>()});
    }
    for (const auto& problem : all.at("problems")) result.problems.push_back(problem.get<std::string>());
  } catch (const nlohmann::json::exception& problem) {
    result.problems.push_back(
        fmt::format("the plotting program printed something else than plots: {}", problem.what()));
  }
}

}  // namespace

std::vector<std::string> pythons_here() {
  std::vector<std::string> found;
  const char* path = std::getenv("PATH");
  std::istringstream places(std::string(path == nullptr ? "" : path) + ":/usr/bin");
  for (std::string place; std::getline(places, place, ':');) {
    if (place.empty()) continue;
    const std::string python = place + "/python3";
    if (access(python.c_str(), X_OK) == 0 && std::find(found.begin(), found.end(), python) == found.end()) {
      found.push_back(python);
    }
  }
  return found;
}

drawing draw_plots(const std::string& json, const std::vector<std::string>& pythons) {
  drawing result;
  for (const std::string& python : pythons) {
    const child_result child = run_child({python, "-c", plotting_program}, std::chrono::seconds(300), json);
    if (child.exit_status == no_matplotlib || child.exit_status == 127) continue;
    if (child.error.empty()) {
      read_into(result, child.output);
    } else {
      result.problems.push_back(child.error);
    }
    return result;
  }
  result.missing =
      fmt::format("The plots are missing: they are drawn by Python 3 with matplotlib, and {}. To get {}: {}",
                  pythons.empty() ? "there is no python3 here" : "python3 here has no matplotlib",
                  pythons.empty() ? "both" : "it", install);
  return result;
}

}  // namespace bench
