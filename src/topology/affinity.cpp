#include <ramie/topology/affinity.hpp>

#include <ramie/base/provider.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <sched.h>
#include <unistd.h>

namespace ramie::topology {
namespace {

struct free_set {
  void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};
using cpu_set = std::unique_ptr<cpu_set_t, free_set>;

// Linux is built for at most 8192 processors today; the kernel says EINVAL to a set that is smaller than its own.
constexpr unsigned most_cpus = 1U << 20U;

bool set_affinity(const std::vector<unsigned>& cpus) {
  if (cpus.empty() || cpus.back() >= most_cpus) return false;
  if (cpus.back() < CPU_SETSIZE) {  // without memory: what is put back must not fail for that
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const unsigned cpu : cpus) CPU_SET(cpu, &set);
    return ::sched_setaffinity(0, sizeof set, &set) == 0;
  }
  const std::size_t width = cpus.back() + std::size_t{1};
  const std::size_t size = CPU_ALLOC_SIZE(width);
  const cpu_set set(CPU_ALLOC(width));
  if (set == nullptr) return false;
  CPU_ZERO_S(size, set.get());
  for (const unsigned cpu : cpus) CPU_SET_S(cpu, size, set.get());
  return ::sched_setaffinity(0, size, set.get()) == 0;
}

}  // namespace

std::vector<unsigned> allowed_cpus() {
  std::vector<unsigned> result;
  for (unsigned width = 1024; width <= most_cpus; width *= 2) {
    const std::size_t size = CPU_ALLOC_SIZE(width);
    const cpu_set set(CPU_ALLOC(width));
    if (set == nullptr) break;
    CPU_ZERO_S(size, set.get());
    if (::sched_getaffinity(0, size, set.get()) == 0) {
      for (unsigned cpu = 0; cpu < width; ++cpu) {
        if (CPU_ISSET_S(cpu, size, set.get())) result.push_back(cpu);
      }
      break;
    }
    if (errno != EINVAL) break;
  }
  if (result.empty()) {  // the call is forbidden: assume every processor that is online
    const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
    for (unsigned cpu = 0; cpu < static_cast<unsigned>(online > 0 ? online : 1); ++cpu) result.push_back(cpu);
  }
  return result;
}

bool pin_current_thread(unsigned cpu) { return set_affinity({cpu}); }

std::optional<unsigned> move_current_thread_off(std::span<const unsigned> cpus) {
  std::vector<unsigned> others = allowed_cpus();
  std::erase_if(others, [&](unsigned cpu) { return std::ranges::find(cpus, cpu) != cpus.end(); });
  if (others.empty()) return {};
  const affinity_guard restore;
  if (!set_affinity(others)) return {};
  return std_provider::current_cpu();  // one of them, for as long as no other may be used
}

affinity_guard::affinity_guard() : m_cpus(allowed_cpus()) {}

// A thread to which nobody has given an affinity uses what its cpuset has, also when that grows. One that is given its
// cpuset's processors stays there (from Linux 6.2 on). So it is given all that there may be, and only if that are more
// than before those of before. Can only fail if the processors have been taken away since; then the kernel has chosen
// others itself.
affinity_guard::~affinity_guard() {
  cpu_set_t set;
  std::memset(&set, 0xff, sizeof set);
  if (::sched_setaffinity(0, sizeof set, &set) == 0) {
    CPU_ZERO(&set);
    const bool known = ::sched_getaffinity(0, sizeof set, &set) == 0;
    const auto among = [&](unsigned cpu) { return cpu < CPU_SETSIZE && CPU_ISSET(cpu, &set); };
    if (known && static_cast<std::size_t>(CPU_COUNT(&set)) == m_cpus.size() && std::ranges::all_of(m_cpus, among)) {
      return;
    }
  }
  set_affinity(m_cpus);
}

}  // namespace ramie::topology
