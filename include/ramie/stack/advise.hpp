// madvise(2) over many ranges with few system calls.
#pragma once

#include <cstddef>
#include <span>
#include <sys/uio.h>

namespace ramie::stack::detail {

// Newer than Debian 12's headers, or likely to be missing from older ones; probed at run time.
inline constexpr int advice_dontneed = 4;         // MADV_DONTNEED
inline constexpr int advice_guard_install = 102;  // MADV_GUARD_INSTALL, Linux 6.13

/// Ranges in one process_madvise(2) call (the kernel's own limit is UIO_MAXIOV, 1024).
inline constexpr std::size_t advise_batch = 512;

struct advised {
  std::size_t done = 0;  ///< how many ranges, from the front, have been advised
  int error = 0;         ///< errno of the first that was not; 0 if all were
};

/// Gives every range the advice, in order, up to the first that fails. Any thread, also after fork; changes `ranges`
/// where the kernel stopped in the middle of one.
///
/// One process_madvise(2) for 512 ranges where the kernel takes this advice for the caller itself (6.13), through
/// PIDFD_SELF (6.14) or a pidfd of our own; else one madvise(2) a range. The way is found out once per process.
advised advise(std::span<iovec> ranges, int advice) noexcept;

/// How the kernel is asked.
enum class advise_way { unknown, self, descriptor, plain };

/// For tests: take this way (unknown: the best that works again). Any thread.
void force_advise_way(advise_way forced) noexcept;

}  // namespace ramie::stack::detail
