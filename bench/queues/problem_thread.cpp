#include "queues/problem_thread.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <pthread.h>

namespace bench::queues {

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double ns_a_cycle() {
  static const double measured = [] {
    using clock = std::chrono::steady_clock;
    struct look {
      clock::time_point time;
      std::uint64_t cycles = 0;
    };
    // Both at one moment. The thread may lose its CPU between them: of several looks the quickest.
    const auto look_at_both = [] {
      look quickest;
      auto least = clock::duration::max();
      for (int i = 0; i < 20; ++i) {
        const look now{clock::now(), cycles()};
        const auto took = clock::now() - now.time;
        if (took < least) least = took, quickest = now;
      }
      return quickest;
    };
    const look first = look_at_both();
    while (clock::now() - first.time < std::chrono::milliseconds(10)) {
    }
    const look last = look_at_both();
    return std::chrono::duration<double, std::nano>(last.time - first.time).count() /
           static_cast<double>(last.cycles - first.cycles);
  }();
  return measured;
}

std::uint64_t elapsed_ns(std::uint64_t before, std::uint64_t after) {
  static const std::uint64_t look = [] {
    std::uint64_t least = UINT64_MAX;
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t first = cycles();
      least = std::min(least, cycles() - first);
    }
    return least;
  }();
  const std::uint64_t taken = after - before;
  return taken <= look ? 0 : static_cast<std::uint64_t>(static_cast<double>(taken - look) * ns_a_cycle());
}

std::uint64_t wait_ns(std::uint64_t pushed) {
  const std::uint64_t now = cycles();
  // The counters of two CPUs may differ by a few.
  return now <= pushed ? 0 : static_cast<std::uint64_t>(static_cast<double>(now - pushed) * ns_a_cycle());
}

one_cpu_each::one_cpu_each(bool wanted) : m_wanted(wanted) {
  CPU_ZERO(&m_allowed);
  if (sched_getaffinity(0, sizeof m_allowed, &m_allowed) != 0) m_wanted = false;
}

one_cpu_each::place::place(const cpu_set_t* before, int cpu) : m_before(before) {
  if (m_before == nullptr) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(cpu), &one);
  pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

one_cpu_each::place::~place() {
  if (m_before != nullptr) pthread_setaffinity_np(pthread_self(), sizeof *m_before, m_before);
}

one_cpu_each::place one_cpu_each::take(unsigned thread) const {
  if (!m_wanted) return {nullptr, 0};
  int left = static_cast<int>(thread) % CPU_COUNT(&m_allowed);
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &m_allowed) && left-- == 0) return {&m_allowed, static_cast<int>(cpu)};
  }
  return {nullptr, 0};
}

}  // namespace bench::queues
