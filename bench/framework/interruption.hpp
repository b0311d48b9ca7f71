// The reasons that end a run early: Ctrl-C, SIGTERM, and a reader of standard output that went away.
#pragma once

#include <array>
#include <csignal>
#include <sys/types.h>

namespace bench {

/// While one lives, the first SIGINT, SIGTERM or SIGPIPE makes came() true and kills the child process that is being
/// measured; the run then ends after the present repetition. The second kills this process at once. One at a time.
class interruption {
 public:
  interruption();
  ~interruption();
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;

  /// Any thread.
  [[nodiscard]] static bool came() { return signal() != 0; }
  /// The signal, or 0.
  [[nodiscard]] static int signal();

 private:
  std::array<struct sigaction, 3> m_before{};
};

/// Names the child process that an interruption must end, from its start until it is waited for.
class interruptible_child {
 public:
  explicit interruptible_child(pid_t child);
  ~interruptible_child();
  interruptible_child(const interruptible_child&) = delete;
  interruptible_child& operator=(const interruptible_child&) = delete;
};

}  // namespace bench
