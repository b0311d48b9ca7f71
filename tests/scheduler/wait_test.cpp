// Waits that may end for several reasons: each ends once, for one of them, and nothing is touched afterwards.
#include <support/fibers.hpp>
#include <support/scarce_backend.hpp>
#include <support/watchdog.hpp>

#include <ramie/base/random.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::message_of;
using test::with_workers;

class Wait : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Wait, ::testing::Values(1U, 2U, 4U));

TEST_P(Wait, ForAFiberThatEnds) {
  run(chosen, [] {
    auto fiber = spawn([] { return 5; });
    EXPECT_EQ(fiber.wait(24h), wake_reason::woken);
    EXPECT_TRUE(fiber.done());
    EXPECT_EQ(fiber.wait(0s), wake_reason::woken);
    EXPECT_EQ(fiber.join(), 5);
    auto fails = spawn([] { throw std::runtime_error("it failed"); });
    EXPECT_EQ(fails.wait(24h), wake_reason::woken);
    EXPECT_EQ(message_of<std::runtime_error>([&] { fails.join(); }), "it failed");
  });
}

TEST_P(Wait, ForAFiberThatTakesLonger) {
  run(chosen, [] {
    counter gate(1);
    auto fiber = spawn([&] {
      wait_for_counter(gate);
      return 5;
    });
    EXPECT_EQ(fiber.wait(0s), wake_reason::timed_out);
    EXPECT_EQ(fiber.wait(1ms), wake_reason::timed_out);
    EXPECT_EQ(fiber.wait(std::chrono::steady_clock::now() + 1ms), wake_reason::timed_out);
    std::stop_source stop;
    auto stops = spawn([&] { stop.request_stop(); });
    EXPECT_EQ(fiber.wait(stop.get_token()), wake_reason::cancelled);
    EXPECT_EQ(fiber.wait({24h, stop.get_token()}), wake_reason::cancelled);
    stops.join();
    EXPECT_FALSE(fiber.done());
    gate.decrement();
    EXPECT_EQ(fiber.join(), 5);
  });
}

TEST_P(Wait, ThatHasGivenUp_LeavesTheHandleAsItWas) {
  run(chosen, [] {
    counter gate(1);
    auto detached = spawn([&] { wait_for_counter(gate); });
    auto moved = spawn([&] { wait_for_counter(gate); });
    EXPECT_EQ(detached.wait(1ms), wake_reason::timed_out);
    EXPECT_EQ(moved.wait(1ms), wake_reason::timed_out);
    detached.detach();
    auto here = std::move(moved);
    gate.decrement();
    EXPECT_EQ(here.wait(24h), wake_reason::woken);
    here.join();
  });
}

TEST_P(Wait, ForACounter) {
  run(chosen, [] {
    counter one(2);
    EXPECT_EQ(wait_for_counter(one, 2, 24h), wake_reason::woken);
    EXPECT_EQ(wait_for_counter(one, 1, 0s), wake_reason::timed_out);
    EXPECT_EQ(wait_for_counter(one, 1, 1ms), wake_reason::timed_out);
    std::stop_source stop;
    auto stops = spawn([&] { stop.request_stop(); });
    EXPECT_EQ(wait_for_counter(one, 0, stop.get_token()), wake_reason::cancelled);
    stops.join();
    auto counts = spawn([&] { one.decrement(2); });
    EXPECT_EQ(wait_for_counter(one, 0, 24h), wake_reason::woken);
    counts.join();
    EXPECT_THROW(static_cast<void>(wait_for_counter(one, -1, 1ms)), misuse);
  });
}

TEST_P(Wait, ForACounter_BesideOthersThatWaitLonger) {
  run(chosen, [] {
    counter gate(1);
    counter done;
    for (int i = 0; i < 200; ++i) spawn_with_counter(done, [&] { wait_for_counter(gate); });
    for (int i = 0; i < 200; ++i) {
      spawn_with_counter(done, [&, i] {
        EXPECT_EQ(wait_for_counter(gate, 0, std::chrono::microseconds(i * 10)), wake_reason::timed_out);
      });
    }
    wait_for_counter(done, 200);
    EXPECT_EQ(done.value(), 200);
    gate.decrement();
    wait_for_counter(done);
  });
}

TEST_P(Wait, OfAThread) {
  runtime home(chosen);
  home.start();
  counter gate(1);
  auto fiber = home.spawn([&] { wait_for_counter(gate); });
  EXPECT_EQ(fiber.wait(1ms), wake_reason::timed_out);
  EXPECT_EQ(wait_for_counter(gate, 0, 1ms), wake_reason::timed_out);
  std::stop_source stop;
  std::thread other([&] { stop.request_stop(); });
  EXPECT_EQ(fiber.wait(stop.get_token()), wake_reason::cancelled);
  EXPECT_EQ(wait_for_counter(gate, 0, {24h, stop.get_token()}), wake_reason::cancelled);
  other.join();
  gate.decrement();
  EXPECT_EQ(fiber.wait(24h), wake_reason::woken);
  EXPECT_EQ(wait_for_counter(gate, 0, 24h), wake_reason::woken);
  fiber.join();
}

TEST(WaitMisuse, IsNamed) {
  EXPECT_EQ(message_of<misuse>([] { static_cast<void>(join_handle<int>().wait(1s)); }),
            "wait() on a handle without a fiber: it was joined, detached or moved from before");
  run(with_workers(1), [] {
    join_handle<void> self;
    self = spawn([&] { EXPECT_THROW(static_cast<void>(self.wait(1ms)), misuse); });
    self.join();
  });
}

