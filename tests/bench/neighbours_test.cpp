#include "framework/neighbours.hpp"

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "bench/command_run.hpp"
#include "support/eventually.hpp"

namespace {

using command_run::contains;
using ramie::test::eventually;

// The processor time of a process so far, in clock ticks; -1 if it is not there.
long ticks_of(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::string word;
  std::getline(in, word, ')');  // its name may hold blanks
  for (int i = 0; i < 11 && in >> word; ++i) {
  }
  long user = -1;
  return in >> user ? user : -1;
}

int count_children() {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream in(entry.path() / "status");
    for (std::string line; std::getline(in, line);) {
      if (line == "PPid:\t" + std::to_string(getpid())) ++found;
    }
  }
  return found;
}

// A sample that is right, after `look`.
std::function<bench::sample()> after(std::function<void()> look) {
  return [look] {
    look();
    bench::sample s;
    s.row = "one_row";
    s.value = 1;
    s.verified = true;
    return s;
  };
}

TEST(Neighbours, ComputeAtTheLowestPriority_UntilTheyAreNotWanted) {
  std::vector<pid_t> processes;
  {
    const bench::neighbours beside(2);
    processes = beside.processes();
    ASSERT_EQ(processes.size(), 2U);
    for (const pid_t each : processes) {
      EXPECT_TRUE(eventually("nice", [&] { return getpriority(PRIO_PROCESS, static_cast<id_t>(each)) == 19; }));
      EXPECT_TRUE(eventually("computing", [&] { return ticks_of(each) > 1; }));
      // These signals end the run after its present repetition, and leave the neighbours for that long.
      kill(each, SIGINT);
      kill(each, SIGTERM);
      const long before = ticks_of(each);
      EXPECT_TRUE(eventually("computing", [&] { return ticks_of(each) > before; }));
    }
  }
  for (const pid_t each : processes) EXPECT_EQ(kill(each, 0), -1);
}

TEST(Neighbours, DieWithTheProcess_HoweverItEnds) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // orphans of the child become this process's children
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const bench::neighbours beside(3);
    const std::vector<pid_t>& all = beside.processes();
    if (write(ends[1], all.data(), all.size() * sizeof(pid_t)) < 0) _exit(1);
    kill(getpid(), SIGKILL);
  }
  pid_t all[3];
  ASSERT_EQ(read(ends[0], all, sizeof all), static_cast<ssize_t>(sizeof all));
  close(ends[0]);
  close(ends[1]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  for (const pid_t each : all) EXPECT_EQ(waitpid(each, nullptr, 0), each);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(Neighbours, ThatCannotBeStarted_AreASentence) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    const rlimit none{0, 0};  // of a plain user's processes: root has no limit
    if (setrlimit(RLIMIT_NPROC, &none) != 0 || (getuid() == 0 && setuid(65'534) != 0)) _exit(3);
    try {
      const bench::neighbours beside(2);
    } catch (const std::runtime_error& problem) {
      std::fputs(problem.what(), stderr);
      _exit(7);
    }
    _exit(1);
  }
  close(ends[1]);
  std::string said(400, '\0');
  const ssize_t length = read(ends[0], said.data(), said.size());
  said.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  close(ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status << said;
  EXPECT_TRUE(contains(said, "cannot start a busy neighbour after 0 of 2: ")) << said;
}

TEST(Neighbours, OfACommand_AreThereWhileItMeasures) {
  int found = -1;
  const auto s = command_run::suite_of("one", after([&] { found = count_children(); }));
  auto o = command_run::run({s}, {"--neighbours", "2", "--runs", "1"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(found, 2);
  EXPECT_TRUE(contains(o.out, "1 run, beside 2 busy neighbours\n")) << o.out;
  o = command_run::run({s}, {"--runs", "1"});
  EXPECT_EQ(found, 0);
  EXPECT_FALSE(contains(o.out, "neighbour")) << o.out;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(Neighbours, OfAnInterruptedCommand_End) {
  const auto s = command_run::suite_of("one", after([] { std::raise(SIGTERM); }));
  EXPECT_EQ(command_run::run({s}, {"--neighbours", "2"}).status, 143);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

}  // namespace
