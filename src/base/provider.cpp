#include <ramie/base/provider.hpp>

#include <ramie/base/assert.hpp>

#include <cerrno>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ramie::detail {
namespace {

// From linux/membarrier.h, Linux 4.14; defined here so that old kernel headers suffice.
constexpr int membarrier_private_expedited = 1 << 3;
constexpr int membarrier_register_private_expedited = 1 << 4;

// False, and errno. ENOMEM is the kernel's own shortage of the moment, and passes.
bool membarrier(int command) noexcept {
  constexpr int most_tries = 10'000;
  constexpr timespec a_moment{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int tries = 1; ::syscall(SYS_membarrier, command, 0, 0) != 0; ++tries) {
    if (errno != ENOMEM || tries == most_tries) return false;
    ::nanosleep(&a_moment, nullptr);
  }
  return true;
}

long futex(const std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) noexcept {
  return ::syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, timeout, nullptr, 0);
}

}  // namespace

// The registration belongs to the address space: fork keeps it, exec starts anew.
constinit bool membarrier_available = false;

// Not before main: a program may give up system calls there, by a seccomp filter. So the command is tried as well.
bool find_membarrier() noexcept {
  static const bool tried = [] {
    membarrier_available =
        membarrier(membarrier_register_private_expedited) && membarrier(membarrier_private_expedited);
    return true;
  }();
  static_cast<void>(tried);
  return membarrier_available;
}

void membarrier_all_threads() noexcept {
  if (membarrier(membarrier_private_expedited)) [[likely]]
    return;
  // Light fences already rely on it, so there is no way back.
  fail("membarrier(2) worked when ramie was first used in this process, and is refused now.",
       "Allow it in the seccomp filter, or install the filter before the first runtime, thread pool or queue is made.");
}

void yield_thread() noexcept { ::sched_yield(); }

unsigned current_cpu() noexcept {
  const int cpu = ::sched_getcpu();
  return cpu < 0 ? 0 : static_cast<unsigned>(cpu);
}

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  futex(word, FUTEX_WAIT, expected, nullptr);
}

bool futex_wait_for(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::chrono::nanoseconds timeout) noexcept {
  if (timeout.count() <= 0) return false;
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(timeout.count() / 1'000'000'000);
  limit.tv_nsec = static_cast<long>(timeout.count() % 1'000'000'000);
  return !(futex(word, FUTEX_WAIT, expected, &limit) == -1 && errno == ETIMEDOUT);
}

void futex_wake(const std::atomic<std::uint32_t>& word, int count) noexcept {
  futex(word, FUTEX_WAKE, static_cast<std::uint32_t>(count), nullptr);
}

}  // namespace ramie::detail
