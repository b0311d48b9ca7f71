#include <ramie/parallel/for.hpp>
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <parallel/ways.hpp>
#include <support/fibers.hpp>
#include <support/repetitions.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <ranges>
#include <span>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using test::erased_for;
using test::watchdog;
using test::with_workers;

class ParallelFor : public test::in_each_way {};
INSTANTIATE_TEST_SUITE_P(Ways, ParallelFor, ::testing::ValuesIn(test::all_ways({1, 2, 5})),
                         ::testing::PrintToStringParamName());

TEST_P(ParallelFor, EachIndex_IsRunOnce) {
  const watchdog limit("loops of many sizes");
  test::in_runtime(GetParam().chosen(), [] {
    constexpr int many = test::sanitized ? 5000 : 100'000;
    for (const int count : {0, 1, 2, 3, 7, 64, 255, 256, 257, 511, 513, 1000, 4097, many}) {
      for (const std::size_t grain : {0U, 1U, 3U, 1000U}) {
        std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
        erased_for({.grain = grain}, 0, count, [&](int i) { ++runs.at(static_cast<std::size_t>(i)); });
        for (std::size_t i = 0; i < runs.size(); ++i)
          ASSERT_EQ(runs[i], 1) << i << " of " << count << ", grain " << grain;
      }
    }
  });
}

TEST_P(ParallelFor, IndicesOfAnyType_KeepTheirValue) {
  test::in_runtime(GetParam().chosen(), [] {
    std::atomic<int> runs{0};
    std::atomic<int> sum{0};
    const auto count = [&](auto i) {
      ++runs;
      sum += static_cast<int>(i);
    };
    parallel_for(std::int8_t{-128}, std::int8_t{127}, count);
    EXPECT_EQ(runs, 255);
    EXPECT_EQ(sum, -255);
    runs = sum = 0;
    parallel_for(-3, 4L, [&](auto i) {
      static_assert(std::is_same_v<decltype(i), long>);
      count(i);
    });
    EXPECT_EQ(runs, 7);
    EXPECT_EQ(sum, 0);
    parallel_for(0, std::size_t{10}, count);
    EXPECT_EQ(sum, 45);

    // More than the largest int.
    constexpr int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
    std::atomic<int> before{0};
    std::stop_source stop;
    EXPECT_THROW(parallel_for({.stop = stop.get_token()}, least, most,
                              [&](int i) {
                                if (i == least) stop.request_stop();
                                if (i > most - 10) ++before;
                              }),
                 stopped);
    parallel_for(most - 10, most, [&](int i) { before += i > most - 10 ? 100 : 0; });
    EXPECT_EQ(before / 100, 9);
  });
}

TEST_P(ParallelFor, NothingToDo_IsNothing) {
  test::in_runtime(GetParam().chosen(), [] {
    const auto never = [](auto) { ADD_FAILURE(); };
    parallel_for(0, 0, never);
    parallel_for(5, -5, never);
    parallel_for(0U, -1, never);
    const std::vector<int> none;
    ramie::for_each(none, never);
    EXPECT_EQ(ramie::for_each_n(none.begin(), -1, never), none.begin());
    std::stop_source stop;
    stop.request_stop();
    parallel_for({.stop = stop.get_token()}, 0, 0, never);  // nothing was left undone
    EXPECT_THROW(parallel_for(-1, 5U, never), misuse);
  });
}

TEST_P(ParallelFor, Ranges_OfEveryRandomAccessKind) {
  test::in_runtime(GetParam().chosen(), [] {
    std::vector<int> numbers(1000, 1);
    std::deque<int> queue(1000, 2);
    std::array<int, 1000> array{};
    int plain[1000] = {};
    std::atomic<int> sum{0};
    const auto add = [&](const int& x) { sum += x; };
    const auto raise = [](int& x) { x += 3; };
    ramie::for_each(numbers, raise);
    ramie::for_each(queue.begin(), queue.end(), raise);
    ramie::for_each(array, raise);
    ramie::for_each(plain, raise);
    ramie::for_each({.grain = 10}, std::span(plain), raise);
    ramie::for_each(std::as_const(numbers), add);
    EXPECT_EQ(sum.exchange(0), 4000);
    ramie::for_each(queue.cbegin(), queue.cend(), add);
    EXPECT_EQ(sum.exchange(0), 5000);
    ramie::for_each(array, add);
    EXPECT_EQ(sum.exchange(0), 3000);
    ramie::for_each(plain, add);
    EXPECT_EQ(sum.exchange(0), 6000);
    ramie::for_each(std::views::iota(0, 100), [&](int i) { sum += i; });
    EXPECT_EQ(sum.exchange(0), 4950);
    ramie::for_each({}, numbers | std::views::transform([](int x) { return 2 * x; }), add);
    EXPECT_EQ(sum.exchange(0), 8000);
    const std::vector<bool> bits(100, true);
    ramie::for_each(bits, [&](bool bit) { sum += bit ? 1 : 0; });
    EXPECT_EQ(sum.exchange(0), 100);
    EXPECT_EQ(ramie::for_each_n(numbers.begin(), 10, raise), numbers.begin() + 10);
    EXPECT_EQ(numbers[9], 7);
    EXPECT_EQ(numbers[10], 4);
    std::vector<std::unique_ptr<int>> owned(100);
    ramie::for_each(owned, [](auto& each) { each = std::make_unique<int>(1); });
    EXPECT_EQ(*owned[99], 1);
  });
}

