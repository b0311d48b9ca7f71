// The vocabulary of the runner.
//
// A *row* is one figure (suite, name, unit) of one *runtime* (ramie or a peer). A *contender* is a runtime that, run
// once, yields one sample for each of its rows. Contenders in one *group* are interleaved: one repetition of each, then
// the next repetition, so that a slow minute of the machine meets them all.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace bench {

struct options;
struct row_result;
class peer_programs;

/// Statistics of a repetition by name. Names with a meaning of their own are in usage.hpp.
using statistics = std::map<std::string, double>;

struct sample {
  std::string row;
  double value = 0;
  bool verified = false;
  std::string complaint;  ///< what was wrong, if not verified
  statistics stats;
};

struct row_name {
  std::string row;
  std::string unit;
};

struct contender {
  std::string runtime;
  unsigned workers = 1;
  std::string queue;  ///< empty where the runtime offers no choice
  std::vector<row_name> rows;
  std::function<std::vector<sample>()> run;
  std::function<void()> prepare = {};  ///< once, before the first repetition: warm-up and choice of size
};

struct group {
  std::string name;
  std::vector<contender> contenders;
};

struct plan {
  std::vector<group> groups;
  std::vector<std::string> notes = {};   ///< what the reader must know: sizes, caps
  std::vector<std::string> absent = {};  ///< peers that are not here, and how to get them
};

/// A picture for the report.
struct picture {
  std::string caption;
  std::string png;  ///< the bytes of the file
};

struct suite {
  std::string name;
  std::string summary;
  std::function<plan(const options&, const peer_programs&)> make_plan;
  /// A repetition in a process of its own: `runtime`, options, and the problem's size. Empty where a suite has none.
  std::function<std::vector<sample>(const std::string& runtime, const options&, std::size_t size)> in_child = {};
  /// Text that follows the suite's tables, made of its results. Empty where they say it all.
  std::function<std::string(const std::vector<row_result>&)> text_after = {};
  /// Pictures in the report besides tables and plots; asked for after the suite's rows. Empty where there is nothing.
  std::function<std::vector<picture>(const options&)> pictures = {};
  /// Only where the suite writes the pictures of --image: why this build cannot; an empty text if it can.
  std::function<std::string()> why_no_images = {};
  /// The row that the summary shows where no row has a peer; empty: the worst row against its control, or the first.
  std::string headline = {};
  /// Runtimes that are steps of an experiment: the summary takes them for no peers.
  std::vector<std::string> steps = {};
};

}  // namespace bench
