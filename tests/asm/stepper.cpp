#include "stepper.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <span>
#include <stdexcept>
#include <ucontext.h>
#include <unwind.h>

extern "C" char test_known_return[];

namespace ramie::test {
namespace {

constexpr std::size_t longest = 100;
stepper* current = nullptr;

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// Returns whether the chain came to an end.
bool unwind_with_libunwind(ucontext_t* from, stepper::chain& frames) {
  unw_cursor_t cursor;
  if (unw_init_local2(&cursor, from, UNW_INIT_SIGNAL_FRAME) != 0) return false;
  constexpr int registers[6] = {UNW_X86_64_RBX, UNW_X86_64_RBP, UNW_X86_64_R12,
                                UNW_X86_64_R13, UNW_X86_64_R14, UNW_X86_64_R15};
  while (frames.size() < longest) {
    stepper::frame one{};
    unw_word_t value = 0;
    unw_get_reg(&cursor, UNW_REG_IP, &value);
    one.ip = value;
    unw_get_reg(&cursor, UNW_REG_SP, &value);
    one.stack = value;
    for (int i = 0; i < 6; ++i) one.known[i] = unw_get_reg(&cursor, registers[i], &value) == 0 ? value : 0;
    unw_proc_info_t function{};
    if (unw_get_proc_info(&cursor, &function) == 0) one.function = function.start_ip;
    frames.push_back(one);
    const int more = unw_step(&cursor);
    if (more <= 0) return more == 0;
  }
  return false;
}

struct collector {
  stepper::chain& frames;
  std::uintptr_t interrupted;
};

// From inside the handler: its own frames and the signal's come first and are left out.
bool unwind_with_libgcc(std::uintptr_t interrupted, stepper::chain& frames) {
  collector all{frames, interrupted};
  const auto ended = _Unwind_Backtrace(
      [](_Unwind_Context* context, void* argument) {
        auto& into = *static_cast<collector*>(argument);
        stepper::frame one{};
        one.ip = _Unwind_GetIP(context);
        if (into.frames.empty() && one.ip != into.interrupted) return _URC_NO_REASON;
        if (one.ip == 0) return _URC_NO_REASON;  // what is above the outermost frame
        one.stack = _Unwind_GetCFA(context);
        one.function = _Unwind_GetRegionStart(context);
        constexpr int registers[6] = {3, 6, 12, 13, 14, 15};
        for (int i = 0; i < 6; ++i) one.known[i] = _Unwind_GetGR(context, registers[i]);
        into.frames.push_back(one);
        return into.frames.size() < longest ? _URC_NO_REASON : _URC_NORMAL_STOP;
      },
      &all);
  return ended == _URC_END_OF_STACK;
}

}  // namespace

stepper::stepper(const stepped_fiber& fiber)
    : m_bottom(address(fiber.bottom)),
      m_top(address(fiber.top)),
      m_entry(reinterpret_cast<std::uintptr_t>(fiber.entry)),
      m_fiber_main(reinterpret_cast<std::uintptr_t>(fiber.main)),
      m_fiber_body(reinterpret_cast<std::uintptr_t>(fiber.body)),
      m_handler_stack(std::size_t{1} << 20) {
  current = this;
  const stack_t handlers{m_handler_stack.data(), 0, m_handler_stack.size()};
  ::sigaltstack(&handlers, nullptr);
  struct sigaction action{};
  action.sa_sigaction = [](int, siginfo_t*, void* user_context) { handle(user_context); };
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  if (::sigaction(SIGTRAP, &action, nullptr) != 0) throw std::runtime_error("no SIGTRAP handler");
}

stepper::~stepper() {
  std::signal(SIGTRAP, SIG_DFL);
  const stack_t none{nullptr, SS_DISABLE, 0};
  ::sigaltstack(&none, nullptr);
  current = nullptr;
}

void stepper::run(void (*body)(void*), void* argument) {
  struct task {
    stepper& self;
    void (*body)(void*);
    void* argument;
  } one{*this, body, argument};
  test_call_known(
      [](void* given) {
        // The frames above test_call_known before any switch must be there all the time.
        auto& self = static_cast<task*>(given)->self;
        ucontext_t now;
        unw_getcontext(&now);
        chain frames;
        unwind_with_libunwind(&now, frames);
        self.m_above.clear();
        bool above = false;
        for (const frame& each : frames) {
          if (above) self.m_above.push_back(each.ip);
          above = above || each.ip == address(test_known_return);
        }
      },
      &one, seed_of_thread);
  m_body = reinterpret_cast<std::uintptr_t>(body);
  // The second call is made from another place of this function, so that frame is compared by function instead.
  test_call_known(body, argument, seed_of_thread);
}

void stepper::handle(void* user_context) { current->check(user_context); }

void stepper::check(void* user_context) {
  auto* const interrupted = static_cast<ucontext_t*>(user_context);
  const auto ip = static_cast<std::uintptr_t>(interrupted->uc_mcontext.gregs[REG_RIP]);
  ++m_steps;
  chain frames;
  const bool ended = unwind_with_libunwind(interrupted, frames);
  check_chain(frames, ended, "libunwind");
  frames.clear();
  const bool ended_too = unwind_with_libgcc(ip, frames);
  check_chain(frames, ended_too, "libgcc");
}

void stepper::check_chain(const chain& frames, bool ended, const char* unwinder) {
  if (!ended) return complain(frames, unwinder, "does not end");
  if (frames.empty()) return complain(frames, unwinder, "is empty");
  const std::uintptr_t stack = frames.back().stack;
  const bool on_fiber = stack >= m_bottom && stack <= m_top;
  if (on_fiber && unwinder[3] == 'u') ++m_fiber_steps;
  const auto known =
      std::find_if(frames.begin(), frames.end(), [](const frame& one) { return one.ip == address(test_known_return); });
  if (on_fiber) {
    if (frames.back().function + 1 != m_entry) return complain(frames, unwinder, "does not end in the fiber's entry");
    if (known == frames.end()) {  // it is about to begin
      if (frames.size() > 4) complain(frames, unwinder, "of a fiber that begins is long");
      return;
    }
    if (frames.end() - known != 3) return complain(frames, unwinder, "has a wrong number of frames above");
    if (known[1].function != m_fiber_main) return complain(frames, unwinder, "misses the fiber's main function");
  } else {
    if (known == frames.end()) return complain(frames, unwinder, "misses test_call_known");
    if (static_cast<std::size_t>(frames.end() - known) != m_above.size() + 1) {
      return complain(frames, unwinder, "has a wrong number of frames above");
    }
    for (std::size_t i = 1; i < m_above.size(); ++i) {  // all but run(), see there
      if (known[static_cast<std::ptrdiff_t>(i) + 1].ip != m_above[i]) {
        return complain(frames, unwinder, "has a wrong frame above");
      }
    }
  }
  if (known - frames.begin() > 4 || known == frames.begin()) {
    return complain(frames, unwinder, "has a wrong number of frames below");
  }
  if (known[-1].function != (on_fiber ? m_fiber_body : m_body)) {
    return complain(frames, unwinder, "misses the function that switches");
  }
  const std::uint64_t seed = on_fiber ? seed_of_fiber : seed_of_thread;
  for (std::uint64_t i = 0; i < 6; ++i) {
    if (known->known[i] != seed + i + 1) return complain(frames, unwinder, "loses a callee-saved register");
  }
}

void stepper::complain(const chain& frames, const char* unwinder, const char* what) {
  if (++m_complained > 4) return;
  char line[160];
  std::snprintf(line, sizeof line, "step %zu, %s: the chain %s\n", m_steps, unwinder, what);
  m_complaints += line;
  for (const frame& one : std::span(frames).first(std::min<std::size_t>(frames.size(), 6))) {
    std::snprintf(line, sizeof line, "  ip %#zx (function %#zx + %zd) stack %#zx, rbx %#zx rbp %#zx r12 %#zx\n", one.ip,
                  one.function, static_cast<std::ptrdiff_t>(one.ip - one.function), one.stack, one.known[0],
                  one.known[1], one.known[2]);
    m_complaints += line;
  }
}

}  // namespace ramie::test
