// Ends a test that hangs, and says with which seed it did.
#pragma once

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace ramie::test {

/// While it lives: after ten minutes, which nothing takes that does not hang, the process aborts and writes `what` to
/// standard error. One at a time.
class watchdog {
 public:
  explicit watchdog(const std::string& what) {
    constexpr unsigned seconds = 600;
    std::snprintf(s_text, sizeof s_text, "watchdog: hung for %u s: %s\n", seconds, what.c_str());
    struct sigaction action{};
    action.sa_handler = [](int) {
      static_cast<void>(!::write(STDERR_FILENO, s_text, std::strlen(s_text)));
      ::signal(SIGABRT, SIG_DFL);
      ::abort();
    };
    ::sigaction(SIGALRM, &action, &m_before);
    ::alarm(seconds);
  }
  ~watchdog() {
    ::alarm(0);
    ::sigaction(SIGALRM, &m_before, nullptr);
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  static inline char s_text[256];
  struct sigaction m_before{};
};

}  // namespace ramie::test
