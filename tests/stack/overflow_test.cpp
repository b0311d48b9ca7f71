#include "child.hpp"

#include <ramie/base/config.hpp>
#include <ramie/stack/alternate_stack.hpp>
#include <ramie/stack/arena.hpp>
#include <ramie/stack/overflow.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <sys/syscall.h>
#include <ucontext.h>

namespace ramie::stack {
namespace {

using test::in_child;
using test::outcome;

std::size_t name_parser(const memory&, char* text, std::size_t size) noexcept {
  const std::string_view name = "fiber 17 \"parser\"";
  const std::size_t used = std::min(size, name.size());
  std::memcpy(text, name.data(), used);
  return used;
}

[[gnu::noinline]] int recurse(int depth) {
  volatile char frame[1000];
  frame[0] = static_cast<char>(depth);
  const int deeper = depth > 1'000'000 ? 0 : recurse(depth + 1);
  return deeper + frame[0];
}

void overflow_here() { recurse(0); }

// Runs f on `stack`. The context layer is another room; ucontext will do for a function that never returns.
void run_on(const memory& stack, void (*f)()) {
  ucontext_t here{};
  ucontext_t there{};
  ::getcontext(&there);
  there.uc_stack.ss_sp = stack.bottom;
  there.uc_stack.ss_size = stack.size();
  there.uc_link = &here;
  ::makecontext(&there, f, 0);
  ::swapcontext(&here, &there);
}

// A child without a sanitizer's handlers, with ours installed over whatever `before` has set up.
template <class Before>
outcome overflow_after(Before before, bytes size = 256_KiB) {
  return in_child([&] {
    test::default_faults();
    before();
    if (!overflow_report::install()) return 1;
    const alternate_stack handlers;
    arena stacks({.size = size});
    memory one;
    stacks.acquire({&one, 1});
    run_on(one, overflow_here);
    return 2;
  });
}

TEST(OverflowReport, NamesTheFiberItsStackAndWhatToRaise_ThenDiesOfTheFault) {
  const outcome child = overflow_after([] { overflow_report::set_describer(name_parser); });
  EXPECT_TRUE(child.died_of(SIGSEGV)) << child.status;
  EXPECT_TRUE(child.says("ramie: fiber 17 \"parser\" overflowed its stack of 256 KiB (fault at 0x")) << child.text;
  EXPECT_TRUE(child.text.ends_with("). Give it more with spawn_options.stack_size or options.stack_size.\n"))
      << child.text;
}

TEST(OverflowReport, SaysAFiberWhereNobodyKnowsIt) {
  const outcome child = overflow_after([] {}, 1_MiB);
  EXPECT_TRUE(child.died_of(SIGSEGV));
  EXPECT_TRUE(child.says("ramie: a fiber overflowed its stack of 1 MiB (fault at 0x")) << child.text;
}

TEST(OverflowReport, TellsAStrayPointerFromAnOverflow) {
  const outcome child = in_child([] {
    test::default_faults();
    overflow_report::install();
    overflow_report::set_describer(name_parser);
    arena stacks;
    memory one;
    stacks.acquire({&one, 1});
    *const_cast<volatile std::byte*>(one.bottom - 100) = std::byte{1};
    return 2;
  });
  EXPECT_TRUE(child.died_of(SIGSEGV));
  EXPECT_TRUE(child.says("a stray pointer hit the guard of the stack of fiber 17 \"parser\"")) << child.text;
  EXPECT_FALSE(child.says("overflowed"));
}

TEST(OverflowReport, OtherFaultsAreNotExplainedAndDieAsEver) {
  const outcome child = in_child([] {
    test::default_faults();
    overflow_report::install();
    *reinterpret_cast<volatile char*>(page_size) = 1;
    return 2;
  });
  EXPECT_TRUE(child.died_of(SIGSEGV));
  EXPECT_EQ(child.text, "");
}

void earlier_handler(int signal, siginfo_t* info, void* context) {
  char text[200];
  const auto* const machine = static_cast<const ucontext_t*>(context);
  std::snprintf(text, sizeof text, "earlier: signal %d at %p from %s code\n", signal, info->si_addr,
                machine != nullptr && machine->uc_mcontext.gregs[REG_RIP] != 0 ? "known" : "unknown");
  test::say(text);
  ::_exit(42);
}

TEST(OverflowReport, AnEarlierHandlerGoesOnWithTheSameSiginfo) {
  const outcome child = overflow_after([] {
    struct sigaction action{};
    action.sa_sigaction = earlier_handler;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &action, nullptr);
  });
  EXPECT_TRUE(child.exited_with(42)) << child.status;
  const std::size_t at = child.text.find("(fault at ");
  ASSERT_NE(at, std::string::npos) << child.text;
  const std::string address = child.text.substr(at + 10, child.text.find(')', at) - at - 10);
  EXPECT_TRUE(child.says("earlier: signal 11 at " + address + " from known code")) << child.text;
}

TEST(OverflowReport, AnEarlierHandlerThatRepairsTheFaultLetsTheProgramGoOn) {
  static std::byte* repaired = nullptr;
  const outcome child = in_child([] {
    arena stacks({.force_guard = guard_kind::mprotect});
    memory one;
    stacks.acquire({&one, 1});
    repaired = one.bottom;
    struct sigaction action{};
    action.sa_handler = [](int) { ::syscall(SYS_mprotect, repaired - page_size, page_size, 3); };
    ::sigaction(SIGSEGV, &action, nullptr);
    overflow_report::install();
    *const_cast<volatile std::byte*>(one.bottom - 1) = std::byte{1};
    return 7;
  });
  EXPECT_TRUE(child.exited_with(7)) << child.status;
  EXPECT_TRUE(child.says("hit the guard of the stack")) << child.text;
}

TEST(OverflowReport, AOneShotHandlerIsCalledOnce) {
  const outcome child = overflow_after([] {
    struct sigaction action{};
    action.sa_handler = [](int) { test::say("once\n"); };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGSEGV, &action, nullptr);
  });
  EXPECT_TRUE(child.died_of(SIGSEGV)) << child.status;
  EXPECT_TRUE(child.text.ends_with("once\n")) << child.text;
  EXPECT_EQ(child.text.find("once"), child.text.rfind("once"));
}

