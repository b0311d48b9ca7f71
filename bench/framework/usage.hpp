// The costs of a repetition besides time.
#pragma once

#include <cstddef>
#include <sys/resource.h>

#include "framework/contender.hpp"

namespace bench {

// Names of statistics that the table and the JSON file know.
inline constexpr const char* stat_steals = "steals";
inline constexpr const char* stat_attempts = "attempts";
inline constexpr const char* stat_success_rate = "success_rate";  // steals / attempts, absent without attempts
inline constexpr const char* stat_stolen_items = "stolen_items";  // what the steals brought
inline constexpr const char* stat_lost_races = "lost_races";
inline constexpr const char* stat_empties = "empties";
inline constexpr const char* stat_parks = "parks";
inline constexpr const char* stat_wakeups = "wakeups";
inline constexpr const char* stat_voluntary_switches = "voluntary_switches";
inline constexpr const char* stat_cpu_seconds = "cpu_s";

/// CPU time and voluntary context switches of this process between construction and add_to(), all threads.
class usage_meter {
 public:
  usage_meter();
  void add_to(statistics& stats) const;

 private:
  rusage m_start{};
};

/// The same two figures of a process that has ended.
void add_usage(statistics& stats, const rusage& whole);

[[nodiscard]] std::size_t resident_bytes();    ///< /proc/self/statm
[[nodiscard]] std::size_t page_table_bytes();  ///< VmPTE of /proc/self/status

}  // namespace bench
