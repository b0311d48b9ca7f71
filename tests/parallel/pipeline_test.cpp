#include <ramie/parallel/pipeline.hpp>
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <parallel/ways.hpp>
#include <support/fibers.hpp>
#include <support/repetitions.hpp>
#include <support/scarce_backend.hpp>
#include <support/tracked.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using test::tracked;
using test::watchdog;
using test::with_workers;

/// 0 … count - 1.
auto numbers(int count) {
  return [count, next = 0]() mutable -> std::optional<int> {
    if (next == count) return {};
    return next++;
  };
}

class Pipeline : public test::in_each_way {};
INSTANTIATE_TEST_SUITE_P(Ways, Pipeline, ::testing::ValuesIn(test::all_ways({1, 2, 5})),
                         ::testing::PrintToStringParamName());

TEST_P(Pipeline, AStageInOrder_SeesTheItemsInOrder) {
  const watchdog limit("pipelines in order");
  test::in_runtime(GetParam().chosen(), [] {
    for (const int count : {0, 1, 2, 500}) {
      for (const std::size_t in_flight : {0U, 1U, 2U, 7U, 100U}) {
        std::vector<int> seen;
        std::vector<int> seen_before;
        pipeline({.in_flight = in_flight}, numbers(count), stage::parallel([](int x) {
                   if (x % 3 == 0) yield();  // so that others overtake it
                   if (x % 7 == 0) spawn([] { yield(); }).join();
                   return x;
                 }),
                 stage::in_order([&](int x) { return seen_before.push_back(x), x; }),
                 stage::parallel([](int x) { return x % 2 == 0 ? yield(), x : x; }),
                 stage::in_order([&](int x) { seen.push_back(x); }));
        EXPECT_EQ(seen_before, seen);
        ASSERT_EQ(seen.size(), static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
      }
    }
  });
}

TEST_P(Pipeline, ASerialStage_AdmitsOneAtATime_AndEachOnce) {
  const watchdog limit("serial stages");
  test::in_runtime(GetParam().chosen(), [] {
    int inside = 0;
    std::vector<int> passed(300);
    pipeline({.in_flight = 20}, numbers(300), stage::parallel([](int x) { return x % 2 == 0 ? yield(), x : x; }),
             stage::serial([&](int x) {
               EXPECT_EQ(++inside, 1);
               yield();
               --inside;
               ++passed[static_cast<std::size_t>(x)];
             }));
    EXPECT_EQ(passed, std::vector<int>(300, 1));
  });
}

// The stage waits until the pipeline is as full as it may be; were it ever fuller, the count would tell.
TEST_P(Pipeline, TheBound_IsReached_AndNotExceeded) {
  const watchdog limit("full pipelines");
  test::in_runtime(GetParam().chosen(), [] {
    for (const int bound : {1, 2, 3, 10, 50}) {
      std::atomic<int> in_flight{0};
      std::atomic<int> most{0};
      counter full(bound);
      pipeline(
          {.in_flight = static_cast<std::size_t>(bound)},
          [&, source = numbers(200)]() mutable {
            const std::optional<int> item = source();
            if (item) {
              const int now = ++in_flight;
              for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
              }
            }
            return item;
          },
          stage::parallel([&](int x) {
            if (x < bound) full.decrement();
            wait_for_counter(full);
            return x;
          }),
          stage::in_order([&](int) { --in_flight; }));
      EXPECT_EQ(most, bound);
    }
  });
}

TEST_P(Pipeline, ItsOwnBound_IsFourItemsAWorker) {
  const watchdog limit("a full pipeline");
  test::in_runtime(GetParam().chosen(), [] {
    const int bound = 4 * static_cast<int>(this_fiber::worker_count());
    counter full(bound);
    std::atomic<int> waiting{0};
    pipeline({}, numbers(100), stage::parallel([&](int x) {
               if (x < bound) full.decrement();
               EXPECT_LE(++waiting, bound);
               wait_for_counter(full);
               --waiting;
             }));
  });
}

struct parsed {
  explicit parsed(std::unique_ptr<int> from) : value(std::move(from)) {}
  std::unique_ptr<int> value;
};

