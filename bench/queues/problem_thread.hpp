// The thread's clocks and its place.
#pragma once

#include <cstdint>
#include <sched.h>

#include "kernel/cycles.hpp"

namespace bench::queues {

[[nodiscard]] double thread_cpu_seconds();

/// Measured once, in 10 ms.
[[nodiscard]] double ns_a_cycle();

/// Between two looks at cycles(), without what the look itself takes.
[[nodiscard]] std::uint64_t elapsed_ns(std::uint64_t before, std::uint64_t after);

/// Since an item that carries its cycles() was pushed.
[[nodiscard]] std::uint64_t wait_ns(std::uint64_t pushed);

inline void pause_thread() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Thread i on the i-th CPU that the process may use, round and round; or all wherever they are, if not asked for.
class one_cpu_each {
 public:
  explicit one_cpu_each(bool wanted);

  /// As long as it lives the calling thread is there.
  class place {
   public:
    place(const cpu_set_t* before, int cpu);
    ~place();
    place(const place&) = delete;
    place& operator=(const place&) = delete;

   private:
    const cpu_set_t* m_before;  // null: was not moved
  };
  [[nodiscard]] place take(unsigned thread) const;

 private:
  bool m_wanted;
  cpu_set_t m_allowed;
};

}  // namespace bench::queues
