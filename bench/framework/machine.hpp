// On what a figure was measured.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

struct machine {
  std::string cpu;
  unsigned cores = 0;         ///< online
  unsigned usable_cores = 0;  ///< of these, those in this process's affinity mask
  bool virtual_machine = false;
  std::string kernel;
  std::string system;
  std::size_t memory_bytes = 0;
  double load = 0;  ///< one-minute load average before the first row
  std::string compiler;
  std::string flags;
};

[[nodiscard]] machine describe_machine();

/// The cpus in this thread's affinity mask, in rising order.
[[nodiscard]] std::vector<int> allowed_cpus();
[[nodiscard]] unsigned usable_cpus();

/// The memory that may still be allocated: MemAvailable, or what is left of this cgroup's limit if that is less.
[[nodiscard]] std::size_t available_memory();

}  // namespace bench
