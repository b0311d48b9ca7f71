// Fibers that give their worker to another thread and come back without one.
#include <support/fibers.hpp>
#include <support/scarce_backend.hpp>
#include <support/watchdog.hpp>

#include <ramie/base/random.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/idle_driver.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using detail::without_worker;
using test::message_of;
using test::with_workers;

class HandOver : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, HandOver, ::testing::Values(1U, 2U, 4U));

// One worker: while a fiber blocks its thread, others run.
TEST_P(HandOver, LetsOthersRunMeanwhile) {
  run(chosen, [] {
    std::atomic<bool> ran{false};
    auto other = spawn([&] { ran = true; });
    {
      const without_worker blocking;
      ASSERT_TRUE(blocking.is_given_away());
      EXPECT_TRUE(test::eventually("the other fiber runs", [&] { return ran.load(); }));
    }
    other.join();
  });
}

TEST_P(HandOver, GoesOnAsBefore) {
  for (int round = 0; round < 20; ++round) {
    runtime home(chosen);
    auto first = home.spawn(spawn_options{.name = "blocks"}, [&] {
      const auto id = this_fiber::id();
      const auto thread = std::this_thread::get_id();
      {
        const without_worker blocking;
        EXPECT_EQ(std::this_thread::get_id(), thread);
        EXPECT_EQ(this_fiber::id(), id);
        EXPECT_EQ(this_fiber::name(), "blocks");
        EXPECT_EQ(this_fiber::worker_count(), home.worker_count());
        EXPECT_LT(this_fiber::worker_index(), home.worker_count());
        yield();
      }
      EXPECT_EQ(this_fiber::id(), id);
      EXPECT_LT(this_fiber::worker_index(), home.worker_count());
      yield();
      return 5;
    });
    home.run();
    EXPECT_EQ(first.join(), 5);
  }
}

TEST_P(HandOver, WithinAnotherOne_KeepsWhatThereIs) {
  run(chosen, [] {
    const without_worker outer;
    const without_worker inner;
    EXPECT_TRUE(outer.is_given_away());
    EXPECT_FALSE(inner.is_given_away());
  });
}

TEST(HandOverElsewhere, DoesNothing) {
  const without_worker on_a_thread;
  EXPECT_FALSE(on_a_thread.is_given_away());
  test::scarce_backend backend(100);
  options chosen = with_workers(1);
  chosen.backend = &backend;
  run(chosen, [] {
    const without_worker on_a_backend;
    EXPECT_FALSE(on_a_backend.is_given_away());
  });
}

