// How often a busy worker polls the injector and its driver: bounded in number, and in time where the pieces of work
// are long, for jobs, tasks and fibers alike. All bounds are numbers of pieces, so a slow machine passes too: it only
// makes pieces longer.
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <ramie/scheduler/idle_driver.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::watchdog;
using test::with_workers;

enum class pieces { jobs, tasks, fibers };

// Keeps a worker busy: when a piece ends, the next one is ready.
class chain {
 public:
  // Runs at the beginning of each piece, with its number.
  std::function<void(int)> at_each = [](int) {};

  chain(pieces kind, std::chrono::microseconds length) : m_kind(kind), m_length(length) {}

  // On any thread. The chain must live until all that it spawned has ended.
  void begin(runtime& home) {
    home.spawn([this] { begin_here(); }).detach();
  }
  void end() { m_over = true; }
  int begun() const { return m_begun; }
  // Of the pieces that begin from now on.
  void set_length(std::chrono::microseconds length) { m_length = length; }

 private:
  void begin_here() {
    switch (m_kind) {
      case pieces::jobs: return next_job();
      case pieces::tasks: return next_task();
      case pieces::fibers:
        for (int i = 0; i < 2; ++i) {  // two, because one alone would find nothing here, and ask the injector each time
          spawn([this] {
            while (piece()) yield();
          }).detach();
        }
    }
  }
  void next_job() {
    job::run(job::create([this] {
      if (piece()) next_job();
    }));
  }
  void next_task() {
    spawn([this] {
      if (piece()) next_task();
    }).detach();
  }
  bool piece() {
    const int number = ++m_begun;
    at_each(number);
    if (const auto length = m_length.load(); length.count() != 0) test::compute(length);
    return !m_over;
  }

  const pieces m_kind;
  std::atomic<std::chrono::microseconds> m_length;
  std::atomic<int> m_begun{0};
  std::atomic<bool> m_over{false};
};

class PollsBetween : public ::testing::TestWithParam<pieces> {};

