// Not for users.
//
// Which processor each worker is on, so that two of them do not share one while others are free of workers.
//
// The kernel wakes a thread where it was last, and starts one where it is made, unless some other processor is idle. A
// processor with a busy neighbour is not, however low that one's priority. So the workers of a short program may meet
// on one processor, and stay there: each wake-up then stops the worker that asked for help, until the helper sleeps
// again. (Linux 6.18, two processors, one niced busy loop: a loop of 0.2 ms took 1.4, with 30 switches between two
// workers on one processor. The kernel's balancing looks at what has been runnable for milliseconds.)
#pragma once

#include <ramie/base/provider.hpp>

#include <limits>
#include <vector>

namespace ramie::detail {

class worker_cpus {
 public:
  /// For `workers` workers, none of which is on a processor. Throws std::bad_alloc.
  explicit worker_cpus(unsigned workers) : m_on(workers) {}

  /// The calling thread begins or goes on to work for `worker`. Where the processor has another worker, the thread
  /// moves to one that has none. Costs a look at each worker, and some 20 µs for a move.
  void arrive(unsigned worker) noexcept;
  /// The calling thread works for `worker`, and is about to wake others: notes where it is, since the kernel may have
  /// moved it. 3 ns.
  void note_cpu(unsigned worker) noexcept;
  /// The calling thread is about to sleep, or to leave.
  void leave(unsigned worker) noexcept { m_on[worker].cpu.store(nowhere, std::memory_order_relaxed); }

  static constexpr unsigned nowhere = std::numeric_limits<unsigned>::max();
  /// A guess. Any thread.
  [[nodiscard]] unsigned cpu_of(unsigned worker) const { return m_on[worker].cpu.load(std::memory_order_relaxed); }

 private:
  // relaxed, all of it: a thread that reads an old value moves in vain, or stays where it should move.
  struct place {
    native_provider::atomic<unsigned> cpu{nowhere};
  };
  std::vector<place> m_on;
};

}  // namespace ramie::detail