// In between it is as on any thread: what it starts runs, what it waits for wakes it.
TEST_P(HandOver, MayDoWhatThreadsMay) {
  run(chosen, [] {
    counter from_elsewhere(1);
    auto counts = spawn([&] { from_elsewhere.decrement(); });
    const without_worker blocking;
    wait_for_counter(from_elsewhere);
    counts.join();
    EXPECT_EQ(spawn([] { return this_fiber::worker_count(); }).join(), this_fiber::worker_count());
    const auto [one, two] = fork_join([] { return 1; }, [] { return 2; });
    EXPECT_EQ(one + two, 3);
    std::vector<int> numbers(1'000, 1);
    EXPECT_EQ(ramie::reduce(parallel_policy{}, numbers.begin(), numbers.end(), 0, std::plus<>()), 1'000);
    EXPECT_EQ(sleep_for(1ms), wake_reason::timed_out);
    counter never(1);
    EXPECT_EQ(wait_for_counter(never, 0, 1ms), wake_reason::timed_out);
  });
}

TEST_P(HandOver, OfAJob_MayRunChildren) {
  run(chosen, [] {
    std::atomic<int> ran{0};
    auto parent = job::create([&](job::context& here) {
      here.run_child([&] { ++ran; });
      {
        const without_worker blocking;
        for (int i = 0; i < 10; ++i) here.run_child([&] { ++ran; });
      }
      here.run_child([&] { ++ran; });
    });
    job::run(parent);
    job::wait(parent);
    EXPECT_EQ(ran, 12);
  });
}

TEST_P(HandOver, LeavesForksToOthers) {
  run(chosen, [] {
    const auto [blocked, forked] = fork_join(
        [] {
          const without_worker blocking;
          std::this_thread::sleep_for(1ms);
          return 1;
        },
        [] { return 2; });
    EXPECT_EQ(blocked + forked, 3);
  });
}

TEST_P(HandOver, KeepsExceptionsWithTheirFiber) {
  run(chosen, [] {
    counter done;
    for (int i = 0; i < 20; ++i) {
      spawn_with_counter(done, [i] {
        try {
          throw std::runtime_error(std::to_string(i));
        } catch (const std::runtime_error& outer) {
          {
            const without_worker blocking;
            EXPECT_EQ(message_of<std::logic_error>([] { throw std::logic_error("within"); }), "within");
          }
          yield();
          EXPECT_EQ(message_of<std::runtime_error>([] { throw; }), std::to_string(i));
          EXPECT_EQ(outer.what(), std::to_string(i));
        }
      });
    }
    wait_for_counter(done);
  });
}

TEST_P(HandOver, OfAllFibersAtOnce) {
  run(chosen, [] {
    constexpr int fibers = 20;
    std::atomic<int> blocked{0};
    counter done;
    for (int i = 0; i < fibers; ++i) {
      spawn_with_counter(done, [&] {
        const without_worker blocking;
        ++blocked;
        EXPECT_TRUE(test::eventually("all are blocked at once", [&] { return blocked == fibers; }));
      });
    }
    wait_for_counter(done);
  });
}

TEST_P(HandOver, OfARuntimeThatIsStartedAndStopped) {
  for (int round = 0; round < 50; ++round) {
    runtime home(chosen);
    home.start();
    std::atomic<int> back{0};
    for (int i = 0; i < 5; ++i) {
      home.spawn([&back, i] {
            const without_worker blocking;
            std::this_thread::sleep_for(std::chrono::microseconds(i * 50));
            ++back;
          })
          .detach();
    }
    home.stop();
    EXPECT_EQ(back, 5);
    home.start();
    EXPECT_EQ(home.spawn([] {
                    const without_worker blocking;
                    return blocking.is_given_away();
                  })
                  .join(),
              true);
  }
}

TEST_P(HandOver, MisusesAreNamed_AsOnAWorker) {
  runtime home(chosen);
  home.start();
  join_handle<void> self;
  counter given(1), tried(1);
  self = home.spawn([&] {
    wait_for_counter(given);
    const without_worker blocking;
    ASSERT_TRUE(blocking.is_given_away());
    EXPECT_THROW(home.stop(), misuse);
    EXPECT_THROW(self.join(), misuse);
    EXPECT_THROW(static_cast<void>(self.wait(1ms)), misuse);
    tried.decrement();
    runtime another(with_workers(1));
    another.spawn([] {}).detach();
    EXPECT_THROW(another.run(), misuse);
    another.start();
    EXPECT_EQ(another.spawn([] { return 5; }).join(), 5);
  });
  given.decrement();
  wait_for_counter(tried);
  self.join();
}

// Notes the rounding mode of the loop that attaches it.
class rounding_noted final : public idle_driver {
 public:
  explicit rounding_noted(std::atomic<int>& in) : m_mode(in) {}
  void attach(worker& /*to*/) override { m_mode = std::fegetround(); }
  void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept override { m_sleep.wait(deadline); }
  void interrupt() noexcept override { m_sleep.interrupt(); }

 private:
  std::atomic<int>& m_mode;
  futex_idle_driver<> m_sleep;
};

bool blocks(int signal) {
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

// A thread inherits the signal mask and the rounding mode of the thread that starts it, and here that is a fiber's.
TEST(HandOverToANewThread, TheThreadIsAsThoseOfTheRun_NotAsTheFiber) {
  std::atomic<int> mode_of_loop{-1};
  idle_drivers_by drivers([&] { return std::make_unique<rounding_noted>(mode_of_loop); });
  options chosen = with_workers(1);
  chosen.drivers = &drivers;
  bool blocked_elsewhere = true;
  run(chosen, [&] {
    sigset_t one;
    sigset_t before;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    ::pthread_sigmask(SIG_BLOCK, &one, &before);
    std::fesetround(FE_UPWARD);
    mode_of_loop = -1;
    {
      const without_worker blocking;
      ASSERT_TRUE(blocking.is_given_away());
      blocked_elsewhere = spawn([] { return blocks(SIGUSR2); }).join();
      ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    std::fesetround(FE_TONEAREST);
  });
  EXPECT_EQ(mode_of_loop, FE_TONEAREST);
  EXPECT_FALSE(blocked_elsewhere);
}

// Nothing is lost, and the counts of the workers add up, while workers change threads ten thousand times with forks,
// joins, counters and exceptions in flight.
TEST_P(HandOver, TenThousandTimes) {
  const std::uint64_t hand_overs = test::sanitized ? 1'000 : 10'000;
  for (const std::uint64_t seed : test::seeds(2)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::watchdog limit("hand-overs, seed " + std::to_string(seed));
    runtime home(chosen);
    std::atomic<std::uint64_t> given{0};
    const auto maybe_without_worker = [&](random_source& random) {
      if (random.below(3) == 0) return;
      const without_worker blocking;
      if (blocking.is_given_away()) ++given;
      if (random.below(8) == 0) std::this_thread::yield();
    };
    const auto tree = [&](auto& again, std::uint64_t below, int depth) -> std::uint64_t {
      random_source random(below);
      maybe_without_worker(random);
      if (depth == 0) return 1;
      const std::uint64_t left = random.next(), right = random.next();
      std::uint64_t sum = 0;
      switch (random.below(4)) {
        case 0: {
          const auto [one, two] =
              fork_join([&] { return again(again, left, depth - 1); }, [&] { return again(again, right, depth - 1); });
          sum = one + two;
          break;
        }
        case 1: {
          auto one = spawn([&] { return again(again, left, depth - 1); });
          sum = again(again, right, depth - 1);
          sum += one.join();
          break;
        }
        case 2: {
          counter done;
          std::atomic<std::uint64_t> both{0};
          spawn_with_counter(done, [&] { both += again(again, left, depth - 1); });
          spawn_with_counter(done, [&] { both += again(again, right, depth - 1); });
          wait_for_counter(done);
          sum = both;
          break;
        }
        default: try { throw left;
          } catch (const std::uint64_t caught) {
            sum = again(again, caught, depth - 1);
            maybe_without_worker(random);
          }
          sum += again(again, right, depth - 1);
      }
      maybe_without_worker(random);
      return sum;
    };
    constexpr int depth = 7;
    std::uint64_t trees = 0;
    std::vector<join_handle<std::uint64_t>> all;
    home.start();
    while (given < hand_overs) {
      for (int i = 0; i < 4; ++i) {
        all.push_back(
            home.spawn([&tree, tree_seed = seed * 1'000'000 + ++trees] { return tree(tree, tree_seed, depth); }));
      }
      for (auto& each : all) EXPECT_EQ(each.join(), 1U << depth);
      all.clear();
    }
    home.stop();
  }
}

}  // namespace
}  // namespace ramie
