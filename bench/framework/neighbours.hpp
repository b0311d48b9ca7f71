// Busy neighbours, as on a machine that is shared.
#pragma once

#include <sys/types.h>
#include <vector>

namespace bench {

/// Processes that compute without end at the lowest priority (nice 19), on whichever CPU the kernel gives them. They
/// end with this object, and with this process however it ends; Ctrl-C and SIGTERM to the process group do not reach
/// them, so a repetition that is being finished keeps them.
class neighbours {
 public:
  /// Throws std::runtime_error, and leaves none, if one cannot be started. On the main thread: they die with the thread
  /// that made them.
  explicit neighbours(unsigned count);
  ~neighbours();
  neighbours(const neighbours&) = delete;
  neighbours& operator=(const neighbours&) = delete;

  [[nodiscard]] const std::vector<pid_t>& processes() const { return m_processes; }

 private:
  void end();

  std::vector<pid_t> m_processes;
};

}  // namespace bench