// In the run loop, where no fiber is: what a refused task has captured waits with limits.
TEST(WaitBetweenFibers, EndsForEveryReason) {
  test::scarce_backend backend(1);
  options chosen = with_workers(1);
  chosen.backend = &backend;
  std::vector<wake_reason> reasons;
  const auto wait_in_every_way = [&] {
    backend.left = 100;
    counter never(1);
    counter soon(1);
    auto counts = spawn([&] { soon.decrement(); });
    std::stop_source stop;
    auto stops = spawn([&] { stop.request_stop(); });
    reasons.push_back(wait_for_counter(soon, 0, 24h));
    reasons.push_back(wait_for_counter(never, 0, 1ms));
    reasons.push_back(wait_for_counter(never, 0, stop.get_token()));
    reasons.push_back(sleep_for(1ms));
    reasons.push_back(counts.wait(24h));
    counts.join();
    stops.join();
  };
  ramie::run(chosen, [&] {
    struct at_end {
      const decltype(wait_in_every_way)* action;
      explicit at_end(const decltype(wait_in_every_way)& what) : action(&what) {}
      at_end(at_end&& other) noexcept : action(std::exchange(other.action, nullptr)) {}
      ~at_end() {
        if (action != nullptr) (*action)();
      }
    };
    auto refused = spawn([captured = at_end(wait_in_every_way)] {});
    EXPECT_THROW(refused.join(), spawn_error);
  });
  using enum wake_reason;
  EXPECT_EQ(reasons, (std::vector{woken, timed_out, cancelled, timed_out, woken}));
}

// ---- Deadlines that meet what is waited for ----

struct outcomes {
  std::atomic<int> woken{0}, timed_out{0}, cancelled{0};
  void count(wake_reason reason) {
    if (reason == wake_reason::woken) ++woken;
    if (reason == wake_reason::timed_out) ++timed_out;
    if (reason == wake_reason::cancelled) ++cancelled;
  }
  [[nodiscard]] int all() const { return woken + timed_out + cancelled; }
};

class WaitRace : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, WaitRace, ::testing::Values(1U, 2U, 4U));

// 200 fibers do something twenty times each, from every seed.
template <class Round>
void in_many_fibers(unsigned workers, const char* what, Round&& round) {
  for (const std::uint64_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::watchdog limit(what + (", seed " + std::to_string(seed)));
    run(with_workers(workers), [&] {
      counter done;
      for (unsigned i = 0; i < 200; ++i) {
        spawn_with_counter(done, [&, i] {
          random_source random(seed * 1'000 + i);
          for (int rounds = 0; rounds < 20; ++rounds) round(random);
        });
      }
      wait_for_counter(done);
    });
  }
}

// For a time that is drawn, or for one turn of the others.
void sleep_or_yield(unsigned drawn) {
  drawn % 2 == 0 ? static_cast<void>(sleep_for(std::chrono::microseconds(drawn))) : yield();
}

// A handle is waited for again and again, with deadlines around the end of its fiber, and a stop somewhere; each wait
// has a record and an arm on a part of the stack that is used again at once.
TEST_P(WaitRace, OfDeadlinesStopsAndTheEndOfAFiber) {
  outcomes seen;
  in_many_fibers(GetParam(), "waits and ends", [&](random_source& random) {
    auto fiber = spawn([life = random.below(60)] {
      sleep_or_yield(life);
      return 7;
    });
    std::stop_source stop;
    auto stops = spawn([&stop, wait = random.below(3)] {
      for (unsigned turn = 0; turn < wait; ++turn) yield();
      stop.request_stop();
    });
    const auto deadline = std::chrono::microseconds(random.below(60));
    seen.count(random.below(2) == 0 ? fiber.wait(deadline) : fiber.wait({deadline, stop.get_token()}));
    seen.count(fiber.wait(deadline / 2));
    EXPECT_EQ(fiber.join(), 7);
    stops.join();
  });
  EXPECT_EQ(seen.all(), static_cast<int>(test::seeds().size()) * 200 * 20 * 2);
}

// The counter is destroyed as soon as the wait allows that.
TEST_P(WaitRace, OfDeadlinesAndCounters) {
  outcomes seen;
  in_many_fibers(GetParam(), "waits and counters", [&](random_source& random) {
    auto awaited = std::make_unique<counter>(1);
    auto counts = spawn([&awaited = *awaited, wait = random.below(60)] {
      sleep_or_yield(wait);
      awaited.decrement();
    });
    const wake_reason reason = wait_for_counter(*awaited, 0, std::chrono::microseconds(random.below(60)));
    seen.count(reason);
    if (reason == wake_reason::woken) awaited.reset();
    counts.join();
  });
  EXPECT_EQ(seen.all(), static_cast<int>(test::seeds().size()) * 200 * 20);
}

TEST_P(WaitRace, OfThreads) {
  for (const std::uint64_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::watchdog limit("waits of threads, seed " + std::to_string(seed));
    runtime home(with_workers(GetParam()));
    home.start();
    outcomes seen;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 3; ++i) {
      threads.emplace_back([&, i] {
        random_source random(seed * 1'000 + i);
        for (int round = 0; round < 200; ++round) {
          auto fiber = home.spawn([life = random.below(80)] { sleep_for(std::chrono::microseconds(life)); });
          std::stop_source stop;
          auto stops = home.spawn([&stop] { stop.request_stop(); });
          const auto deadline = std::chrono::microseconds(random.below(150));
          seen.count(random.below(2) == 0 ? fiber.wait(deadline) : fiber.wait({deadline, stop.get_token()}));
          fiber.join();
          stops.join();
        }
      });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_EQ(seen.all(), 600);
  }
}

}  // namespace
}  // namespace ramie