std::string name_of(const ::testing::TestParamInfo<pieces>& info) {
  constexpr const char* names[] = {"Jobs", "Tasks", "Fibers"};
  return names[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(Pieces, PollsBetween, ::testing::Values(pieces::jobs, pieces::tasks, pieces::fibers), name_of);

// Pieces of work from one poll to the next. Besides these, the piece in progress and one turn of the oldest task may
// come between.
constexpr int longest_interval = 64;
constexpr int shortest_interval = 2;
constexpr int in_between = 2;

// How many pieces of a running chain begin before something that is spawned from outside does.
int pieces_before_a_foreign_spawn(runtime& home, const chain& busy) {
  int then = 0;
  auto foreign = home.spawn([&] { then = busy.begun(); });
  const int now = busy.begun();
  foreign.join();
  return then - now;
}

TEST_P(PollsBetween, AForeignSpawn_WaitsForFewShortPieces) {
  const watchdog limit("foreign spawns beside short pieces");
  chain busy(GetParam(), 0us);
  runtime home(with_workers(1));
  home.start();
  busy.begin(home);
  ASSERT_TRUE(test::eventually("the worker is busy", [&] { return busy.begun() > 10'000; }));
  for (int round = 0; round < 20; ++round) {
    EXPECT_LE(pieces_before_a_foreign_spawn(home, busy), longest_interval + in_between);
  }
  busy.end();
  home.stop();
}

TEST_P(PollsBetween, AForeignSpawn_WaitsForTwoLongPieces) {
  const watchdog limit("foreign spawns beside long pieces");
  chain busy(GetParam(), 1ms);
  runtime home(with_workers(1));
  home.start();
  busy.begin(home);
  ASSERT_TRUE(test::eventually("the worker is busy", [&] { return busy.begun() > 10; }));
  for (int round = 0; round < 5; ++round) {
    EXPECT_LE(pieces_before_a_foreign_spawn(home, busy), shortest_interval + in_between);
  }
  busy.end();
  home.stop();
}

// The worker cannot know that the pieces become long until it polls: one interval of the short ones' length.
TEST_P(PollsBetween, AForeignSpawn_WaitsForManyLongPiecesOnceOnly) {
  const watchdog limit("short pieces, then long ones");
  chain busy(GetParam(), 0us);
  runtime home(with_workers(1));
  home.start();
  busy.begin(home);
  ASSERT_TRUE(test::eventually("the worker is busy", [&] { return busy.begun() > 10'000; }));
  busy.set_length(1ms);
  const int began = busy.begun();
  ASSERT_TRUE(test::eventually("a long piece has ended", [&] { return busy.begun() > began + 1; }));
  EXPECT_LE(pieces_before_a_foreign_spawn(home, busy), longest_interval + in_between);
  EXPECT_LE(pieces_before_a_foreign_spawn(home, busy), shortest_interval + in_between);
  busy.end();
  home.stop();
}

TEST_P(PollsBetween, AForeignSpawn_WaitsForTwoLongPiecesAfterAnIdleTime) {
  const watchdog limit("short pieces, nothing, long pieces");
  chain quick(GetParam(), 0us);
  chain slow(GetParam(), 1ms);
  runtime home(with_workers(1));
  home.start();
  const auto parks = [&] { return home.statistics()[0].parks; };
  quick.begin(home);
  ASSERT_TRUE(test::eventually("the worker is busy", [&] { return quick.begun() > 10'000; }));
  const auto before = parks();
  quick.end();
  ASSERT_TRUE(test::eventually("the worker sleeps", [&] { return parks() > before; }));
  slow.begin(home);
  ASSERT_TRUE(test::eventually("the worker is busy again", [&] { return slow.begun() > 0; }));
  EXPECT_LE(pieces_before_a_foreign_spawn(home, slow), shortest_interval + in_between);
  slow.end();
  home.stop();
}

struct polled_driver final : idle_driver {
  int& polls;
  futex_idle_driver<> futex;

  explicit polled_driver(int& count) : polls(count) {}
  bool poll() noexcept override { return ++polls, false; }
  void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept override { futex.wait(deadline); }
  void interrupt() noexcept override { futex.interrupt(); }
};

// How often the driver of the only worker is polled from one piece of a chain to another.
int polls_between(int from, int to, pieces kind, std::chrono::microseconds length) {
  const watchdog limit("polls of the driver");
  int polls = 0;  // touched by the worker alone
  int before = 0;
  int between = 0;
  chain busy(kind, length);
  busy.at_each = [&](int piece) {
    if (piece == from) before = polls;
    if (piece != to) return;
    between = polls - before;
    busy.end();
  };
  options chosen = with_workers(1);
  idle_drivers_by drivers([&] { return std::make_unique<polled_driver>(polls); });
  chosen.drivers = &drivers;
  runtime home(chosen);
  busy.begin(home);
  home.run();
  return between;
}

TEST_P(PollsBetween, TheDriver_IsPolledBetweenShortPieces) {
  constexpr int count = 100 * longest_interval;
  EXPECT_GE(polls_between(1'000, 1'000 + count, GetParam(), 0us), count / (longest_interval + 1) - 1);
}

TEST_P(PollsBetween, TheDriver_IsPolledBetweenLongPieces) {
  constexpr int count = 10 * shortest_interval;
  EXPECT_GE(polls_between(20, 20 + count, GetParam(), 1ms), count / shortest_interval - 1);
}

// Not at each choice: the injector would leave nothing to the worker's own tasks.
TEST(Polls, ATask_HasItsTurnBesideLongForeignPieces) {
  const watchdog limit("a task beside a full injector");
  runtime home(with_workers(1));
  int begun = 0;
  int begun_before_the_task = 0;
  std::vector<join_handle<void>> foreign;
  for (int i = 0; i < 600; ++i) {
    foreign.push_back(home.spawn([&] {
      if (++begun == 1) spawn([&] { begun_before_the_task = begun; }).detach();
      if (begun_before_the_task == 0) test::compute(1ms);
    }));
  }
  home.start();
  for (auto& each : foreign) each.join();
  home.stop();
  EXPECT_GT(begun_before_the_task, 0);
  EXPECT_LE(begun_before_the_task, 8 * shortest_interval + in_between);
}

// A fiber that computes for long and then yields, alone: its worker must still come to take others' tasks.
TEST(Polls, AFiberThatYieldsSeldom_LetsItsWorkerSteal) {
  const watchdog limit("a poller that computes");
  // One a poll. A thief that finds only private items asks, and after four more looks helps itself (queue/split.hpp);
  // the owner that gives at the next push without being asked is another worker where a join has moved the spawner.
  constexpr int most_looks = 6;
  run(with_workers(2), [] {
    std::atomic<int> yields{0};
    std::atomic<bool> over{false};
    auto poller = spawn([&] {
      while (!over) {
        test::compute(1ms);
        ++yields;
        yield();
      }
    });
    while (yields < 10) {  // computes: the poller is on the other worker
    }
    for (int round = 0; round < 5; ++round) {
      std::atomic<int> then{-1};
      auto stolen = spawn([&] { then = yields.load(); });
      const int now = yields;
      while (then < 0) {  // still computes: only the poller's worker can run it
      }
      stolen.join();
      EXPECT_LE(then - now, most_looks * shortest_interval + in_between);
    }
    over = true;
    poller.join();
  });
}

}  // namespace
}  // namespace ramie