TEST_P(Pipeline, ItemsChangeTheirType_AreOnlyMoved_AndNeedNoDefault) {
  test::in_runtime(GetParam().chosen(), [] {
    long sum = 0;
    int left = 100;
    pipeline(
        {.in_flight = 8},
        [&]() -> std::optional<std::unique_ptr<std::string>> {
          if (left == 0) return {};
          return std::make_unique<std::string>(std::to_string(left--));
        },
        stage::parallel(
            [](const std::unique_ptr<std::string>& text) { return parsed(std::make_unique<int>(std::stoi(*text))); }),
        stage::serial([](parsed number) { return number; }),
        stage::in_order([&](parsed number) { sum += *number.value; }));
    EXPECT_EQ(sum, 5050);
  });
}

TEST_P(Pipeline, TheExceptionOfTheEarliestItemLeaves_AndNothingIsLost) {
  const watchdog limit("pipelines that throw");
  test::in_runtime(GetParam().chosen(), [] {
    for (int round = 0; round < 40; ++round) {
      std::atomic<int> first{1000};
      const auto thrown = [&](int x) {
        for (int seen = first; x < seen && !first.compare_exchange_weak(seen, x);) {
        }
        throw x;
      };
      int caught = -1;
      int last = -1;
      try {
        int next = 0;
        pipeline(
            {.in_flight = 10},
            [&]() -> std::optional<tracked> {
              if (round % 4 == 0 && next == 100) thrown(next);
              return tracked(std::to_string(next++));
            },
            stage::parallel([&](tracked item) {
              const int number = std::stoi(item.text());
              if (number % 5 == round % 5) yield();
              if (round % 4 == 1 && number > 50 && number % 3 == 0) thrown(number);
              return item;
            }),
            stage::serial([&](tracked item) {
              const int number = std::stoi(item.text());
              if (round % 4 == 2 && number > 60) thrown(number);
              return item;
            }),
            stage::in_order([&](const tracked& item) {
              const int number = std::stoi(item.text());
              EXPECT_EQ(number, last + 1);
              last = number;
              if (round % 4 == 3 && number == 70) thrown(number);
            }));
      } catch (int which) {
        caught = which;
      }
      EXPECT_EQ(caught, first);
      EXPECT_GE(caught, 50);
      EXPECT_LE(last, caught);
      EXPECT_EQ(tracked::alive, 0);
    }
  });
}

TEST_P(Pipeline, AStopRequest_DropsWhatIsInFlight) {
  const watchdog limit("pipelines that are stopped");
  test::in_runtime(GetParam().chosen(), [] {
    for (int round = 0; round < 40; ++round) {
      std::stop_source stop;
      int next = 0;
      std::atomic<int> after{0};
      EXPECT_THROW(pipeline(
                       {.in_flight = 10, .stop = stop.get_token()},
                       [&]() -> std::optional<tracked> { return tracked(std::to_string(next++)); },
                       stage::parallel([&](tracked item) {
                         if (std::stoi(item.text()) % 3 == 0) yield();
                         return item;
                       }),
                       stage::in_order([&](const tracked& item) {
                         if (stop.stop_requested()) ++after;
                         if (item.text() == std::to_string(round * 5)) stop.request_stop();
                       })),
                   stopped);
      EXPECT_EQ(after, 0);
      EXPECT_LE(next, round * 5 + 11);
      EXPECT_EQ(tracked::alive, 0);
    }
    std::stop_source stop;
    stop.request_stop();
    int called = 0;
    const pipeline_policy how{.stop = stop.get_token()};
    EXPECT_THROW(pipeline(how, numbers(3), stage::serial([&](int) { ++called; })), stopped);
    EXPECT_EQ(called, 0);
  });
}

// On one worker nobody asks the source after the last item.
TEST(PipelinePieces, AStopRequestAfterTheLastItem_LeavesNothingUndone) {
  test::in_runtime(with_workers(1), [] {
    std::stop_source stop;
    pipeline(
        {.in_flight = 10, .stop = stop.get_token()},
        [&, source = numbers(20)]() mutable {
          const std::optional<int> item = source();
          if (!item) stop.request_stop();
          return item;
        },
        stage::in_order([](int) {}));
  });
}

TEST(PipelineFromOutside, AThreadThatRunsNoFiber_IsMisuseWithoutARuntime) {
  EXPECT_THROW(pipeline({}, numbers(1), stage::serial([](int) {})), misuse);
}

