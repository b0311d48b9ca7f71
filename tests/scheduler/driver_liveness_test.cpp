// Drivers keep nobody waiting for ever: neither one that always wants to be polled, nor one that has completions at
// each look, nor one that could not be attached for a while.
#include <support/eventually.hpp>
#include <support/fibers.hpp>
#include <support/test_ring.hpp>
#include <support/watchdog.hpp>

#include <ramie/base/futex_lock.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/idle_driver.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
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
  static idle_drivers_by drivers([] { return std::make_unique<always_polled>(); });
  options chosen = with_workers(workers);
  chosen.drivers = &drivers;
  return chosen;
}

options with_rings(ring_group& group, unsigned workers) {
  options chosen = with_workers(workers);
  chosen.drivers = &group;
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

// A ring that hands out one completion at a time, and so has more at each look: a fiber that waits for it is completed
// at once, behind those that came before.
class pile final : public idle_driver {
 public:
  static constexpr driver_kind kind{"pile"};
  pile() : idle_driver(&kind) {}

  void complete(counter& done) {
    const std::lock_guard guard(m_lock);
    m_completed.push_back(&done);
    m_count.store(m_completed.size(), std::memory_order_release);
  }
  [[nodiscard]] bool wants_poll() const noexcept override { return has_completions(); }
  [[nodiscard]] bool can_be_reaped() const noexcept override { return true; }
  [[nodiscard]] bool has_completions() const noexcept override { return m_count.load(std::memory_order_acquire) != 0; }
  bool reap() noexcept override {
    counter* first = nullptr;
    {
      const std::lock_guard guard(m_lock);
      if (m_completed.empty()) return false;
      first = m_completed.front();
      m_completed.pop_front();
      m_count.store(m_completed.size(), std::memory_order_release);
    }
    first->decrement();
    return true;
  }
  // No worker that sleeps is relied on in this test.
  void wait(std::optional<std::chrono::steady_clock::time_point> /*deadline*/) noexcept override {
    native_provider::yield_thread();
  }
  void interrupt() noexcept override {}

 private:
  futex_lock<> m_lock;
  std::deque<counter*> m_completed;  // under the lock
  std::atomic<std::size_t> m_count{0};
};

// One worker is in a long task; the others always have fibers that are ready and completions of their own.
class DriverThatAlwaysHasCompletions : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, DriverThatAlwaysHasCompletions, ::testing::Values(2U, 3U));

TEST_P(DriverThatAlwaysHasCompletions, HidesNotThoseOfABusyWorker) {
  const watchdog limit("a completion behind others");
  options chosen = with_workers(GetParam());
  idle_drivers_by drivers([] { return std::make_unique<pile>(); });
  chosen.drivers = &drivers;
  runtime home(chosen);
  home.start();
  std::atomic<unsigned> begun{0};
  std::atomic<pile*> of_busy{nullptr};
  std::atomic<bool> continued{false}, over{false};
  const auto meet = [&] {  // so that each is on a worker of its own
    ++begun;
    while (begun < GetParam()) std::this_thread::yield();
  };
  std::vector<std::atomic<int>> performed(GetParam());
  std::vector<join_handle<void>> all;
  for (unsigned i = 1; i < GetParam(); ++i) {
    all.push_back(home.spawn([&] {
      meet();
      counter done;
      for (int j = 0; j < 20; ++j) {
        spawn_with_counter(done, [&] {
          while (!over) {
            counter mine{1};
            this_fiber::driver<pile>()->complete(mine);
            wait_for_counter(mine);
            ++performed[this_fiber::worker_index()];
          }
        });
        spawn_with_counter(done, [&] {
          while (!over) yield();
        });
      }
      wait_for_counter(done);
    }));
  }
  counter mine{1};
  all.push_back(home.spawn([&] {
    meet();
    of_busy = this_fiber::driver<pile>();
    while (!continued && !over) std::this_thread::yield();
  }));
  ASSERT_TRUE(eventually("all others complete much", [&] {
    return of_busy != nullptr &&
           std::ranges::count_if(performed, [](const auto& each) { return each > 100; }) == GetParam() - 1;
  }));
  auto waits = home.spawn([&] {
    wait_for_counter(mine);
    continued = true;
  });
  of_busy.load()->complete(mine);
  EXPECT_TRUE(eventually("somebody takes the completion", [&] { return continued.load(); }));
  over = true;
  for (auto& each : all) each.join();
  waits.join();
  home.stop();
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
