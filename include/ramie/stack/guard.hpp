// The guards that this kernel can make, found out by trying.
#pragma once

#include <ramie/stack/config.hpp>

namespace ramie::stack {

/// True when a guard of this kind stops an access on this machine. Tried once per process on a fresh page, by what
/// the kernel does with a pointer into it (EFAULT) and not by its version or by madvise's return value: an emulator
/// may swallow an advice that it does not know. The marker must also outlive MADV_DONTNEED. Any thread.
[[nodiscard]] bool works(guard_kind kind) noexcept;

/// The best rung that works here: guard_install, else mprotect. Any thread.
[[nodiscard]] guard_kind best_guard() noexcept;

/// True when the kernel can read the byte at `address`: no fault, no file descriptor, no signal. Async-signal-safe.
/// Cost: one system call. The 8 bytes from there on must lie in one page.
[[nodiscard]] bool readable(const void* address) noexcept;

}  // namespace ramie::stack