// Carriers that find nothing left to do are not called one by one.
TEST_P(Pipeline, AnyNumberInFlight_MayBeAllowed) {
  const watchdog limit("pipelines that may hold any number of items");
  test::in_runtime(GetParam().chosen(), [] {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    for (const std::size_t in_flight : {std::size_t{1'000'000'000'000}, most / 2, most / 2 + 1, most - 1, most}) {
      for (const int count : {0, 1, 300}) {
        int passed = 0;
        pipeline({.in_flight = in_flight}, numbers(count),
                 stage::parallel([](int x) { return x % 3 == 0 ? yield(), x : x; }), stage::in_order([&](int x) {
                   EXPECT_EQ(x, passed++);
                   if (x % 5 == 0) yield();
                 }));
        EXPECT_EQ(passed, count);
      }
    }
  });
}

// Carriers that get no stack had nothing in their hands.
TEST(PipelineWithoutStacks, DeliversEveryItem) {
  const watchdog limit("pipelines without stacks");
  for (const unsigned workers : {1U, 2U, 4U}) {
    for (const int stacks : {1, 2, 3}) {
      test::scarce_backend few(stacks);
      options scarce = with_workers(workers);
      scarce.backend = &few;
      int passed = 0;
      ramie::run(scarce, [&] {
        pipeline({.in_flight = 20}, numbers(300), stage::parallel([](int x) { return x % 2 == 0 ? yield(), x : x; }),
                 stage::in_order([&](int x) {
                   EXPECT_EQ(x, passed++);
                   if (x % 5 == 0) yield();
                 }));
      });
      EXPECT_EQ(passed, 300);
    }
  }
}

// Nanoseconds of the processor for an item in a pipeline where all but one wait for their turns.
double cost_of_an_item(std::size_t in_flight) {
  const auto processor_time = [] {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
  };
  constexpr int count = test::sanitized ? 5'000 : 10'000;
  int passed = 0;
  const double before = processor_time();
  pipeline({.in_flight = in_flight}, numbers(count), stage::in_order([&](int) {
             ++passed;
             yield();
           }));
  EXPECT_EQ(passed, count);
  return (processor_time() - before) / count;
}

// It was 2,500 times as much. Stacks that are in no cache cost something; of that no machine makes fifty times in each
// of many attempts.
TEST(PipelineCost, AnItemCostsTheSame_HoweverManyWait) {
  test::in_runtime(with_workers(1), [] {
    static_cast<void>(cost_of_an_item(4096));  // stacks
    EXPECT_TRUE(test::eventually("4,096 items in flight cost less than 50 times as much each as 16", [] {
      const double few = cost_of_an_item(16);
      return cost_of_an_item(4096) < 50 * few;
    }));
  });
}

class PipelineStorm : public test::in_each_way {};
INSTANTIATE_TEST_SUITE_P(Ways, PipelineStorm, ::testing::ValuesIn(test::all_ways({1, 2, 4, 16})),
                         ::testing::PrintToStringParamName());

TEST_P(PipelineStorm, OrderAndBoundHold_WhateverTheStagesDo) {
  const watchdog limit("storm of pipelines");
  for (const std::uint64_t seed : test::seeds(test::sanitized ? 5 : 40)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::in_runtime(GetParam().chosen(), [&] {
      const auto disturb = [seed](int x, std::uint64_t which) {
        std::minstd_rand random(static_cast<std::uint32_t>(seed * 1009 + static_cast<std::uint64_t>(x) * 31 + which));
        random.discard(3);
        switch (random() % 8) {
          case 0: yield(); break;
          case 1: spawn([] { yield(); }).join(); break;
          case 2: test::compute(std::chrono::microseconds(random() % 20)); break;
          case 3: test::erased_for(0, 20, [](int i) { i == 7 ? yield() : void(); }); break;
          default: break;
        }
      };
      const int bound = static_cast<int>(seed % 13 + 1), count = static_cast<int>(seed * 37 % 400);
      std::atomic<int> in_flight{0};
      int expected = 0, passed = 0;
      pipeline(
          {.in_flight = static_cast<std::size_t>(bound)},
          [&, source = numbers(count)]() mutable {
            const std::optional<int> item = source();
            if (item) {
              disturb(*item, 1);
              EXPECT_LE(++in_flight, bound);
            }
            return item;
          },
          stage::parallel([&](int x) { return disturb(x, 2), x; }),
          stage::serial([&](int x) { return disturb(x, 3), ++passed, x; }),
          stage::parallel([&](int x) { return disturb(x, 4), x; }), stage::in_order([&](int x) {
            disturb(x, 5);
            EXPECT_EQ(x, expected++);
            --in_flight;
          }));
      EXPECT_EQ(expected, count);
      EXPECT_EQ(passed, count);
    });
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace ramie
