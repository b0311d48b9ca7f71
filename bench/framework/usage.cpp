#include "framework/usage.hpp"

#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace bench {
namespace {

double cpu_seconds(const rusage& usage) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

usage_meter::usage_meter() { getrusage(RUSAGE_SELF, &m_start); }

void usage_meter::add_to(statistics& stats) const {
  rusage now{};
  getrusage(RUSAGE_SELF, &now);
  stats[stat_cpu_seconds] = cpu_seconds(now) - cpu_seconds(m_start);
  stats[stat_voluntary_switches] = static_cast<double>(now.ru_nvcsw - m_start.ru_nvcsw);
}

void add_usage(statistics& stats, const rusage& whole) {
  stats[stat_cpu_seconds] = cpu_seconds(whole);
  stats[stat_voluntary_switches] = static_cast<double>(whole.ru_nvcsw);
}

std::size_t resident_bytes() {
  std::size_t total = 0;
  std::size_t resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%zu %zu", &total, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t page_table_bytes() {
  std::size_t kilobytes = 0;
  if (std::FILE* file = std::fopen("/proc/self/status", "re")) {
    char line[256];
    while (std::fgets(line, sizeof line, file) != nullptr) {
      if (std::sscanf(line, "VmPTE: %zu kB", &kilobytes) == 1) break;
    }
    std::fclose(file);
  }
  return kilobytes * 1024;
}

}  // namespace bench
