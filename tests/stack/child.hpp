// Runs a piece of a test in a child process, because it ends in a signal or uses up a limit.
#pragma once

#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace ramie::stack::test {

struct outcome {
  int status = 0;    // as from waitpid
  std::string text;  // what the child wrote to standard error

  [[nodiscard]] bool died_of(int signal) const { return WIFSIGNALED(status) && WTERMSIG(status) == signal; }
  [[nodiscard]] bool exited_with(int code) const { return WIFEXITED(status) && WEXITSTATUS(status) == code; }
  [[nodiscard]] bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};

/// Puts the default action in the place of whatever a sanitizer has installed.
inline void default_faults() {
  ::signal(SIGSEGV, SIG_DFL);
  ::signal(SIGBUS, SIG_DFL);
}

/// The child exits with what f returns.
template <class F>
outcome in_child(F f) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDERR_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::_exit(f());
  }
  ::close(ends[1]);
  outcome result;
  char part[4096];
  for (ssize_t size = 0; (size = ::read(ends[0], part, sizeof part)) > 0;) {
    result.text.append(part, static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  ::waitpid(child, &result.status, 0);
  return result;
}

/// Writes to the parent, from a signal handler too: allocates nothing.
inline void say(std::string_view text) { static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size())); }

}  // namespace ramie::stack::test
