#include <ramie/stack/advise.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ramie::stack::detail {
namespace {

// From linux/pidfd.h, Linux 6.14: this process (its thread group's leader's address space), without a descriptor.
constexpr int pidfd_self = -10000;
// System calls with one number on every architecture; older headers lack the second name.
constexpr long number_pidfd_open = 434;
constexpr long number_process_madvise = 440;

using way = advise_way;

std::atomic<way> g_way{way::unknown};
std::atomic<way> g_forced{way::unknown};
// A pidfd of this process and whose it is: after fork the copy would still name the parent. High half: pid, low: fd.
std::atomic<std::uint64_t> g_descriptor{0};

int own_descriptor() noexcept {
  const auto pid = static_cast<std::uint64_t>(::getpid());
  // relaxed: the word is complete in itself, and a descriptor is the kernel's to order.
  std::uint64_t seen = g_descriptor.load(std::memory_order_relaxed);
  if (seen >> 32U == pid) return static_cast<int>(seen & 0xffffffffU);
  const auto fd = static_cast<int>(::syscall(number_pidfd_open, static_cast<long>(pid), 0));
  if (fd < 0) return -1;
  const std::uint64_t fresh = pid << 32U | static_cast<std::uint32_t>(fd);
  if (g_descriptor.compare_exchange_strong(seen, fresh, std::memory_order_relaxed)) {
    // A child leaves the inherited one open: it may have closed all descriptors itself and reused the number since.
    return fd;
  }
  ::close(fd);  // another thread was faster
  return seen >> 32U == pid ? static_cast<int>(seen & 0xffffffffU) : -1;
}

long process_madvise(int fd, std::span<iovec> ranges, int advice) noexcept {
  return ::syscall(number_process_madvise, fd, ranges.data(), ranges.size(), advice, 0U);
}

// Tries each way on a page of its own, with an advice that does nothing bad there. Two threads may both do it.
way find_way() noexcept {
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return way::plain;
  way result = way::plain;
  iovec range{page, 4096};
  if (process_madvise(pidfd_self, {&range, 1}, advice_dontneed) == 4096) {
    result = way::self;
  } else if (const int fd = own_descriptor(); fd >= 0) {
    range = {page, 4096};
    if (process_madvise(fd, {&range, 1}, advice_dontneed) == 4096) result = way::descriptor;
  }
  ::munmap(page, 4096);
  return result;
}

way current_way() noexcept {
  if (const way forced = g_forced.load(std::memory_order_relaxed); forced != way::unknown) return forced;
  // relaxed: every thread finds the same answer.
  way known = g_way.load(std::memory_order_relaxed);
  if (known == way::unknown) {
    known = find_way();
    g_way.store(known, std::memory_order_relaxed);
  }
  return known;
}

bool transient(int error) noexcept { return error == EINTR || error == EAGAIN; }

// As advise(), one madvise(2) a range.
advised advise_plain(std::span<const iovec> ranges, int advice) noexcept {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    while (::madvise(ranges[i].iov_base, ranges[i].iov_len, advice) != 0) {
      if (!transient(errno)) return {i, errno};
    }
  }
  return {ranges.size(), 0};
}

// Removes `bytes` from the front of the ranges; returns how many ranges that finished.
std::size_t consume(std::span<iovec> ranges, std::size_t bytes) noexcept {
  std::size_t finished = 0;
  while (finished < ranges.size() && bytes >= ranges[finished].iov_len) bytes -= ranges[finished++].iov_len;
  if (finished < ranges.size()) {
    ranges[finished].iov_base = static_cast<std::byte*>(ranges[finished].iov_base) + bytes;
    ranges[finished].iov_len -= bytes;
  }
  return finished;
}

}  // namespace

advised advise(std::span<iovec> ranges, int advice) noexcept {
  std::size_t done = 0;
  const way how = current_way();
  const int fd = how == way::descriptor ? own_descriptor() : pidfd_self;
  while (done < ranges.size() && how != way::plain && (how == way::self || fd >= 0)) {
    const auto batch = ranges.subspan(done, std::min(advise_batch, ranges.size() - done));
    const long moved = process_madvise(fd, batch, advice);
    if (moved > 0) {
      done += consume(batch, static_cast<std::size_t>(moved));
    } else if (moved == 0 || !transient(errno)) {
      break;  // refused: the plain call below tells whether it is this range or the whole way
    }
  }
  const advised rest = advise_plain(ranges.subspan(done), advice);
  return {done + rest.done, rest.error};
}

void force_advise_way(advise_way forced) noexcept { g_forced.store(forced, std::memory_order_relaxed); }

}  // namespace ramie::stack::detail