TEST_P(ParallelFor, Elements_MayYieldWaitSpawnAndFork) {
  const watchdog limit("elements that do what fibers may");
  test::in_runtime(GetParam().chosen(), [] {
    std::atomic<int> done{0};
    erased_for(0, 200, [&](int i) {
      switch (i % 4) {
        case 0: yield(); break;
        case 1: spawn([] { yield(); }).join(); break;
        case 2: erased_for(0, 50, [&](int) { ++done; }); break;
        default: {
          counter released(1);
          spawn([&] { released.decrement(); }).detach();
          wait_for_counter(released);
        }
      }
      ++done;
    });
    EXPECT_EQ(done, 200 + 50 * 50);
  });
}

// The thief finds everything but one element, so even an element that waits for the range's other end can.
TEST_P(ParallelFor, AFirstElementThatBlocks_HoldsNothingUp) {
  const watchdog limit("a first element that waits for the last one");
  test::in_runtime(GetParam().chosen(), [] {
    counter last(1);
    erased_for(0, 1000, [&](int i) {
      if (i == 0) wait_for_counter(last);
      if (i == 999) last.decrement();
    });
  });
}

TEST_P(ParallelFor, OfSeveralExceptions_TheFirstInOrderLeaves_WhenAllHaveReturned) {
  const watchdog limit("elements that throw");
  test::in_runtime(GetParam().chosen(), [] {
    for (int round = 0; round < 50; ++round) {
      std::atomic<int> first{1000};
      std::atomic<int> running{0};
      int caught = -1;
      try {
        erased_for(0, 1000, [&](int i) {
          ++running;
          if (round % 2 == 0) yield();
          --running;
          if (i % (round + 7) == 5) {
            for (int seen = first; i < seen && !first.compare_exchange_weak(seen, i);) {
            }
            throw i;
          }
        });
      } catch (int which) {
        caught = which;
      }
      EXPECT_EQ(running, 0);
      EXPECT_EQ(caught, first);
    }
  });
}

// On one worker all is determined: pieces run in order, and 1,000 elements with a grain of 100 are 8 pieces of 125.
TEST(ParallelForPieces, AfterAnException_NoOtherOneBegins) {
  test::in_runtime(with_workers(1), [] {
    int ran = 0;
    EXPECT_THROW(erased_for({.grain = 100}, 0, 1000, [&](int i) { ++ran, i == 300 ? throw 1 : 0; }), int);
    EXPECT_EQ(ran, 301);
  });
}

TEST(ParallelForPieces, AfterAStopRequest_APieceIsFinished_AndNoOtherOneBegins) {
  test::in_runtime(with_workers(1), [] {
    for (const int at : {10, 300}) {
      std::stop_source stop;
      int ran = 0;
      EXPECT_THROW(erased_for({.stop = stop.get_token(), .grain = 100}, 0, 1000,
                              [&](int i) { ++ran, i == at ? stop.request_stop() : false; }),
                   stopped);
      EXPECT_EQ(ran, at / 125 * 125 + 125);
    }
  });
}

TEST(ParallelForPieces, AStopRequestInTheLastPiece_LeavesNothingUndone) {
  test::in_runtime(with_workers(1), [] {
    std::stop_source stop;
    int ran = 0;
    erased_for({.stop = stop.get_token()}, 0, 1000, [&](int i) { ++ran, i == 999 ? stop.request_stop() : false; });
    EXPECT_EQ(ran, 1000);
  });
}

