// A program that gives up system calls in main, after its constructors have run and before it makes a runtime.
#include <stack/child.hpp>
#include <support/fibers.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <ucontext.h>
#include <unistd.h>

namespace ramie {
namespace {

using test::with_workers;

// The argument of membarrier(2) that is let through.
constexpr unsigned password = 0x52414d49;

// Every membarrier(2) without the password is answered so; all other calls are allowed.
bool answer_membarrier(unsigned action) {
  constexpr auto fourth = static_cast<unsigned>(offsetof(seccomp_data, args) + 3 * sizeof(__u64));
  const std::array<sock_filter, 6> filter{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 2),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, fourth),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, password, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, action),
  }};
  const sock_fprog program{static_cast<unsigned short>(filter.size()), const_cast<sock_filter*>(filter.data())};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

// Whether this machine lets a process have a filter at all.
bool filters_work() {
  return stack::test::in_child([] { return answer_membarrier(SECCOMP_RET_ERRNO | EPERM) ? 0 : 1; }).exited_with(0);
}

// Sleeping and waking between workers and with a thread from outside.
void use_a_runtime() {
  runtime home(with_workers(3));
  home.start();
  for (int round = 0; round < 20; ++round) {
    home.spawn([] {
          counter left;
          for (int i = 0; i < 50; ++i) spawn_with_counter(left, [] { yield(); });
          wait_for_counter(left);
        })
        .join();
    std::this_thread::sleep_for(std::chrono::microseconds(300));  // the workers fall asleep
  }
}

TEST(SeccompDeathTest, AFilterThatIsThereBeforeTheFirstRuntime_IsRespected) {
  if (!filters_work()) GTEST_SKIP() << "no seccomp filters here";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process in which nothing has run yet
  EXPECT_EXIT(
      {
        if (!answer_membarrier(SECCOMP_RET_ERRNO | EPERM)) ::_exit(1);
        use_a_runtime();
        ::_exit(7);
      },
      ::testing::ExitedWithCode(7), "");
}

#if !RAMIE_TSAN  // which delays signals

std::atomic<int> refusals{0};

// The first few calls find no memory, as where the kernel cannot note on which processors the process runs.
void refuse_some(int /*signal*/, siginfo_t* /*info*/, void* context) {
  auto* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (refusals.fetch_sub(1) > 0) {
    registers[REG_RAX] = -ENOMEM;
    return;
  }
  const long result =
      ::syscall(SYS_membarrier, registers[REG_RDI], registers[REG_RSI], registers[REG_RDX], std::size_t{password});
  registers[REG_RAX] = result == 0 ? 0 : -errno;
}

TEST(SeccompDeathTest, AMembarrierThatFindsNoMemory_IsTriedAgain) {
  if (!filters_work()) GTEST_SKIP() << "no seccomp filters here";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        struct sigaction action{};
        action.sa_sigaction = refuse_some;
        action.sa_flags = SA_SIGINFO | static_cast<int>(SA_NODEFER);
        ::sigaction(SIGSYS, &action, nullptr);
        if (!answer_membarrier(SECCOMP_RET_TRAP)) ::_exit(1);
        refusals = 3;
        if (!std_provider::light_fences_are_free()) ::_exit(2);
        refusals = 3;
        std_provider::fence_heavy();
        use_a_runtime();
        ::_exit(refusals <= 0 ? 7 : 3);
      },
      ::testing::ExitedWithCode(7), "");
}
#endif

}  // namespace
}  // namespace ramie
