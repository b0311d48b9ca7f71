// options.profile: work and span of a runtime's runs, written to a file when a run is over.
#pragma once

#include <ramie/scheduler/options.hpp>
#include <ramie/scheduler/work_span.hpp>

#include <memory>
#include <string>

namespace ramie::detail {

class profile_file final : public work_span {
 public:
  /// Null unless the options or the environment ask for one. Throws bad_option if the options name a file that cannot
  /// be written; for the environment's it says so on standard error and goes on without.
  [[nodiscard]] static std::unique_ptr<profile_file> wanted(const options& chosen);

  /// The table to standard error, the page to the file, and forgets the run; nothing if no fiber has ended. Reports
  /// errors there too.
  void write() noexcept;

 private:
  profile_file(std::string path, observer* also) : work_span(also), m_path(std::move(path)) {}
  const std::string m_path;
};

}  // namespace ramie::detail
