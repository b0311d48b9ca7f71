#include "framework/statistics.hpp"

#include <algorithm>

namespace bench {

double summary::spread() const { return median == 0 ? 0 : (max - min) / median; }

summary summarize(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {.median = median, .min = values.front(), .max = values.back(), .runs = values.size()};
}

}  // namespace bench