TEST(OverflowReport, ASentSignalTakesTheDefaultAction) {
  const outcome child = in_child([] {
    test::default_faults();
    overflow_report::install();
    ::kill(::getpid(), SIGSEGV);
    return 2;
  });
  EXPECT_TRUE(child.died_of(SIGSEGV)) << child.status;
}

TEST(OverflowReport, AnIgnoredSentSignalStaysIgnored_AFaultDoesNot) {
  const auto ignoring = [](bool fault) {
    return in_child([fault] {
      ::signal(SIGSEGV, SIG_IGN);
      overflow_report::install();
      ::kill(::getpid(), SIGSEGV);
      if (fault) *reinterpret_cast<volatile char*>(page_size) = 1;
      return 3;
    });
  };
  EXPECT_TRUE(ignoring(false).exited_with(3));
  EXPECT_TRUE(ignoring(true).died_of(SIGSEGV));
}

TEST(OverflowReport, ABusErrorGoesToItsOwnEarlierHandler) {
  const outcome child = in_child([] {
    test::default_faults();
    ::signal(SIGBUS, [](int) { ::_exit(9); });
    overflow_report::install();
    ::kill(::getpid(), SIGBUS);
    return 2;
  });
  EXPECT_TRUE(child.exited_with(9)) << child.status;
}

// ---- In a library that is unloaded ----

constexpr int stays_loaded = 77;

// Loads it, has it install its handlers, calls `between`, and unloads it. 0: it is gone.
template <class Between>
int load_and_unload(Between between) {
  void* const plugin = ::dlopen(RAMIE_STACK_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) return test::say(::dlerror()), 1;
  const auto install = reinterpret_cast<bool (*)()>(::dlsym(plugin, "ramie_plugin_installs_reports"));
  if (install == nullptr || !install()) return 2;
  between();
  ::dlclose(plugin);
  return ::dlopen(RAMIE_STACK_PLUGIN, RTLD_NOW | RTLD_NOLOAD) == nullptr ? 0 : stays_loaded;
}

auto handler_of(int signal) {
  struct sigaction now{};
  ::sigaction(signal, nullptr, &now);
  return now.sa_handler;
}

#define SKIP_WHERE_IT_STAYS_LOADED(child) \
  if ((child).exited_with(stays_loaded)) GTEST_SKIP() << "the library cannot be unloaded here"

TEST(OverflowReport, ALibraryThatIsUnloaded_GivesTheEarlierHandlersBack) {
  const outcome child = in_child([] {
    test::default_faults();
    ::signal(SIGBUS, [](int) {});
    const auto of_bus = handler_of(SIGBUS);
    bool installed = false;
    const int result =
        load_and_unload([&] { installed = handler_of(SIGSEGV) != SIG_DFL && handler_of(SIGBUS) != of_bus; });
    if (result != 0) return result;
    if (!installed) return 3;
    return handler_of(SIGSEGV) == SIG_DFL && handler_of(SIGBUS) == of_bus ? 7 : 4;
  });
  SKIP_WHERE_IT_STAYS_LOADED(child);
  EXPECT_TRUE(child.exited_with(7)) << child.status << child.text;
}

TEST(OverflowReport, ALibraryThatIsUnloaded_LeavesLaterHandlersAlone) {
  const outcome child = in_child([] {
    test::default_faults();
    const auto later = [](int) { ::_exit(7); };
    const int result = load_and_unload([&] { ::signal(SIGSEGV, later); });
    if (result != 0) return result;
    if (handler_of(SIGBUS) != SIG_DFL) return 3;
    *reinterpret_cast<volatile char*>(page_size) = 1;
    return 4;
  });
  SKIP_WHERE_IT_STAYS_LOADED(child);
  EXPECT_TRUE(child.exited_with(7)) << child.status << child.text;
}

#if RAMIE_ASAN
TEST(OverflowReport, AddressSanitizersOwnReportFollows) {
  const outcome child = in_child([] {
    overflow_report::install();
    const alternate_stack handlers;
    arena stacks;
    memory one;
    stacks.acquire({&one, 1});
    run_on(one, overflow_here);
    return 2;
  });
  EXPECT_FALSE(child.exited_with(2));
  EXPECT_TRUE(child.says("overflowed its stack of 256 KiB")) << child.text;
  EXPECT_TRUE(child.says("AddressSanitizer")) << child.text;
}
#endif

}  // namespace
}  // namespace ramie::stack
