// Drivers keep nobody waiting for ever: neither one that always wants to be polled, nor one that has completions at
// each look, nor one that could not be attached for a while.
#include <support/eventually.hpp>
#include <support/fibers.hpp>
#include <support/test_ring.hpp>
#include <support/watchdog.hpp>

#include <ramie/scheduler/hand_over.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::operation;
using test::ring_group;
using test::test_ring;
using test::watchdog;
using test::with_workers;

// wants_poll() is the inherited one.
class always_polled final : public idle_driver {
 public:
  void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept override { m_bell.wait(deadline); }
  void interrupt() noexcept override { m_bell.interrupt(); }

 private:
  futex_idle_driver<> m_bell;
};

options always_polling(unsigned workers) {
  options chosen = with_workers(workers);
  chosen.make_idle_driver = [] { return std::make_unique<always_polled>(); };
  return chosen;
}

options with_rings(ring_group& group, unsigned workers) {
  options chosen = with_workers(workers);
  chosen.make_idle_driver = [&group] { return std::make_unique<test_ring>(group); };
  return chosen;
}

TEST(DriverThatAlwaysWantsAPoll, SpawnsFromOutsideRunBesideFibersThatYield) {
  const watchdog limit("a spawn from outside");
  runtime home(always_polling(1));
  home.start();
  std::atomic<bool> over{false};
  std::atomic<int> yielded{0};
  for (int i = 0; i < 2; ++i) {
    home.spawn([&] {
          while (!over) yield(), ++yielded;
        })
        .detach();
  }
  ASSERT_TRUE(eventually("both yield", [&] { return yielded > 1'000; }));
  std::atomic<bool> ran{false};
  home.spawn([&] { ran = true; }).detach();
  EXPECT_TRUE(eventually("the spawn from outside runs", [&] { return ran.load(); }));
  over = true;
  home.stop();
}

// What it is to steal comes when it has yielded for long, to a worker that gives nothing away by itself.
TEST(DriverThatAlwaysWantsAPoll, AFiberThatYieldsAlone_StealsWhatItWaitsFor) {
  const watchdog limit("a steal by a fiber that yields alone");
  runtime home(always_polling(2));
  home.start();
  std::atomic<int> begun{0}, yielded{0};
  std::atomic<bool> stolen{false}, over{false};
  const auto meet = [&] {
    ++begun;
    while (begun < 2) std::this_thread::yield();
  };
  home.spawn([&] {
        meet();
        while (!stolen && !over) yield(), ++yielded;
      })
      .detach();
  home.spawn([&] {
        meet();
        while (yielded < 1'000) std::this_thread::yield();
        spawn([&] { stolen = true; }).detach();
        while (!stolen && !over) std::this_thread::yield();
      })
      .detach();
  EXPECT_TRUE(eventually("the task is stolen", [&] { return stolen.load(); }));
  over = true;
  home.stop();
}

// Two workers poll all the time and have completions at each look; the third one is in a long task.
TEST(DriverThatAlwaysHasCompletions, HidesNotThoseOfABusyWorker) {
  const watchdog limit("a completion behind others");
  ring_group group;
  runtime home(with_rings(group, 3));
  home.start();
  std::atomic<bool> busy{false}, continued{false}, over{false};
  std::atomic<int> performed{0};
  operation mine;
  auto waits = home.spawn([&] {
    auto computes = spawn([&] {
      this_fiber::driver<test_ring>()->submit(mine);
      busy = true;
      while (!continued && !over) std::this_thread::yield();
    });
    wait_for_counter(mine.done);
    continued = true;
    computes.join();
  });
  ASSERT_TRUE(eventually("the long task runs", [&] { return busy.load(); }));
  std::vector<join_handle<void>> others;
  for (int i = 0; i < 100; ++i) {
    others.push_back(home.spawn([&] {
      while (!over) {
        operation at_once;
        test::perform(at_once, [](operation& each) { each.on->complete(each); });
        ++performed;
      }
    }));
  }
  ASSERT_TRUE(eventually("the others complete much", [&] { return performed > 10'000; }));
  mine.on->complete(mine);
  EXPECT_TRUE(eventually("somebody takes the completion", [&] { return continued.load(); }));
  over = true;
  waits.join();
  for (auto& each : others) each.join();
  home.stop();
  EXPECT_EQ(group.wrong_thread, 0);
}

// The worker's only driver is gone for a while, and what completes then finds nobody who hears of it.
class DriverThatCouldNotBeAttached : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Beside, DriverThatCouldNotBeAttached, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "a_fiber_that_yields" : "nothing"; });

TEST_P(DriverThatCouldNotBeAttached, IsAttachedAgainAndGoesOn) {
  const watchdog limit("a driver that comes back");
  ring_group group;
  runtime home(with_rings(group, 1));
  home.start();
  operation mine;
  std::atomic<bool> submitted{false}, completed{false}, back{false}, over{false};
  home.spawn([&] {
        this_fiber::driver<test_ring>()->submit(mine);
        submitted = true;
        wait_for_counter(mine.done);
        completed = true;
      })
      .detach();
  ASSERT_TRUE(eventually("it is submitted", [&] { return submitted.load(); }));
  home.spawn([&] {
        if (GetParam()) {
          spawn([&] {
            while (!completed && !over) yield();
          }).detach();
        }
        group.attaches_left = 0;
        {
          const detail::without_worker blocking;
          EXPECT_TRUE(blocking.is_given_away());
        }
        back = true;
      })
      .detach();
  ASSERT_TRUE(eventually("the worker has lost its driver", [&] { return back && group.attaches_left < 0; }));
  std::this_thread::sleep_for(20ms);  // for the worker to fall asleep, so that it has tried before in vain
  group.attaches_left = 1'000'000;
  mine.on->complete(mine);
  EXPECT_TRUE(eventually("the operation ends", [&] { return completed.load(); }));
  over = true;
  // What still waits would keep stop() waiting.
  if (!completed) home.spawn([] {}).join();
  home.stop();
  EXPECT_EQ(group.attached, group.detached);
}

}  // namespace
}  // namespace ramie
