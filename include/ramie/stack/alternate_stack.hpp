// Where a kernel thread handles a signal whose own stack has just overflowed.
#pragma once

#include <csignal>
#include <cstddef>

namespace ramie::stack {

/// While it lives, the kernel thread that made it has an alternate signal stack (sigaltstack(2)) of at least
/// alternate_stack::needed() bytes, with a guard page below.
///
/// A thread that has one already which is large enough (AddressSanitizer's, Go's) keeps it and nothing is mapped. The
/// destructor puts back what was there, unless somebody else has set another in the meantime. Must be destroyed by the
/// thread that made it, and neither made nor destroyed inside a signal handler. Cost: about 5 us.
class alternate_stack {
 public:
  /// Throws spawn_error if there is no memory for it.
  alternate_stack();
  ~alternate_stack();
  alternate_stack(const alternate_stack&) = delete;
  alternate_stack& operator=(const alternate_stack&) = delete;

  /// False if the one that the thread had was good enough.
  [[nodiscard]] bool installed() const noexcept { return m_mapping != nullptr; }

  /// sysconf(_SC_SIGSTKSZ), and no less than 16 KiB beyond the kernel's own frame (AT_MINSIGSTKSZ, which holds all
  /// vector registers and grows with the processor).
  [[nodiscard]] static std::size_t needed() noexcept;

 private:
  std::byte* m_mapping = nullptr;  // guard page, then the stack
  std::size_t m_mapping_size = 0;
  stack_t m_previous{};
};

}  // namespace ramie::stack
