// Drivers that complete things, by one whose kernel the test is (support/test_ring.hpp).
#include <support/eventually.hpp>
#include <support/fibers.hpp>
#include <support/test_ring.hpp>
#include <support/thread_backend.hpp>
#include <support/watchdog.hpp>

#include <ramie/base/random.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/sleep.hpp>
#include <ramie/topology/affinity.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::operation;
using test::perform;
using test::ring_group;
using test::test_ring;
using test::watchdog;
using test::with_workers;

options with_rings(ring_group& group, unsigned workers) {
  options chosen = with_workers(workers);
  chosen.drivers = &group;
  return chosen;
}

// Completes what it is given, in another thread, from a queue. Ends before the rings do: it may still be on its way out
// of complete() when the operation is over.
class kernel {
 public:
  ~kernel() {
    {
      const std::lock_guard guard(m_lock);
      m_over = true;
    }
    m_some.notify_all();
    m_thread.join();
  }
  void operator()(operation& submitted) {
    const std::lock_guard guard(m_lock);
    m_submitted.push_back(&submitted);
    m_some.notify_all();
  }

 private:
  void run() {
    std::unique_lock guard(m_lock);
    for (;;) {
      m_some.wait(guard, [&] { return m_over || !m_submitted.empty(); });
      if (m_submitted.empty()) return;
      std::vector<operation*> all = std::exchange(m_submitted, {});
      guard.unlock();
      for (operation* const each : all) each->on->complete(*each);
      guard.lock();
    }
  }
  std::mutex m_lock;
  std::condition_variable m_some;
  std::vector<operation*> m_submitted;
  bool m_over = false;
  std::thread m_thread{[this] { run(); }};
};

