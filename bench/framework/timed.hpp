// The result of one repetition of a loop or of a problem, before it becomes a row.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "framework/contender.hpp"
#include "framework/usage.hpp"

namespace bench {

struct timed {
  std::uint64_t operations = 0;  ///< what the time is divided by: switches, fibers, nodes
  double seconds = 0;
  bool verified = false;
  std::string complaint = {};  ///< what was wrong, if not verified
  statistics stats = {};
};

/// Runs from its construction to stop().
class stopwatch {
 public:
  /// The caller judges the result afterwards; until then it is not verified.
  [[nodiscard]] timed stop(std::uint64_t operations) const {
    timed result;
    result.seconds = std::chrono::duration<double>(clock::now() - m_start).count();
    result.operations = operations;
    m_usage.add_to(result.stats);
    return result;
  }

 private:
  using clock = std::chrono::steady_clock;
  usage_meter m_usage;
  clock::time_point m_start = clock::now();
};

}  // namespace bench
