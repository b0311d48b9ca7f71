#include <ramie/stack/advise.hpp>
#include <ramie/stack/guard.hpp>

#include <cerrno>
#include <csignal>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ramie::stack {
namespace {

// Three pages; a guard on the middle one, then looks at all of them, before and after MADV_DONTNEED over all.
bool probe(guard_kind kind) noexcept {
  constexpr std::size_t size = 3 * page_size;
  void* mapping = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return false;
  auto* const first = static_cast<std::byte*>(mapping);
  std::byte* const guard = first + page_size;
  std::byte* const last = guard + page_size;

  const auto stops = [&] { return readable(first) && !readable(guard) && readable(last); };
  bool good = readable(guard);
  if (kind == guard_kind::guard_install) {
    good = good && ::madvise(guard, page_size, detail::advice_guard_install) == 0;
  } else {
    good = good && ::mprotect(guard, page_size, PROT_NONE) == 0;
  }
  good = good && stops() && ::madvise(first, size, MADV_DONTNEED) == 0 && stops();
  ::munmap(mapping, size);
  return good;
}

}  // namespace

bool readable(const void* address) noexcept {
  // rt_sigprocmask(2) reads 8 bytes, and only then looks at `how`: with a senseless one it changes nothing in any case
  // and says EINVAL if it could read, EFAULT if not.
  constexpr int no_such_operation = 0x7fff;
  const int saved = errno;
  const long result = ::syscall(SYS_rt_sigprocmask, no_such_operation, address, nullptr, 8);
  const bool could_read = result == 0 || errno != EFAULT;
  errno = saved;
  return could_read;
}

bool works(guard_kind kind) noexcept {
  // Magic statics: one probe each, by the first caller.
  static const bool guard_install_works = probe(guard_kind::guard_install);
  static const bool mprotect_works = probe(guard_kind::mprotect);
  switch (kind) {
    case guard_kind::guard_install: return guard_install_works;
    case guard_kind::mprotect: return mprotect_works;
    case guard_kind::none: return true;
  }
  return false;
}

guard_kind best_guard() noexcept {
  return works(guard_kind::guard_install) ? guard_kind::guard_install : guard_kind::mprotect;
}

}  // namespace ramie::stack