class Driver : public ::testing::TestWithParam<unsigned> {
 protected:
  ring_group group;
  options chosen = with_rings(group, GetParam());
  void TearDown() override {
    EXPECT_EQ(group.wrong_thread, 0);
    EXPECT_EQ(group.attached, group.detached);
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, Driver, ::testing::Values(1U, 2U, 4U));

TEST_P(Driver, IsAttachedToTheThreadOfItsWorker_InEveryRun) {
  runtime home(chosen);
  EXPECT_EQ(group.attached, 0);
  for (int i = 1; i <= 3; ++i) {
    home.start();
    home.stop();
    EXPECT_EQ(group.attached, i * static_cast<int>(GetParam()));
    EXPECT_EQ(group.detached, group.attached);
  }
  home.run();
  EXPECT_EQ(group.attached, 4 * static_cast<int>(GetParam()));
}

TEST_P(Driver, IsReachedByFibersOfItsWorker) {
  runtime home(chosen);
  home.spawn([&] {
        counter done;
        for (int i = 0; i < 100; ++i) {
          spawn_with_counter(done, [&] {
            for (int j = 0; j < 3; ++j) {
              test_ring* const mine = this_fiber::driver<test_ring>();
              ASSERT_NE(mine, nullptr);
              EXPECT_EQ(mine->index(), this_fiber::worker_index());
              yield();
            }
          });
        }
        wait_for_counter(done);
      })
      .detach();
  home.run();
  EXPECT_EQ(this_fiber::driver<test_ring>(), nullptr);
}

struct other_kind final : idle_driver {
  static constexpr driver_kind kind{"another"};
  other_kind() : idle_driver(&kind) {}
  void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept override { futex.wait(deadline); }
  void interrupt() noexcept override { futex.interrupt(); }
  futex_idle_driver<> futex;
};

TEST(DriverOfAnotherKind, IsNone) {
  options chosen = with_workers(1);
  run(chosen, [] { EXPECT_EQ(this_fiber::driver<test_ring>(), nullptr); });
  idle_drivers_by drivers([] { return std::make_unique<other_kind>(); });
  chosen.drivers = &drivers;
  run(chosen, [] {
    EXPECT_EQ(this_fiber::driver<test_ring>(), nullptr);
    EXPECT_NE(this_fiber::driver<other_kind>(), nullptr);
  });
}

TEST_P(Driver, CompletesWhatFibersSubmit) {
  const watchdog limit("operations");
  std::atomic<int> performed{0};
  runtime home(chosen);
  kernel completes;
  home.start();
  for (int i = 0; i < 50; ++i) {
    home.spawn([&] {
          for (int j = 0; j < 50; ++j) {
            operation mine;
            perform(mine, completes);
            ++performed;
          }
        })
        .detach();
  }
  home.stop();
  EXPECT_EQ(performed, 2'500);
  EXPECT_EQ(group.reaped, 2'500);
}

// What attach() makes is near the processor on which the worker runs, and may be bound to it.
struct attached_where final : idle_driver {
  explicit attached_where(std::vector<std::size_t>& of) : processors(of) {}
  void attach(worker& /*to*/) override { processors.push_back(topology::allowed_cpus().size()); }
  void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept override { futex.wait(deadline); }
  void interrupt() noexcept override { futex.interrupt(); }
  futex_idle_driver<> futex;
  std::vector<std::size_t>& processors;  // one thread after another attaches
};

TEST(Drivers, OnAnExecutionBackend_AreRefused) {
  test::thread_backend threads;
  ring_group group;
  options chosen = with_rings(group, 1);
  chosen.backend = &threads;
  EXPECT_THROW(runtime{chosen}, bad_option);
}

TEST(Drivers, OfPinnedWorkers_AreAttachedWhereTheyRun) {
  const std::size_t before = topology::allowed_cpus().size();
  std::vector<std::size_t> processors;
  options chosen = with_workers(2);
  chosen.pin = true;
  idle_drivers_by drivers([&] { return std::make_unique<attached_where>(processors); });
  chosen.drivers = &drivers;
  runtime home(chosen);
  home.start();
  home.spawn([] { const detail::without_worker blocking; }).join();
  home.stop();
  home.run();
  EXPECT_EQ(processors, std::vector<std::size_t>(5, 1));
  EXPECT_EQ(topology::allowed_cpus().size(), before);
}

// ---- Where attach() throws ----

TEST_P(Driver, ThatCannotBeAttached_LetsNoRunBegin) {
  runtime home(chosen);
  bool ran = false;
  auto fiber = home.spawn([&] { ran = true; });
  for (unsigned works = 0; works < GetParam(); ++works) {
    group.attaches_left = static_cast<int>(works);
    EXPECT_EQ(test::message_of<std::runtime_error>([&] { home.run(); }), "no ring");
    group.attaches_left = static_cast<int>(works);
    EXPECT_EQ(test::message_of<std::runtime_error>([&] { home.start(); }), "no ring");
    EXPECT_FALSE(home.is_running());
    EXPECT_EQ(group.attached, group.detached);
  }
  EXPECT_FALSE(ran);
  group.attaches_left = 1'000;
  home.run();
  fiber.join();
  EXPECT_TRUE(ran);
}

// In the middle of a run the worker goes on without it, and has it again later.
TEST_P(Driver, ThatCannotBeAttachedToAnotherThread_IsReplacedByAFutex) {
  const watchdog limit("a worker without its driver");
  runtime home(chosen);
  home.start();
  home.spawn([&] {
        group.attaches_left = 0;
        {
          const detail::without_worker blocking;
          EXPECT_TRUE(blocking.is_given_away());
          EXPECT_EQ(this_fiber::driver<test_ring>(), nullptr);
          home.spawn([] {}).join();
        }
        for (int i = 0; i < 20; ++i) {
          EXPECT_EQ(sleep_for(200us), wake_reason::timed_out);
          home.spawn([] { yield(); }).join();
        }
        group.attaches_left = 1'000'000;
      })
      .join();
  // Each worker that has lost it tries again before it sleeps.
  EXPECT_TRUE(test::eventually("all have their drivers again", [&] {
    home.spawn([] {}).join();
    return group.attached - group.detached == static_cast<int>(GetParam());
  }));
  home.stop();
}

TEST_P(Driver, GoesWithItsWorkerToAnotherThread) {
  const watchdog limit("hand-over of drivers");
  const int rounds = test::sanitized ? 20 : 100;
  runtime home(chosen);
  kernel completes;
  home.start();
  for (int i = 0; i < 10; ++i) {
    home.spawn([&] {
          for (int j = 0; j < rounds; ++j) {
            operation first, second;
            this_fiber::driver<test_ring>()->submit(first);  // is under way while the worker changes threads
            completes(first);
            {
              const detail::without_worker blocking;
              std::this_thread::yield();
            }
            perform(second, completes);
            wait_for_counter(first.done);
          }
        })
        .detach();
  }
  home.stop();
  EXPECT_EQ(group.reaped, 20 * rounds);
}

// ---- The loop's stack ----

TEST_P(Driver, MayTakeMoreStackThanAFiberHas) {
  const watchdog limit("deep stacks");
  group.stack_of_reap = std::size_t{100} << 10U;
  chosen.stack_size = bytes(std::size_t{32} << 10U);
  runtime home(chosen);
  kernel completes;
  home.start();
  std::atomic<bool> over{false};
  auto yields = home.spawn([&] {
    while (!over) yield();
  });
  auto spawns = home.spawn([&] {
    while (!over) spawn([] {}).join();
  });
  auto runs_jobs = home.spawn([&] {
    while (!over) {
      auto one = job::create([] {});
      job::run(one);
      job::wait(one);
    }
  });
  auto performs = home.spawn([&] {
    for (int i = 0; i < 300; ++i) {
      operation mine;
      perform(mine, completes);
    }
  });
  performs.join();
  over = true;
  home.stop();
  yields.join();
  spawns.join();
  runs_jobs.join();
  EXPECT_EQ(group.reaped, 300);
}

// ---- Completions of a busy worker ----

// One worker in a long task, which has submitted an operation; the other one takes the completion. Twenty times, with
// beside(home, operation, continued) before it completes, which returns what is to be joined.
template <class Beside>
void complete_for_a_busy_worker(runtime& home, Beside&& beside) {
  home.start();
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> busy{false}, continued{false};
    operation mine;
    auto waits = home.spawn([&] {
      auto computes = spawn([&] {
        this_fiber::driver<test_ring>()->submit(mine);
        busy = true;
        EXPECT_TRUE(test::eventually("the other worker takes the completion", [&] { return continued.load(); }));
      });
      wait_for_counter(mine.done);
      continued = true;
      computes.join();
    });
    ASSERT_TRUE(test::eventually("the long task runs", [&] { return busy.load(); }));
    auto others = beside(mine, continued);
    mine.on->complete(mine);
    waits.join();
    for (auto& each : others) each.join();
  }
  home.stop();
}

// The other worker is asleep: it wakes.
TEST(Drivers, CompletionsOfABusyWorker_AreTakenByOneThatSleeps) {
  const watchdog limit("reaping by a sleeper");
  ring_group group;
  runtime home(with_rings(group, 2));
  complete_for_a_busy_worker(home, [&](const operation& mine, const std::atomic<bool>&) {
    EXPECT_TRUE(
        test::eventually("the other worker sleeps", [&] { return group.rings[1 - mine.on->index()]->asleep.load(); }));
    return std::vector<join_handle<void>>();
  });
  EXPECT_EQ(group.reaped_by_others, 20);
  EXPECT_EQ(group.wrong_thread, 0);
}

// The other worker is busy, but with short pieces.
TEST(Drivers, CompletionsOfABusyWorker_AreTakenByOneThatPolls) {
  const watchdog limit("reaping by a busy worker");
  ring_group group;
  runtime home(with_rings(group, 2));
  std::atomic<int> yields{0};
  complete_for_a_busy_worker(home, [&](const operation&, const std::atomic<bool>& continued) {
    yields = 0;
    std::vector<join_handle<void>> short_pieces;
    for (int i = 0; i < 2; ++i) {
      short_pieces.push_back(home.spawn([&] {
        while (!continued) yield(), ++yields;
      }));
    }
    EXPECT_TRUE(test::eventually("the other is busy too", [&] { return yields > 1'000; }));
    return short_pieces;
  });
  EXPECT_EQ(group.reaped_by_others, 20);
}

// ---- The list of sleepers ----

// Two completions at once for a worker that sleeps: it wakes the other for the second, and not itself.
TEST(Drivers, AWorkerThatItsDriverWakes_LeavesTheListFirst) {
  const watchdog limit("two completions at once");
  ring_group group;
  runtime home(with_rings(group, 2));
  home.start();
  for (int round = 0; round < 20; ++round) {
    operation mine[2];
    std::atomic<int> submitted{0}, together{0};
    auto both = home.spawn([&] {
      test_ring* const here = this_fiber::driver<test_ring>();
      counter done;
      for (operation& each : mine) {
        here->submit(each);
        spawn_with_counter(done, [&] {
          ++submitted;
          wait_for_counter(each.done);
          ++together;
          EXPECT_TRUE(test::eventually("both run at once", [&] { return together == 2; }));
        });
      }
      wait_for_counter(done);
    });
    ASSERT_TRUE(test::eventually("both wait, and both workers sleep",
                                 [&] { return submitted == 2 && group.rings[0]->asleep && group.rings[1]->asleep; }));
    mine[0].on->complete({&mine[0], &mine[1]});
    both.join();
  }
  EXPECT_EQ(group.own_interrupts, 0);  // before the end, which a worker in the list may find itself, and tell all
  home.stop();
}

// ---- Sleeping often ----

// Operations that complete soon after a sleep has begun, again and again: sleeps that are not announced.
TEST(Drivers, AWorkerThatSleepsOftenAndShortly_AnnouncesFewSleeps) {
  const watchdog limit("naps");
  ring_group group;
  options chosen = with_rings(group, 1);
  chosen.spin = 0ns;
  runtime home(chosen);
  std::atomic<operation*> submitted{nullptr};
  std::atomic<bool> over{false};
  std::thread completes([&] {
    while (!over) {
      if (operation* const one = submitted.exchange(nullptr)) one->on->complete(*one);
    }
  });
  home.start();
  // A busy machine makes naps too long; then they are announced again.
  EXPECT_TRUE(test::eventually("nine of ten sleeps are naps", [&] {
    const auto before = home.statistics()[0];
    home.spawn([&] {
          for (int i = 0; i < 1'000; ++i) {
            operation mine;
            perform(mine, [&](operation& each) { submitted = &each; });
          }
        })
        .join();
    const auto after = home.statistics()[0];
    return after.naps - before.naps > 9 * (after.parks - before.parks);
  }));
  over = true;
  completes.join();
  home.stop();
}

// Work of others is found after a nap, and a run ends; nothing relies on one who naps.
TEST_P(Driver, Naps_DelayNothingForLong) {
  const watchdog limit("naps beside tasks");
  chosen.spin = 0ns;
  runtime home(chosen);
  kernel completes;
  for (int round = 0; round < 5; ++round) {
    home.start();
    std::atomic<bool> over{false};
    std::vector<join_handle<void>> all;
    for (int i = 0; i < 4; ++i) {
      all.push_back(home.spawn([&] {
        while (!over) {
          operation mine;
          perform(mine, completes);
        }
      }));
    }
    for (int i = 0; i < 100; ++i) {
      home.spawn([] { return spawn([] { return sleep_for(20us); }).join(); }).join();
    }
    over = true;
    for (auto& each : all) each.join();
    home.stop();
  }
}

// ---- All of it at once ----

TEST_P(Driver, StormOfOperations) {
  for (const std::uint64_t seed : test::seeds(2)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const watchdog limit("storm of operations, seed " + std::to_string(seed));
    std::atomic<int> performed{0};
    const int fibers = 40;
    const int rounds = test::sanitized ? 20 : 200;
    const int before = group.reaped;
    runtime home(chosen);
    kernel one, two;
    home.start();
    for (int i = 0; i < fibers; ++i) {
      home.spawn([&, from = seed * 1'000 + static_cast<std::uint64_t>(i)] {
            random_source random(from);
            for (int j = 0; j < rounds; ++j) {
              operation mine;
              perform(mine, random.below(2) == 0 ? one : two);
              ++performed;
              switch (random.below(8)) {
                case 0: yield(); break;
                case 1: {
                  const detail::without_worker blocking;
                  break;
                }
                case 2: static_cast<void>(sleep_for(10us)); break;
                case 3: {
                  const auto [left, right] = fork_join([] { return 1; }, [] { return 2; });
                  EXPECT_EQ(left + right, 3);
                  break;
                }
                case 4: spawn([] { yield(); }).join(); break;
                default: break;
              }
            }
          })
          .detach();
    }
    home.stop();
    EXPECT_EQ(performed, fibers * rounds);
    EXPECT_EQ(group.reaped - before, fibers * rounds);
    group.rings.clear();
  }
}

}  // namespace
}  // namespace ramie
