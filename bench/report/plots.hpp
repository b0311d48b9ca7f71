// The plots of a run, drawn by Python and matplotlib.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct plot {
  std::string suite;  ///< empty: of the whole run
  std::string name;   ///< unique on the page; also the prefix of all ids in the drawing
  std::string title;
  std::string look;  ///< what to look for, and which direction is better
  double height = 0;
  std::string svg;
};

struct drawing {
  std::vector<plot> plots;
  std::string missing;                ///< why there are none, and how to get them; empty if there was a way to draw
  std::vector<std::string> problems;  ///< plots that could not be drawn
};

/// Draws what `json` (see to_json()) has rows for. `pythons`: the interpreters to try, the first that has matplotlib
/// wins.
[[nodiscard]] drawing draw_plots(const std::string& json, const std::vector<std::string>& pythons);

/// Every python3 on PATH and Debian's own, for which apt installs.
[[nodiscard]] std::vector<std::string> pythons_here();

}  // namespace bench
