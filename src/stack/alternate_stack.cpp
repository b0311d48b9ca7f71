#include <ramie/base/error.hpp>
#include <ramie/stack/alternate_stack.hpp>
#include <ramie/stack/memory.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ramie::stack {
namespace {

constexpr unsigned long auxv_minsigstksz = 51;  // AT_MINSIGSTKSZ, Linux 5.14

[[noreturn]] void refuse(const char* call, int error) {
  throw spawn_error("ramie: the alternate signal stack of a worker (" +
                    std::to_string(alternate_stack::needed() / 1024) + " KiB) was refused: " + call + " says \"" +
                    std::strerror(error) + "\". Raise RLIMIT_AS (ulimit -v) or vm.max_map_count, or free memory.");
}

}  // namespace

std::size_t alternate_stack::needed() noexcept {
  constexpr std::size_t handlers_own = std::size_t{16} << 10U;
  constexpr std::size_t oldest_minimum = 2048;  // MINSIGSTKSZ before it could be asked for
  const long advised = ::sysconf(_SC_SIGSTKSZ);
  const std::size_t frame = std::max<std::size_t>(::getauxval(auxv_minsigstksz), oldest_minimum);
  const std::size_t size = std::max(advised > 0 ? static_cast<std::size_t>(advised) : 0, handlers_own + frame);
  return (size + page_size - 1) / page_size * page_size;
}

alternate_stack::alternate_stack() {
  const std::size_t size = needed();
  if (::sigaltstack(nullptr, &m_previous) != 0) refuse("sigaltstack(2)", errno);
  const bool enabled = (m_previous.ss_flags & SS_DISABLE) == 0;
  // A page less counts as enough: its maker will have rounded less generously than needed() does.
  if (enabled && m_previous.ss_size + page_size >= size) return;

  m_mapping_size = size + page_size;
  void* mapping = ::mmap(nullptr, m_mapping_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) refuse("mmap(2)", errno);
  stack_t ours{};
  ours.ss_sp = static_cast<std::byte*>(mapping) + page_size;
  ours.ss_size = size;
  if (::mprotect(mapping, page_size, PROT_NONE) != 0 || ::sigaltstack(&ours, nullptr) != 0) {
    const int error = errno;
    ::munmap(mapping, m_mapping_size);
    refuse("mprotect(2) or sigaltstack(2)", error);
  }
  m_mapping = static_cast<std::byte*>(mapping);
}

alternate_stack::~alternate_stack() {
  if (m_mapping == nullptr) return;
  stack_t now{};
  // Ours still: put the previous one back. Not ours any more: the code that replaced it owns the thread's state, and
  // may mean to put ours back later; so it stays mapped, as when the thread is running on it (the kernel then refuses
  // the change). A leak is better than a crash.
  if (::sigaltstack(nullptr, &now) != 0 || now.ss_sp != m_mapping + page_size) return;
  m_previous.ss_flags &= ~SS_ONSTACK;
  if (::sigaltstack(&m_previous, nullptr) != 0) return;
  ::munmap(m_mapping, m_mapping_size);
}

}  // namespace ramie::stack
