#include "framework/neighbours.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {
namespace {

// In a child that a process with threads may have forked: only calls that are safe there.
[[noreturn]] void compute(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);  // it ended before this child could ask for the signal
  prctl(PR_SET_NAME, "busy neighbour");
  for (const int number : {SIGINT, SIGTERM, SIGPIPE}) std::signal(number, SIG_IGN);
  setpriority(PRIO_PROCESS, 0, 19);
  // A reader of this run's output waits until nobody holds it open.
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(file);
  for (volatile unsigned i = 0;;) i = i + 1;
}

}  // namespace

neighbours::neighbours(unsigned count) {
  m_processes.reserve(count);
  const pid_t self = getpid();
  while (m_processes.size() < count) {
    const pid_t child = fork();
    if (child == 0) compute(self);
    if (child < 0) {
      const int why = errno;
      const std::size_t started = m_processes.size();
      end();
      throw std::runtime_error(
          fmt::format("cannot start a busy neighbour after {} of {}: {}; ask for fewer with "
                      "--neighbours",
                      started, count, std::strerror(why)));
    }
    m_processes.push_back(child);
  }
}

neighbours::~neighbours() { end(); }

void neighbours::end() {
  for (const pid_t each : m_processes) kill(each, SIGKILL);
  for (const pid_t each : m_processes) {
    while (waitpid(each, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  m_processes.clear();
}

}  // namespace bench
