#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "framework/report.hpp"
#include "report/html.hpp"
#include "report/page.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

std::string page_in(const std::string& directory) { return (fs::path(directory) / "index.html").string(); }

machine machine_from(const nlohmann::json& json) {
  machine m;
  m.cpu = json.at("cpu").get<std::string>();
  m.cores = json.at("cores").get<unsigned>();
  m.usable_cores = json.at("usable_cores").get<unsigned>();
  m.virtual_machine = json.at("virtual_machine").get<bool>();
  m.kernel = json.at("kernel").get<std::string>();
  m.system = json.at("system").get<std::string>();
  m.memory_bytes = json.at("memory_bytes").get<std::size_t>();
  m.load = json.at("load").get<double>();
  m.compiler = json.at("compiler").get<std::string>();
  m.flags = json.at("flags").get<std::string>();
  return m;
}

options options_from(const nlohmann::json& json) {
  options o;
  o.suites = json.at("suites").get<std::vector<std::string>>();
  o.workers = json.at("workers").get<std::vector<unsigned>>();
  o.queue = json.at("queue").get<std::string>();
  o.victim = json.at("victim").get<std::string>();
  o.stealing = json.at("stealing").get<bool>() ? "on" : "off";
  o.pin = json.at("pin").get<bool>();
  o.backoff = json.at("backoff").get<std::string>();
  if (!json.at("spin_ns").is_null()) o.spin_ns = json.at("spin_ns").get<std::uint64_t>();
  o.seed = json.at("seed").get<std::uint64_t>();
  o.duration_ms = json.at("duration_ms").get<unsigned>();
  o.quick = json.at("quick").get<bool>();
  o.full = json.at("full").get<bool>();
  o.peers = json.at("peers").get<bool>();
  o.runs = json.at("runs").get<unsigned>();
  return o;
}

/// JSON has no infinity: what could not be written as a number is null there.
double number_from(const nlohmann::json& json) { return json.is_null() ? 0 : json.get<double>(); }

row_result row_from(const nlohmann::json& json) {
  row_result r;
  r.suite = json.at("suite").get<std::string>();
  r.row = json.at("row").get<std::string>();
  r.runtime = json.at("runtime").get<std::string>();
  r.workers = json.at("workers").get<unsigned>();
  r.queue = json.at("queue").get<std::string>();
  r.unit = json.at("unit").get<std::string>();
  r.values = {.median = number_from(json.at("median")),
              .min = number_from(json.at("min")),
              .max = number_from(json.at("max")),
              .runs = json.at("runs").get<std::size_t>()};
  r.verified = json.at("verified").get<bool>();
  r.complaint = json.value("complaint", "");
  for (const auto& [name, value] : json.at("stats").items()) r.stats[name] = number_from(value);
  return r;
}

}  // namespace

void check_report_directory(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw std::runtime_error(fmt::format("cannot make the folder '{}': {}", directory, error.message()));
  check_writable(page_in(directory));
}

void write_report(const report& r, const std::string& directory) {
  std::vector<row_result> rows;
  for (const report_section& s : r.sections) rows.insert(rows.end(), s.rows.begin(), s.rows.end());
  const drawing drawn = draw_plots(to_json(r.on, r.with, rows), pythons_here());
  check_report_directory(directory);
  write_atomically(page_in(directory), page_html(r, drawn));
  if (!drawn.missing.empty()) fmt::print(stderr, "{}\n", drawn.missing);
  for (const std::string& problem : drawn.problems) fmt::print(stderr, "a plot could not be drawn: {}\n", problem);
  fmt::print("report: {}\n", html::file_url(fs::canonical(page_in(directory)).string()));
}

void redraw_report(const std::string& json_file, const std::string& directory, const std::vector<suite>& suites) {
  check_report_directory(directory);
  std::ifstream in(json_file);
  if (!in) throw std::runtime_error(fmt::format("cannot read '{}'", json_file));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  report r;
  try {
    const auto json = nlohmann::json::parse(text);
    r.on = machine_from(json.at("machine"));
    r.with = options_from(json.at("options"));
    for (const auto& row : json.at("rows")) {
      row_result read = row_from(row);
      if (r.sections.empty() || r.sections.back().name != read.suite) r.sections.push_back({read.suite, "", {}});
      r.sections.back().rows.push_back(std::move(read));
    }
  } catch (const nlohmann::json::exception& problem) {
    throw std::runtime_error(fmt::format("'{}' is no result of `ramie bench --json`: {}", json_file, problem.what()));
  }
  for (report_section& s : r.sections) {
    s.rows = rows_together(s.rows);
    for (const suite& known : suites) {
      if (known.name == s.name) s.summary = known.summary;
    }
  }
  write_report(r, directory);
}

}  // namespace bench
