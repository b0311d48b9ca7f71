#include "queues/problem_counters.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bench::queues {
namespace {

constexpr std::array<std::uint64_t, 4> events{PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                              PERF_COUNT_HW_CACHE_REFERENCES, PERF_COUNT_HW_CACHE_MISSES};

int open_counter(std::uint64_t event) {
  perf_event_attr wanted{};
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.size = sizeof wanted;
  wanted.config = event;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

hardware_counters::hardware_counters(bool wanted) : m_there(wanted) {
  for (std::size_t i = 0; m_there && i < events.size(); ++i) {
    m_files[i] = open_counter(events[i]);
    m_there = m_files[i] >= 0;
  }
}

hardware_counters::~hardware_counters() {
  for (const int file : m_files) {
    if (file >= 0) close(file);
  }
}

bool hardware_counters::read(std::array<std::uint64_t, 4>& into) const {
  bool all = m_there;
  for (std::size_t i = 0; all && i < into.size(); ++i) {
    all = ::read(m_files[i], &into[i], sizeof into[i]) == static_cast<ssize_t>(sizeof into[i]);
  }
  return all;
}

std::string hardware_counters::why_absent() {
  for (const std::uint64_t event : events) {
    const int file = open_counter(event);
    if (file < 0) return fmt::format("perf_event_open: {}", std::strerror(errno));
    close(file);
  }
  return {};
}

}  // namespace bench::queues
