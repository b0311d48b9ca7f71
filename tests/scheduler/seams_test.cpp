// Two of the seams: observer and idle driver.
#include <support/eventually.hpp>
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/observer.hpp>

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using test::watchdog;
using test::with_workers;

// Checks each event against what the fiber did before.
class recorder final : public observer {
 public:
  struct life {
    int spawned = 0, started = 0, suspended = 0, resumed = 0, woken = 0, finished = 0;
    bool running = false;
    std::uint64_t parent = 0;
  };

  void spawned(std::uint64_t fiber, std::uint64_t parent) noexcept override {
    note(fiber, [&](life& of) { return of.parent = parent, ++of.spawned == 1; });
  }
  void started(std::uint64_t fiber, unsigned) noexcept override {
    note(fiber, [](life& of) { return of.spawned == 1 && ++of.started == 1 && !std::exchange(of.running, true); });
  }
  void suspended(std::uint64_t fiber, unsigned) noexcept override {
    note(fiber, [](life& of) { return ++of.suspended == of.resumed + 1 && std::exchange(of.running, false); });
  }
  void resumed(std::uint64_t fiber, unsigned) noexcept override {
    note(fiber, [](life& of) { return ++of.resumed == of.suspended && !std::exchange(of.running, true); });
  }
  void woken(std::uint64_t fiber, std::uint64_t) noexcept override {
    note(fiber, [](life& of) { return ++of.woken <= of.suspended && !of.running; });
  }
  void finished(std::uint64_t fiber, unsigned) noexcept override {
    note(fiber,
         [](life& of) { return of.suspended == of.resumed && ++of.finished == 1 && std::exchange(of.running, false); });
  }
  void stole(unsigned thief, unsigned victim, std::size_t items) noexcept override {
    const std::lock_guard guard(m_lock);
    stolen_items += items;
    wrong += thief == victim || items == 0 ? 1 : 0;
  }
  void worker_sleeps(unsigned) noexcept override { ++sleeps; }
  void worker_wakes(unsigned) noexcept override { ++wakes; }

  std::map<std::uint64_t, life> fibers;
  std::size_t stolen_items = 0;
  int wrong = 0;
  std::atomic<int> sleeps{0}, wakes{0};

 private:
  template <class Check>
  void note(std::uint64_t fiber, Check check) {
    const std::lock_guard guard(m_lock);
    if (fiber == 0 || !check(fibers[fiber])) ++wrong;
  }
  std::mutex m_lock;
};

TEST(Observer, SeesEveryStepOfEveryFiber_InOrder) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    recorder seen;
    options chosen = with_workers(workers);
    chosen.events = &seen;
    runtime home(chosen);
    std::uint64_t parent = 0;
    home.spawn([&] {
          parent = this_fiber::id();
          counter done;
          for (int i = 0; i < 100; ++i) {
            spawn_with_counter(done, [i] {
              for (int j = i % 3; j > 0; --j) yield();
            });
          }
          wait_for_counter(done);
        })
        .detach();
    home.run();
    EXPECT_EQ(seen.wrong, 0);
    ASSERT_EQ(seen.fibers.size(), 101U);
    for (const auto& [id, of] : seen.fibers) {
      EXPECT_EQ(of.started, 1);
      EXPECT_EQ(of.finished, 1);
      EXPECT_EQ(of.parent, id == parent ? 0 : parent);
      EXPECT_EQ(of.suspended, of.resumed);
    }
    EXPECT_EQ(seen.fibers[parent].woken, seen.fibers[parent].suspended);
    EXPECT_EQ(seen.sleeps, seen.wakes);
    std::uint64_t stolen = 0;
    for (const worker_statistics& each : home.statistics()) stolen += each.stolen_items;
    EXPECT_EQ(seen.stolen_items, stolen);
  }
}

struct driver_counts {
  std::atomic<int> made{0}, polls{0}, asleep{0}, interrupts{0}, destroyed{0};
};

class counting_driver final : public idle_driver {
 public:
  explicit counting_driver(driver_counts& counts) : m_counts(counts) { ++counts.made; }
  ~counting_driver() override { ++m_counts.destroyed; }
  bool poll() noexcept override { return ++m_counts.polls, false; }
  void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept override {
    ++m_counts.asleep;
    m_futex.wait(deadline);
    --m_counts.asleep;
  }
  void interrupt() noexcept override {
    ++m_counts.interrupts;
    m_futex.interrupt();
  }

