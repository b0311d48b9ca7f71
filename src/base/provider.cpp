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

bool register_membarrier() noexcept {
  return ::syscall(SYS_membarrier, membarrier_register_private_expedited, 0, 0) == 0;
}

long futex(const std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) noexcept {
  return ::syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, timeout, nullptr, 0);
}

}  // namespace

// The registration belongs to the address space: fork keeps it, exec starts anew.
constinit bool membarrier_available = false;

// Before every ordinary static constructor: no thread may meet the flag while it changes.
[[gnu::constructor(101)]] static void register_before_main() { membarrier_available = register_membarrier(); }

void membarrier_all_threads() noexcept {
  if (::syscall(SYS_membarrier, membarrier_private_expedited, 0, 0) == 0) [[likely]]
    return;
  // Light fences already rely on it, so there is no way back.
  fail("membarrier(2) worked at start and is refused now.",
       "Allow it in the seccomp filter, or install the filter before the program starts.");
}

void yield_thread() noexcept { ::sched_yield(); }

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
