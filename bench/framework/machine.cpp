#include "framework/machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifndef RAMIE_BENCH_FLAGS
#define RAMIE_BENCH_FLAGS ""
#endif

namespace bench {
namespace {

/// The rest of the first line of `file` that starts with `key`, without separators and quotes.
std::string value_of(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const std::size_t start = line.find_first_not_of(" \t:=\"", key.size());
    if (start == std::string::npos) return {};
    const std::size_t end = line.find_last_not_of(" \t\"");
    return line.substr(start, end + 1 - start);
  }
  return {};
}

std::size_t kilobytes_of(const char* key) {
  return static_cast<std::size_t>(std::strtoull(value_of("/proc/meminfo", key).c_str(), nullptr, 10)) * 1024;
}

std::size_t number_in(const std::string& file) {
  std::ifstream in(file);
  std::size_t number = 0;
  // "max" (no limit) does not read as a number.
  return in >> number ? number : std::numeric_limits<std::size_t>::max();
}

std::size_t left_in_cgroup() {
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, 3, "0::") != 0) continue;
    const std::string folder = "/sys/fs/cgroup" + line.substr(3);
    const std::size_t limit = number_in(folder + "/memory.max");
    const std::size_t used = number_in(folder + "/memory.current");
    if (limit != std::numeric_limits<std::size_t>::max() && used < limit) return limit - used;
  }
  return std::numeric_limits<std::size_t>::max();
}

}  // namespace

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) cpus.push_back(cpu);
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

unsigned usable_cpus() { return static_cast<unsigned>(allowed_cpus().size()); }

std::size_t available_memory() { return std::min(kilobytes_of("MemAvailable"), left_in_cgroup()); }

machine describe_machine() {
  machine m;
  m.cpu = value_of("/proc/cpuinfo", "model name");
  if (m.cpu.empty()) m.cpu = "unknown";
  m.cores = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  m.usable_cores = usable_cpus();
  m.virtual_machine = value_of("/proc/cpuinfo", "flags").find(" hypervisor") != std::string::npos;
  utsname name{};
  if (uname(&name) == 0) m.kernel = fmt::format("{} {} {}", name.sysname, name.release, name.machine);
  m.system = value_of("/etc/os-release", "PRETTY_NAME");
  m.memory_bytes = kilobytes_of("MemTotal");
  double load[1] = {0};
  if (getloadavg(load, 1) == 1) m.load = load[0];
#if defined(__clang__)
  m.compiler = fmt::format("clang {}", __clang_version__);
#else
  m.compiler = fmt::format("gcc {}", __VERSION__);
#endif
  m.flags = RAMIE_BENCH_FLAGS;
  return m;
}

}  // namespace bench
