// The processor's own counters, for table 5.2: few virtual machines have them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace bench::queues {

/// Of the thread that makes it, in user mode, from then on.
class hardware_counters {
 public:
  /// In the order of read().
  static constexpr std::array<const char*, 4> names{"cpu_cycles", "instructions", "cache_references", "cache_misses"};

  explicit hardware_counters(bool wanted);
  ~hardware_counters();
  hardware_counters(const hardware_counters&) = delete;
  hardware_counters& operator=(const hardware_counters&) = delete;

  /// False: they were not wanted, or are not here.
  [[nodiscard]] bool read(std::array<std::uint64_t, 4>& into) const;

  /// Why they are not here; empty if they are.
  [[nodiscard]] static std::string why_absent();

 private:
  std::array<int, 4> m_files{-1, -1, -1, -1};
  bool m_there = false;
};

}  // namespace bench::queues
