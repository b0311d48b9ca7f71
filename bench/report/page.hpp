// The report: one HTML page that needs nothing else.
#pragma once

#include <string>
#include <vector>

#include "framework/contender.hpp"
#include "framework/machine.hpp"
#include "framework/options.hpp"
#include "framework/runner.hpp"
#include "report/plots.hpp"

namespace bench {

/// A suite on the page.
struct report_section {
  std::string name;
  std::string summary;
  std::vector<row_result> rows;
  std::vector<std::string> notes = {};
  std::vector<picture> pictures = {};
};

struct report {
  machine on;
  options with;
  std::vector<report_section> sections;
  std::vector<std::string> absent = {};  ///< peers
  bool interrupted = false;
  std::string tables = {};  ///< the whole result as text; empty: there is none to keep
};

[[nodiscard]] std::string page_html(const report& r, const drawing& plots);

/// The files that write_report() writes.
[[nodiscard]] std::vector<std::string> report_files(const std::string& directory);

/// Makes `directory` if it is missing. Throws std::runtime_error with a sentence if a report cannot be written there.
void check_report_directory(const std::string& directory);

/// Draws the plots, writes directory/index.html and, where there is text, directory/tables.txt; prints where they are.
void write_report(const report& r, const std::string& directory);

/// The page of a run that --json saved. `suites` gives the summaries. Throws usage_error if the file is no such run,
/// before the folder is made, if nothing can be written there, or if the page would take the file's place.
void redraw_report(const std::string& json_file, const std::string& directory, const std::vector<suite>& suites);

}  // namespace bench