 private:
  driver_counts& m_counts;
  futex_idle_driver<> m_futex;
};

TEST(IdleDriver, OfTheUser_SleepsAndIsInterrupted) {
  const watchdog limit("counting driver");
  driver_counts counts;
  options chosen = with_workers(3);
  idle_drivers_by drivers([&] { return std::make_unique<counting_driver>(counts); });
  chosen.drivers = &drivers;
  {
    runtime home(chosen);
    EXPECT_EQ(counts.made, 3);
    home.start();
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(test::eventually("all workers are in wait()", [&] { return counts.asleep == 3; }));
      auto fiber = home.spawn([] {});
      fiber.join();
    }
    home.stop();
    EXPECT_GT(counts.interrupts, 0);
  }
  EXPECT_EQ(counts.destroyed, 3);
}

TEST(IdleDriver, IsPolledWhileTheWorkerIsBusy) {
  driver_counts counts;
  options chosen = with_workers(1);
  idle_drivers_by drivers([&] { return std::make_unique<counting_driver>(counts); });
  chosen.drivers = &drivers;
  run(chosen, [&] {
    auto other = spawn([] {
      for (int i = 0; i < 1000; ++i) yield();
    });
    for (int i = 0; i < 1000; ++i) yield();
    other.join();
  });
  EXPECT_GE(counts.polls, 10);
  EXPECT_LE(counts.polls, 1500);  // every so often, not each time: every second time where a yield takes long
}

// wait() "may return for no reason": a driver that never sleeps makes a busy loop and nothing worse.
TEST(IdleDriver, ThatReturnsForNoReason_LosesNothing) {
  const watchdog limit("sleepless driver");
  struct sleepless final : idle_driver {
    void wait(std::optional<std::chrono::steady_clock::time_point>) noexcept override { std::this_thread::yield(); }
    void interrupt() noexcept override {}
  };
  options chosen = with_workers(3);
  idle_drivers_by drivers([] { return std::make_unique<sleepless>(); });
  chosen.drivers = &drivers;
  runtime home(chosen);
  home.start();
  for (int i = 0; i < 200; ++i) {
    auto fiber = home.spawn([i] {
      auto child = spawn([i] { return yield(), i; });
      return child.join();
    });
    EXPECT_EQ(fiber.join(), i);
  }
}

// A waker of a fiber is in no way known to the fiber's runtime, which may end before the waker is back from
// interrupt().
TEST(IdleDriver, IsNotDestroyed_WhileAWakerIsStillInInterrupt) {
  const watchdog limit("interrupt against destruction");
  struct slow final : idle_driver {
    std::atomic<bool>& destroyed;
    std::atomic<bool>& asleep;
    std::atomic<int>& too_late;
    futex_idle_driver<> futex;
    slow(std::atomic<bool>& gone, std::atomic<bool>& sleeps, std::atomic<int>& late)
        : destroyed(gone), asleep(sleeps), too_late(late) {}
    ~slow() override { destroyed = true; }
    void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept override {
      asleep = true;
      futex.wait(deadline);
    }
    void interrupt() noexcept override {
      std::atomic<bool>& gone = destroyed;
      std::atomic<int>& late = too_late;
      futex.interrupt();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (gone) ++late;
    }
  };
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> destroyed{false};
    std::atomic<bool> asleep{false};
    std::atomic<int> too_late{0};
    counter gate(1);
    std::thread stranger([&] {
      EXPECT_TRUE(test::eventually("the only worker is in wait()", [&] { return asleep.load(); }));
      gate.decrement();
    });
    options chosen = with_workers(1);
    idle_drivers_by drivers([&] { return std::make_unique<slow>(destroyed, asleep, too_late); });
    chosen.drivers = &drivers;
    run(chosen, [&] { wait_for_counter(gate); });
    stranger.join();
    EXPECT_EQ(too_late, 0);
  }
}

TEST(IdleDriver, ThatIsNull_IsRefused) {
  options chosen = with_workers(1);
  idle_drivers_by drivers([] { return std::unique_ptr<idle_driver>(); });
  chosen.drivers = &drivers;
  EXPECT_THROW(runtime{chosen}, bad_option);
}

}  // namespace
}  // namespace ramie
