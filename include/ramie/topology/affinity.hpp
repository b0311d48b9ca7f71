// The processors that this thread may use, and the one it is on.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace ramie::topology {

/// The processors that the calling kernel thread may run on (sched_getaffinity(2): taskset, cpusets and containers are
/// honoured), ascending. Never empty; works beyond 1024 processors. Any thread. Cost: a system call or two.
[[nodiscard]] std::vector<unsigned> allowed_cpus();

/// Lets the calling kernel thread run on `cpu` alone; false if that is not allowed or there is no such processor.
/// Lasts until the affinity is set again, and is inherited by threads that this one makes later.
bool pin_current_thread(unsigned cpu);

/// Moves the calling kernel thread to a processor that it may use and that is not among `cpus`, and returns that one;
/// nothing if there is none. Its affinity afterwards is what it was: from then on the kernel moves it as it likes.
/// (What another process does to the thread's affinity at the same time is lost.) Costs some 20 µs.
std::optional<unsigned> move_current_thread_off(std::span<const unsigned> cpus);

/// Remembers the calling thread's affinity and puts it back at the end of the scope. Destroy it on the same thread.
class affinity_guard {
 public:
  affinity_guard();
  ~affinity_guard();
  affinity_guard(const affinity_guard&) = delete;
  affinity_guard& operator=(const affinity_guard&) = delete;

 private:
  std::vector<unsigned> m_cpus;
};

}  // namespace ramie::topology
