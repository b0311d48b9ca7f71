// Median, minimum and maximum of the repetitions of one row.
#pragma once

#include <cstddef>
#include <vector>

namespace bench {

struct summary {
  double median = 0;
  double min = 0;
  double max = 0;
  std::size_t runs = 0;

  /// (max - min) / median: 0.25 means that the repetitions lie 25 % apart. 0 when the median is 0.
  [[nodiscard]] double spread() const;
  /// More than 20 % apart: the table says so.
  [[nodiscard]] bool wide() const { return spread() > 0.20; }
};

/// Of an even number of values the median is the mean of the middle two. No values: all zero.
[[nodiscard]] summary summarize(std::vector<double> values);

}  // namespace bench
