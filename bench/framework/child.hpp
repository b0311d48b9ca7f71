// Programs of their own as contenders: started, read and waited for.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "framework/contender.hpp"

namespace bench {

struct child_result {
  bool started = false;
  int exit_status = -1;    ///< 128 + n after signal n
  bool timed_out = false;  ///< was killed for it
  std::string output;      ///< its standard output
  rusage usage{};
  std::string error;  ///< a sentence when it did not end with status 0
};

/// The effect of an interruption of the run on a child.
enum class when_interrupted { dies, goes_on };

/// Runs `arguments[0]`, a path, and waits. Standard error passes through; `input`, where there is some, is its standard
/// input. The child dies with this process; a measured one also dies when the run is interrupted.
[[nodiscard]] child_result run_child(const std::vector<std::string>& arguments, std::chrono::seconds limit,
                                     const std::optional<std::string>& input = std::nullopt,
                                     when_interrupted then = when_interrupted::goes_on);

/// The rows that the child prints, one JSON object a line, as samples for `rows`. A child that fails, or does not print
/// a row, gives unverified samples that say so. The child's own statistics win over what the kernel counted for it.
[[nodiscard]] std::vector<sample> samples_of_child(const std::vector<std::string>& arguments,
                                                   const std::vector<row_name>& rows,
                                                   std::chrono::seconds limit = std::chrono::seconds(300));

/// One line of JSON for each sample, as samples_of_child() reads them.
[[nodiscard]] std::string to_lines(const std::vector<sample>& samples);

/// The path of this executable.
[[nodiscard]] std::string own_path();

}  // namespace bench
