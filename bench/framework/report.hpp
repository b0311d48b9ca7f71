// The output of a run, for people and programs.
#pragma once

#include <string>
#include <vector>

#include "framework/colour.hpp"
#include "framework/machine.hpp"
#include "framework/options.hpp"
#include "framework/runner.hpp"

namespace bench {

[[nodiscard]] std::string machine_text(const machine& m);
[[nodiscard]] std::string options_text(const options& o);
/// The distances given to the hierarchical policy, as a line; empty: none.
[[nodiscard]] std::string distances_text(const options& o);

/// How text is shown: the default is for files and pipes.
struct report_style {
  palette colours = {};
  std::size_t columns = 0;  ///< of the terminal; 0: as many as it takes. Too few drop the table of statistics.
};

/// The table of values and the table of statistics. "vs ramie" is the row's median over that of ramie in the same run,
/// with the same worker count where there is one.
[[nodiscard]] std::string table_text(const std::vector<row_result>& rows, const report_style& style = {});

/// `rows`, those of one name together, in the order of their first appearance.
[[nodiscard]] std::vector<row_result> rows_together(const std::vector<row_result>& rows);

/// How many times the time of ramie `r` takes ("1.30x"); empty for ramie itself and where there is nothing to compare.
[[nodiscard]] std::string ratio_text(const std::vector<row_result>& rows, const row_result& r);

/// `{"machine": {…}, "options": {…}, "rows": […]}`.
[[nodiscard]] std::string to_json(const machine& m, const options& o, const std::vector<row_result>& rows);

/// Writes beside `file` and renames, so that a reader never sees half of it. A symbolic link stays one; a device, a
/// pipe and what standard output is are written into. A file that was there keeps its mode, a new one has what the
/// umask leaves. Throws std::runtime_error with a sentence.
void write_atomically(const std::string& file, const std::string& text);

/// Throws the same if write_atomically() to `file` would fail now. Leaves `file` alone.
void check_writable(const std::string& file);

/// Whether write_atomically() to one would replace what it wrote to the other, behind links too. Never of a device or a
/// pipe. Throws the same.
[[nodiscard]] bool same_place(const std::string& file, const std::string& other);

/// Three to four significant digits, with thousands separated: 1.43, 266, 28,631.
[[nodiscard]] std::string number_text(double value);
/// "83.5 %" of 0.835; two digits of what is below a tenth of a percent.
[[nodiscard]] std::string percent_text(double share);

}  // namespace bench
