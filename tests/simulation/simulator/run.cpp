#include <simulation/simulator/run.hpp>

#include <support/fibers.hpp>
#include <support/repetitions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#if RAMIE_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace ramie::sim {
namespace {

bool wanted(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0' && *value != '0';
}

std::string again(std::uint64_t seed) {
  const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string filter =
      test == nullptr ? "" : std::string(" --gtest_filter=") + test->test_suite_name() + "." + test->name();
  const std::string command = "RAMIE_SEED=" + std::to_string(seed) + " " + program_invocation_name + filter;
  return "again: " + command + "\nevery step: RAMIE_TRACE=1 " + command + "\n";
}

// With what the run did until now, once a run: also from a signal handler, where the process ends anyway.
bool g_reported = false;
std::string g_again;  // made before: in a listener, GoogleTest may not be asked

void report(const std::string& what) {
  machine* const here = machine::current();
  if (g_reported || here == nullptr) return;
  g_reported = true;
  const std::uint64_t seed = here->chosen().seed;
  const std::string text = "simulation: seed " + std::to_string(seed) + ": " + what + "\n" + here->report() + g_again;
  std::fputs(text.c_str(), stderr);
}

void crashed(int signal) {
  std::signal(signal, SIG_DFL);
  ::alarm(60);  // should the crash have left the allocator locked
  report(std::string("crashed at step ") +
         std::to_string(machine::current() != nullptr ? machine::current()->steps() : 0) + ": " + strsignal(signal));
  std::raise(signal);
}

// Before the first runtime: its own handler, for stack overflows, then passes on to these.
void report_crashes() {
  static const bool once = [] {
    struct sigaction action{};
    action.sa_handler = &crashed;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    ::sigaction(SIGABRT, &action, nullptr);
#if RAMIE_ASAN
    __sanitizer_set_death_callback([] { report("a sanitizer has found something"); });
#else
    static char handlers_stack[std::size_t{256} << 10U];
    stack_t stack{};
    stack.ss_sp = handlers_stack;
    stack.ss_size = sizeof handlers_stack;
    ::sigaltstack(&stack, nullptr);
    ::sigaction(SIGSEGV, &action, nullptr);
    ::sigaction(SIGBUS, &action, nullptr);
#endif
    return true;
  }();
  static_cast<void>(once);
}

// EXPECT and ASSERT inside of a run.
class listener : public testing::EmptyTestEventListener {
 public:
  void OnTestPartResult(const testing::TestPartResult& result) override {
    machine* const here = machine::current();
    if (!result.failed() || here == nullptr) return;
    here->happened(happening::test_failed, static_cast<std::uint64_t>(std::max(result.line_number(), 0)));
    report(std::string("at step ") + std::to_string(here->steps()) + ": the test found something wrong, at line " +
           std::to_string(result.line_number()));
  }
};

}  // namespace

outcome run(const settings& chosen, const std::function<void()>& body) {
  report_crashes();
  g_reported = false;
  g_again = again(chosen.seed);
  listener* const failures = new listener;  // owned by the list
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  listeners.Append(failures);
  settings traced = chosen;
  traced.print_all_steps = chosen.print_all_steps || wanted("RAMIE_TRACE");
  if (const char* const step = std::getenv("RAMIE_STOP")) traced.stop_before = std::strtoull(step, nullptr, 0);
  machine simulated(traced);
  const outcome result = simulated.run(body);
  delete listeners.Release(failures);
  if (!result.failure.empty()) {
    const std::string steps = g_reported ? "" : simulated.report();
    ADD_FAILURE() << "simulation: seed " << chosen.seed << ", " << result.failure << "\n" << steps << g_again;
  }
  return result;
}

outcome run(std::uint64_t seed, const std::function<void()>& body) {
  settings chosen;
  chosen.seed = seed;
  return run(chosen, body);
}

namespace {

void run_all(unsigned ordinary, bool weak, const std::function<void(std::uint64_t seed)>& body) {
  std::uint64_t steps = 0, runs = 0, old_reads = 0, early_writes = 0;
  settings chosen;
  chosen.weak_memory = weak;
  for (const std::uint64_t seed : test::seeds(test::sanitized ? std::max(ordinary / 5, 1U) : ordinary)) {
    chosen.seed = seed;
    const outcome one = run(chosen, [&] { body(seed); });
    steps += one.steps;
    old_reads += one.old_reads;
    early_writes += one.early_writes;
    ++runs;
    if (testing::Test::HasFailure()) break;
  }
  testing::Test::RecordProperty("seeds", std::to_string(runs));
  testing::Test::RecordProperty("steps", std::to_string(steps));
  if (!weak) return;
  std::printf("%llu runs, %llu steps, %llu old values read, %llu values written behind newer ones\n",
              static_cast<unsigned long long>(runs), static_cast<unsigned long long>(steps),
              static_cast<unsigned long long>(old_reads), static_cast<unsigned long long>(early_writes));
  EXPECT_GT(old_reads, 0U);
}

}  // namespace

void run_seeds(unsigned ordinary, const std::function<void(std::uint64_t seed)>& body) {
  run_all(ordinary, false, body);
}

void run_weak_seeds(unsigned ordinary, const std::function<void(std::uint64_t seed)>& body) {
  run_all(ordinary, true, body);
}

verdict run_apart(const settings& chosen, const std::function<void()>& body) {
  int pipe_ends[2];
  std::fflush(nullptr);
  if (::pipe(pipe_ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    ::dup2(pipe_ends[1], STDOUT_FILENO);
    ::dup2(pipe_ends[1], STDERR_FILENO);
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
    const rlimit seconds{.rlim_cur = 30, .rlim_max = 60};
    ::setrlimit(RLIMIT_CPU, &seconds);  // a corrupted list may be endless: of processor time, however slow the machine
    ::alarm(600);
    const bool sound = run(chosen, body).failure.empty() && !testing::Test::HasFailure();
    std::fflush(nullptr);
    ::_exit(sound ? 0 : 1);
  }
  ::close(pipe_ends[1]);
  verdict result;
  char text[4096];
  ssize_t size = 0;
  while ((size = ::read(pipe_ends[0], text, sizeof text)) > 0 || (size < 0 && errno == EINTR)) {
    if (size > 0) result.said.append(text, static_cast<std::size_t>(size));
  }
  ::close(pipe_ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.failed = status != 0;
  if (WIFSIGNALED(status)) result.said += std::string("simulation: ended by ") + strsignal(WTERMSIG(status)) + "\n";
  return result;
}

std::string verdict::reason() const {
  for (const std::string_view mark : {"ramie: ", "ERROR: AddressSanitizer", "simulation: seed", "simulation: ended"}) {
    const std::size_t found = said.find(mark);
    if (found != std::string::npos) return said.substr(found, said.find('\n', found) - found);
  }
  return said.substr(0, said.find('\n'));
}

}  // namespace ramie::sim
