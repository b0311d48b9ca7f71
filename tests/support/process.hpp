// The kernel's view of this process, for tests that nothing leaks and nothing spins.
#pragma once

#include <ramie/base/config.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace ramie::test {

inline std::size_t entries_of(const char* folder) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

inline std::size_t open_files() { return entries_of("/proc/self/fd"); }

inline std::size_t mapping_count() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) ++count;
  return count;
}

/// Resident memory in bytes.
inline std::size_t resident() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0, pages = 0;
  statm >> total >> pages;
  return pages * 4096;
}

/// User and system time of all threads so far.
inline std::chrono::microseconds cpu_time() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

// ---- Threads ----

using thread_ids = std::set<pid_t>;

/// Of this process. One that has been joined may still be among them for a moment.
inline thread_ids threads() {
  thread_ids all;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/task")) {
    all.insert(static_cast<pid_t>(std::stol(each.path().filename().string())));
  }
  return all;
}

/// How many there are that were not among `before`.
inline std::size_t threads_since(const thread_ids& before) {
  std::size_t count = 0;
  for (const pid_t each : threads()) count += before.contains(each) ? 0 : 1;
  return count;
}

/// Whether a thread of this process sleeps in the kernel.
inline bool asleep(pid_t thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_ends = text.rfind(')');
  return name_ends != std::string::npos && text.compare(name_ends, 3, ") S") == 0;
}

/// Whether all other threads of this process sleep for so long and not one of them wakes, however briefly. On a busy
/// machine as on an idle one: a thread that runs is switched away from, and one that is never switched away from uses
/// processor time.
inline bool others_sleep_for(std::chrono::milliseconds window) {
  const auto switches_of = [](int whose) {
    rusage used{};
    ::getrusage(whose, &used);
    return used.ru_nvcsw + used.ru_nivcsw;
  };
  const auto switches_of_others = [&] { return switches_of(RUSAGE_SELF) - switches_of(RUSAGE_THREAD); };
  for (const pid_t each : threads()) {
    if (each != ::gettid() && !asleep(each)) return false;
  }
  const auto time_before = cpu_time();
  const auto switches_before = switches_of_others();
  std::this_thread::sleep_for(window);
  const auto switches = switches_of_others() - switches_before;
  // ThreadSanitizer has a thread of its own, which wakes now and then.
  return (switches == 0 || RAMIE_TSAN != 0) && cpu_time() - time_before < std::chrono::microseconds(window) / 10;
}

}  // namespace ramie::test
