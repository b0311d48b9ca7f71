#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>

#include "framework/output.hpp"
#include "framework/report.hpp"
#include "framework/usage_errors.hpp"
#include "report/html.hpp"
#include "report/page.hpp"
#include "report/saved_run.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

std::string page_in(const std::string& directory) { return (fs::path(directory) / "index.html").string(); }
std::string tables_in(const std::string& directory) { return (fs::path(directory) / "tables.txt").string(); }

std::string url_of(const std::string& file) { return html::file_url(fs::canonical(file).string()); }

}  // namespace

std::vector<std::string> report_files(const std::string& directory) {
  return {page_in(directory), tables_in(directory)};
}

void check_report_directory(const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) throw std::runtime_error(fmt::format("cannot make the folder '{}': {}", directory, error.message()));
  for (const std::string& file : report_files(directory)) check_writable(file);
}

void write_report(const report& r, const std::string& directory) {
  std::vector<row_result> rows;
  for (const report_section& s : r.sections) rows.insert(rows.end(), s.rows.begin(), s.rows.end());
  const drawing drawn = draw_plots(to_json(r.on, r.with, rows), pythons_here());
  check_report_directory(directory);
  write_atomically(page_in(directory), page_html(r, drawn));
  std::string problems;
  if (!drawn.missing.empty()) problems = drawn.missing + "\n";
  for (const std::string& problem : drawn.problems) problems += fmt::format("a plot could not be drawn: {}\n", problem);
  std::fputs(problems.c_str(), stderr);
  put(fmt::format("report: {}\n", url_of(page_in(directory))));
  if (r.tables.empty()) return;
  write_atomically(tables_in(directory), r.tables);
  put(fmt::format("tables: {}\n", url_of(tables_in(directory))));
}

void redraw_report(const std::string& json_file, const std::string& directory, const std::vector<suite>& suites) {
  report r;
  try {
    r = read_saved_run(json_file);
    check_report_directory(directory);
    if (same_place(json_file, page_in(directory))) {
      throw usage_error(fmt::format("the page would overwrite '{}'; choose another folder", json_file));
    }
  } catch (const std::runtime_error& problem) {
    throw usage_error(problem.what());
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