// Its joins find nothing that was left out, also where halves ran apart.
TEST_P(ParallelFor, AStopRequestOfTheElementThatEndsLast_LeavesNothingUndone) {
  const watchdog limit("loops whose last element asks for the stop");
  test::in_runtime(GetParam().chosen(), [] {
    for (int round = 0; round < 30; ++round) {
      std::stop_source stop;
      std::atomic<int> ran{0};
      EXPECT_NO_THROW(erased_for({.stop = stop.get_token(), .grain = round % 2 == 0 ? 0U : 1U}, 0, 300, [&](int i) {
        if (i % 7 == round % 7) yield();
        if (++ran == 300) stop.request_stop();
      }));
      EXPECT_EQ(ran, 300);
    }
  });
}

TEST(ParallelForPieces, ALongLeaf_IsLeftSoonAfterAStopRequest) {
  test::in_runtime(with_workers(1), [] {
    std::stop_source stop;
    constexpr int elements = test::sanitized ? 1'000'000 : 10'000'000;
    int ran = 0;
    int when = 0;
    EXPECT_THROW(erased_for({.stop = stop.get_token()}, 0, elements,
                            [&](int i) {
                              ++ran;
                              if (i == elements / 2) {
                                stop.request_stop();
                                when = ran;
                              }
                            }),
                 stopped);
    EXPECT_LE(ran - when, 1024);
  });
}

TEST_P(ParallelFor, AStopRequestFromOutside_EndsIt) {
  const watchdog limit("a loop that is stopped from outside");
  test::in_runtime(GetParam().chosen(), [] {
    std::stop_source stop;
    std::atomic<int> began{0};
    std::thread outside([&] {
      while (began < 10) std::this_thread::yield();
      stop.request_stop();
    });
    EXPECT_THROW(erased_for({.stop = stop.get_token()}, 0, 100'000'000,
                            [&](int) {
                              ++began;
                              while (began >= 10 && !stop.stop_requested()) {
                              }
                            }),
                 stopped);
    outside.join();
    EXPECT_LT(began, 100'000);

    int ran = 0;
    EXPECT_THROW(erased_for({.stop = stop.get_token()}, 0, 10, [&](int) { ++ran; }), stopped);
    EXPECT_EQ(ran, 0);
    // An exception of an element comes before `stopped`.
    std::stop_source again;
    EXPECT_THROW(erased_for({.stop = again.get_token()}, 0, 1000, [&](int) { again.request_stop(), throw 1; }), int);
  });
}

// One worker runs all the cheap elements while the other one is held, so the leaves have grown large, and all the dear
// elements are in one of them. Nobody could take any unless it is divided again.
TEST(ParallelForBalance, DearElementsBehindCheapOnes_AreShared) {
  const watchdog limit("dear elements behind cheap ones");
  test::in_runtime(with_workers(2), [] {
    constexpr int all = 1 << 20, dear = 4096;
    std::atomic<bool> held{false};
    std::atomic<bool> let_go{false};
    auto holder = spawn([&] {
      held = true;
      while (!let_go) {
      }
    });
    while (!held) {
    }
    std::array<std::atomic<int>, 2> by{};
    erased_for(0, all, [&](int i) {
      if (i < all - dear) return;
      let_go = true;
      test::compute(std::chrono::microseconds(50));
      ++by.at(this_fiber::worker_index());
    });
    holder.join();
    EXPECT_EQ(by[0] + by[1], dear);
    EXPECT_GT(by[0], dear / 8);
    EXPECT_GT(by[1], dear / 8);
  });
}

TEST(ParallelForFromOutside, AThread_WaitsForAFiberOfTheProcessRuntime) {
  const watchdog limit("a loop from a thread");
  EXPECT_THROW(erased_for(0, 10, [](int) {}), misuse);
  EXPECT_THROW(erased_for(0, 0, [](int) {}), misuse);

  scheduler_init(2);
  counter over(1);
  spawn([&] { wait_for_counter(over); }).detach();
  std::thread workers([] { scheduler_run(); });
  std::atomic<int> ran{0};
  erased_for(0, 1000, [&](int) {
    ++ran;
    yield();
  });
  EXPECT_EQ(ran, 1000);
  EXPECT_THROW(erased_for(0, 1000, [&](int i) { i == 500 ? throw 5 : 0; }), int);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(erased_for({.stop = stop.get_token()}, 0, 1000, [&](int) { ++ran; }), stopped);
  EXPECT_EQ(ran, 1000);
  over.decrement();
  workers.join();
}

}  // namespace
}  // namespace ramie
