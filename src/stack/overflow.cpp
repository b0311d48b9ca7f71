#include <ramie/stack/overflow.hpp>
#include <ramie/stack/registry.hpp>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string_view>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace ramie::stack {
namespace {

std::atomic<describe> g_describer{nullptr};
std::atomic<running> g_running{nullptr};

// The handlers that were there before. Written before ours is installed, read by ours only: sigaction(2) orders them.
struct sigaction g_earlier_segv;
struct sigaction g_earlier_bus;

// A line of text on the signal stack. No stdio: it may allocate and lock.
class line {
 public:
  void put(std::string_view text) noexcept {
    const std::size_t room = sizeof m_text - m_size;
    const std::size_t size = text.size() < room ? text.size() : room;
    std::memcpy(m_text + m_size, text.data(), size);
    m_size += size;
  }

  void put_number(std::uint64_t value, unsigned base) noexcept {
    char digits[20];  // 2^64 in decimal
    std::size_t at = sizeof digits;
    do {
      digits[--at] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    put({digits + at, sizeof digits - at});
  }

  void put_size(std::size_t size) noexcept {
    constexpr std::size_t mebi = std::size_t{1} << 20U;
    const bool whole_mebi = size % mebi == 0;
    put_number(whole_mebi ? size / mebi : size / 1024, 10);
    put(whole_mebi ? " MiB" : " KiB");
  }

  void put_name_of(const memory& stack) noexcept {
    // acquire: what the describer reads was made before it was set; pairs with the release in set_describer().
    const describe describer = g_describer.load(std::memory_order_acquire);
    constexpr std::size_t most = 128;
    const std::size_t room = sizeof m_text - m_size < most ? sizeof m_text - m_size : most;
    const std::size_t used = describer != nullptr ? describer(stack, m_text + m_size, room) : 0;
    if (used == 0) {
      put("a fiber");
    } else {
      m_size += used < room ? used : room;
    }
  }

  void write_out() const noexcept {
    // One call, so that two threads' lines do not mix. Nothing can be done about a failure.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, m_text, m_size);
  }

 private:
  char m_text[512];
  std::size_t m_size = 0;
};

std::uintptr_t stack_pointer(const void* context) noexcept {
  const auto* const machine = static_cast<const ucontext_t*>(context);
  return static_cast<std::uintptr_t>(machine->uc_mcontext.gregs[REG_RSP]);
}

std::uintptr_t end_of(const found& slot) noexcept {
  return (reinterpret_cast<std::uintptr_t>(slot.stack.top) + page_size - 1) / page_size * page_size;  // see stagger()
}

// Where the stack pointer is when a fiber has overflowed this slot: in it, or just below where a large frame was
// opened.
bool is_near(const found& where, std::uintptr_t pointer) noexcept {
  const auto top = reinterpret_cast<std::uintptr_t>(where.stack.top);
  return pointer <= top && top - pointer <= 2 * where.size;
}

// Why a guard was hit. To call something else an overflow would send the reader astray.
enum class cause {
  overflow,  // by the fiber whose guard it is
  overrun,   // by the fiber below it, which has written upwards beyond its stack
  stray,     // by a pointer of somebody else
};

// `mine`: the slot of the fiber that runs here.
cause cause_of(const found& where, std::uintptr_t pointer, found& mine) noexcept {
  found at;
  const bool runs_there = find(reinterpret_cast<const void*>(pointer), at) && at.stack == where.stack;
  // acquire: what it reads was made before it was set; pairs with the release in set_running().
  const running runner = g_running.load(std::memory_order_acquire);
  const void* const fiber = runner != nullptr ? runner() : nullptr;
  if (fiber == nullptr || !find(fiber, mine)) return is_near(where, pointer) ? cause::overflow : cause::stray;
  // Between fibers the one that runs may be noted before its stack is reached.
  if (runs_there || mine.stack == where.stack) return cause::overflow;
  return end_of(mine) == end_of(where) - where.size ? cause::overrun : cause::stray;
}

void explain(const found& where, std::uintptr_t fault, std::uintptr_t pointer) noexcept {
  found mine;
  const cause why = cause_of(where, pointer, mine);
  line text;
  text.put("ramie: ");
  const char* advice = nullptr;
  if (why == cause::overrun) {
    text.put_name_of(mine.stack);
    text.put(" wrote beyond the upper end of its stack of ");
    text.put_size(mine.size);
    advice = "A larger stack will not help: look for an array on its stack that is overrun.\n";
  } else if (why == cause::overflow) {
    text.put_name_of(where.stack);
    text.put(" overflowed its stack of ");
    text.put_size(where.size);
    advice = "Give it more with spawn_options.stack_size or options.stack_size.\n";
  } else {
    text.put("a stray pointer hit the guard of the stack of ");
    text.put_name_of(where.stack);
    advice = "The code that did it ran on another stack, so a larger stack will not help.\n";
  }
  text.put(" (fault at 0x");
  text.put_number(fault, 16);
  text.put("). ");
  text.put(advice);
  text.write_out();
}

// As if `earlier` had been installed in our place.
void pass_on(const struct sigaction& earlier, int signal, siginfo_t* info, void* context) noexcept {
  const bool wants_info = (earlier.sa_flags & SA_SIGINFO) != 0;
  const bool has_handler = wants_info || (earlier.sa_handler != SIG_DFL && earlier.sa_handler != SIG_IGN);
  const bool sent = info->si_code <= 0;  // by kill(2) and the like, not by a fault: it will not happen again by itself
  if (!wants_info && earlier.sa_handler == SIG_IGN && sent) return;
  if (!has_handler || (earlier.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    struct sigaction default_action{};
    default_action.sa_handler = SIG_DFL;
    ::sigaction(signal, &default_action, nullptr);
  }
  if (wants_info) {
    earlier.sa_sigaction(signal, info, context);
  } else if (has_handler) {
    earlier.sa_handler(signal);
  } else if (sent) {
    // Delivered when we return and the signal is unblocked, with its own siginfo.
    ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::syscall(SYS_gettid), signal, info);
  }
  // Otherwise: return, the instruction faults again, and the default action ends the process there. (A fault cannot be
  // ignored: the kernel takes the default action for SIG_IGN, and so do we.)
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  const bool fault = info->si_code > 0;
  if (found where; fault && find(info->si_addr, where) && where.in_guard) {
    explain(where, reinterpret_cast<std::uintptr_t>(info->si_addr), stack_pointer(context));
  }
  errno = saved;
  pass_on(signal == SIGBUS ? g_earlier_bus : g_earlier_segv, signal, info, context);
}

bool install_for(int signal, struct sigaction& earlier) noexcept {
  if (::sigaction(signal, nullptr, &earlier) != 0) return false;
  struct sigaction ours{};
  ours.sa_sigaction = on_fault;
  // The earlier handler shall find the mask and the restart behaviour that it asked for.
  ours.sa_mask = earlier.sa_mask;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (earlier.sa_flags & (SA_RESTART | static_cast<int>(SA_NODEFER)));
  return ::sigaction(signal, &ours, nullptr) == 0;
}

// Ours only: code that has replaced the handler answers for it now.
void uninstall_for(int signal, const struct sigaction& earlier) noexcept {
  struct sigaction now{};
  const bool known = ::sigaction(signal, nullptr, &now) == 0;
  if (known && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault) ::sigaction(signal, &earlier, nullptr);
}

// When the library that this is linked into is unloaded, and on_fault() with it; or at the very end of the process.
[[gnu::destructor]] void uninstall() noexcept {
  uninstall_for(SIGSEGV, g_earlier_segv);
  uninstall_for(SIGBUS, g_earlier_bus);
}

}  // namespace

bool overflow_report::install() noexcept {
  static const bool installed = install_for(SIGSEGV, g_earlier_segv) && install_for(SIGBUS, g_earlier_bus);
  return installed;
}

void overflow_report::set_describer(describe describer) noexcept {
  // release: pairs with the acquire in put_name_of().
  g_describer.store(describer, std::memory_order_release);
}

void overflow_report::set_running(running runner) noexcept {
  // release: pairs with the acquire in cause_of().
  g_running.store(runner, std::memory_order_release);
}

}  // namespace ramie::stack
