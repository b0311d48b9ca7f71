#include "framework/interruption.hpp"

#include <atomic>
#include <cerrno>
#include <string_view>
#include <unistd.h>

namespace bench {
namespace {

constexpr std::array signals{SIGINT, SIGTERM, SIGPIPE};

// A handler may touch lock-free atomics only.
std::atomic<int> first{0};
std::atomic<pid_t> measured_child{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

void tell(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) errno = 0;
}

void kill_child() {
  if (const pid_t child = measured_child.load(); child > 0) kill(child, SIGKILL);
}

void handle(int number) {
  const int saved = errno;
  const bool terminal = isatty(STDERR_FILENO) == 1;
  int none = 0;
  if (first.compare_exchange_strong(none, number)) {
    kill_child();
    // Over the progress line, which is where the cursor stands.
    if (terminal && number != SIGPIPE) {
      tell("\r\033[KStopping after this repetition; Ctrl-C again ends at once.\n");
    }
  } else if (number != SIGPIPE) {
    kill_child();
    if (terminal) tell("\r\033[K");
    // It is blocked while its handler runs, and kills on return.
    ::signal(number, SIG_DFL);
    raise(number);
  }
  errno = saved;
}

}  // namespace

interruption::interruption() {
  first = 0;
  struct sigaction action{};
  action.sa_handler = handle;
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &m_before[i]);
}

interruption::~interruption() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &m_before[i], nullptr);
  first = 0;  // what follows was not interrupted
}

int interruption::signal() { return first.load(std::memory_order_relaxed); }

interruptible_child::interruptible_child(pid_t child) {
  measured_child = child;
  // A signal between the fork and this line found no child to kill.
  if (interruption::came()) kill_child();
}

interruptible_child::~interruptible_child() { measured_child = 0; }

}  // namespace bench
