#include <ramie/base/config.hpp>
#include <ramie/stack/reservation.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <sys/mman.h>
#include <sys/prctl.h>

#if RAMIE_ASAN
#include <sanitizer/asan_interface.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ramie::stack::detail {
namespace {

constexpr std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }

// AddressSanitizer's own mmap and munmap write the shadow of the whole range: 8 GiB of it for a segment of 64. So its
// build calls the kernel, and cleans the shadow itself where a fiber has been (forget_frames). ThreadSanitizer's are
// needed: they make it forget the former user of the range.
void* map(std::size_t size) noexcept {
  constexpr int protection = PROT_READ | PROT_WRITE;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
#if RAMIE_ASAN
  const long result = ::syscall(SYS_mmap, nullptr, size, protection, flags, -1, 0L);
  return result == -1 ? nullptr : reinterpret_cast<void*>(result);
#else
  void* const result = ::mmap(nullptr, size, protection, flags, -1, 0);
  return result == MAP_FAILED ? nullptr : result;
#endif
}

}  // namespace

bool unreserve(std::byte* begin, std::size_t size) noexcept {
#if RAMIE_ASAN
  return ::syscall(SYS_munmap, begin, size) == 0;
#else
  return ::munmap(begin, size) == 0;
#endif
}

std::byte* reserve(std::size_t size, std::size_t alignment) noexcept {
  const std::size_t padded = size + alignment;
  auto* const start = static_cast<std::byte*>(map(padded));
  if (start == nullptr) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t before = round_up(address, alignment) - address;
  // The kernel may refuse to cut a mapping in two when vm.max_map_count is near: then take nothing.
  if ((before != 0 && !unreserve(start, before)) ||
      (before != alignment && !unreserve(start + before + size, alignment - before))) {
    const int error = errno;
    unreserve(start, padded);
    errno = error;
    return nullptr;
  }
  std::byte* const begin = start + before;
  // A huge page would make the first touch of a stack cost 2 MiB. EINVAL from a kernel that has none.
  ::madvise(begin, size, MADV_NOHUGEPAGE);
  // A name in /proc/self/maps, where the kernel keeps names (Linux 5.17, CONFIG_ANON_VMA_NAME).
  constexpr int set_vma = 0x53564d41;  // PR_SET_VMA
  constexpr int anon_name = 0;         // PR_SET_VMA_ANON_NAME
  ::prctl(set_vma, anon_name, begin, size, "ramie stacks");
  return begin;
}

std::size_t touched(const memory& stack) noexcept {
  constexpr std::size_t pages_a_call = 256;
  std::array<unsigned char, pages_a_call> resident;
  for (std::byte* from = stack.bottom; from < stack.top;) {
    const auto left = static_cast<std::size_t>(stack.top - from);
    const std::size_t pages = std::min(pages_a_call, (left + page_size - 1) / page_size);
    if (::mincore(from, pages * page_size, resident.data()) != 0) return 0;
    for (std::size_t i = 0; i < pages; ++i) {
      if ((resident[i] & 1U) != 0) return static_cast<std::size_t>(stack.top - (from + i * page_size));
    }
    from += pages * page_size;
  }
  return 0;
}

void forget_frames([[maybe_unused]] const memory& stack) noexcept {
#if RAMIE_ASAN
  const std::size_t size = touched(stack);  // no more: the shadow of an untouched stack costs memory, too
  __asan_unpoison_memory_region(stack.top - size, size);
#endif
}

}  // namespace ramie::stack::detail
