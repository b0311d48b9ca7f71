#include <ramie/parallel/scan.hpp>
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <parallel/ways.hpp>
#include <support/fibers.hpp>
#include <support/tracked.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <limits>
#include <numeric>
#include <stop_token>
#include <string>
#include <vector>

namespace ramie {
namespace {

using test::appended;
using test::tracked;
using test::watchdog;
using test::with_workers;

constexpr std::size_t any_size = std::numeric_limits<std::size_t>::max();

class Scan : public test::in_each_way {};
INSTANTIATE_TEST_SUITE_P(Ways, Scan, ::testing::ValuesIn(test::all_ways({1, 2, 5})),
                         ::testing::PrintToStringParamName());

// Composition of functions x -> factor * x + summand, modulo 2^32: associative, not commutative.
struct affine {
  std::uint32_t factor = 1;
  std::uint32_t summand = 0;
  friend bool operator==(const affine&, const affine&) = default;
};
affine after(const affine& first, const affine& then) {
  return {then.factor * first.factor, then.factor * first.summand + then.summand};
}
std::vector<affine> functions(std::size_t count) {
  std::vector<affine> all(count);
  for (std::uint32_t i = 0; i < count; ++i) all[i] = {2 * i + 1, i};
  return all;
}

TEST_P(Scan, EachPrefix_InTheOrderOfTheElements) {
  const watchdog limit("scans of many sizes");
  test::in_runtime(GetParam().chosen(), [] {
    const affine initial{3, 5};
    // One type for both. An operation that suspends gives all forks away: pieces run apart, with one worker, too.
    using operation = test::function_ref<affine(const affine&, const affine&)>;
    const auto does_not_yield = [](const affine& first, const affine& then) { return after(first, then); };
    const auto may_yield = [](const affine& first, const affine& then) {
      if (then.summand % 97 == 13) yield();
      return after(first, then);
    };
    const operation plain = does_not_yield, yields = may_yield;
    constexpr std::size_t many = test::sanitized ? 2000 : 20'000;
    for (const std::size_t count : {0UL, 1UL, 2UL, 3UL, 17UL, 256UL, 1000UL, many}) {
      const std::vector<affine> input = functions(count);
      std::vector<affine> inclusive(count), from_initial(count), exclusive(count), output(count);
      std::inclusive_scan(input.begin(), input.end(), inclusive.begin(), after);
      std::inclusive_scan(input.begin(), input.end(), from_initial.begin(), after, initial);
      std::exclusive_scan(input.begin(), input.end(), exclusive.begin(), initial, after);
      for (const std::size_t grain : {std::size_t{0}, std::size_t{1}, std::size_t{50}, any_size}) {
        for (const bool deterministic : {false, true}) {
          const parallel_policy how{.grain = grain, .deterministic = deterministic};
          const auto fresh = [&] {
            output.assign(count, {});
            return output.begin();
          };
          EXPECT_EQ(ramie::inclusive_scan(how, input.begin(), input.end(), fresh(), plain), output.end());
          EXPECT_EQ(output, inclusive);
          ramie::inclusive_scan(how, input.begin(), input.end(), fresh(), yields);
          EXPECT_EQ(output, inclusive);
          ramie::inclusive_scan(how, input.begin(), input.end(), fresh(), yields, initial);
          EXPECT_EQ(output, from_initial);
          EXPECT_EQ(ramie::exclusive_scan(how, input.begin(), input.end(), fresh(), initial, yields), output.end());
          EXPECT_EQ(output, exclusive);
          output = input;
          ramie::inclusive_scan(how, output.begin(), output.end(), output.begin(), yields);
          EXPECT_EQ(output, inclusive);
          output = input;
          ramie::exclusive_scan(how, output.begin(), output.end(), output.begin(), initial, yields);
          EXPECT_EQ(output, exclusive);
        }
      }
    }
  });
}

TEST_P(Scan, OverloadsAsInTheStandard) {
  test::in_runtime(GetParam().chosen(), [] {
    const std::vector<int> input{1, 2, 3, 4};
    std::vector<long> output(4);
    const auto begin = input.begin(), end = input.end();
    const auto to = output.begin();
    const auto square = [](int x) { return x * x; };
    using longs = std::vector<long>;
    ramie::inclusive_scan(begin, end, to);
    EXPECT_EQ(output, (longs{1, 3, 6, 10}));
    ramie::inclusive_scan(begin, end, to, std::multiplies<>());
    EXPECT_EQ(output, (longs{1, 2, 6, 24}));
    ramie::inclusive_scan(begin, end, to, std::multiplies<>(), 1L << 40);
    EXPECT_EQ(output[3], 24L << 40);
    ramie::exclusive_scan(begin, end, to, 7);
    EXPECT_EQ(output, (longs{7, 8, 10, 13}));
    ramie::exclusive_scan({.grain = 1}, begin, end, to, 7);
    EXPECT_EQ(output, (longs{7, 8, 10, 13}));
    ramie::transform_inclusive_scan(begin, end, to, std::plus<>(), square);
    EXPECT_EQ(output, (longs{1, 5, 14, 30}));
    ramie::transform_inclusive_scan(begin, end, to, std::plus<>(), square, 10L);
    EXPECT_EQ(output, (longs{11, 15, 24, 40}));
    ramie::transform_exclusive_scan(begin, end, to, 10L, std::plus<>(), square);
    EXPECT_EQ(output, (longs{10, 11, 15, 24}));
  });
}

// The right half runs before the left one is done, on any worker: only then does it have to add up first.
TEST_P(Scan, APieceThatRanApart_IsReadTwice_OthersOnce) {
  const watchdog limit("a scan whose first element waits for the last one");
  test::in_runtime(GetParam().chosen(), [] {
    std::vector<int> input(1000, 1);
    std::vector<int> output(1000);
    std::vector<std::atomic<int>> reads(1000);
    counter last(1);
    const auto count = [&](int& x) {
      const auto i = static_cast<std::size_t>(&x - input.data());
      if (++reads[i] == 1 && i == 999) last.decrement();
      if (i == 0) wait_for_counter(last);
      return x;
    };
    ramie::transform_inclusive_scan(input.begin(), input.end(), output.begin(), std::plus<>(), count);
    EXPECT_EQ(output[999], 1000);
    EXPECT_EQ(reads[0], 1);
    EXPECT_EQ(reads[999], 2);
  });
}

TEST(ScanOnOneWorker, IsOnePass) {
  test::in_runtime(with_workers(1), [] {
    int reads = 0;
    std::vector<int> values(1000, 1);
    ramie::transform_exclusive_scan(values.begin(), values.end(), values.begin(), 0, std::plus<>(),
                                    [&](int x) { return ++reads, x; });
    EXPECT_EQ(reads, 1000);
    EXPECT_EQ(values[999], 999);
  });
}

TEST(ScanDeterministic, SumsOfFloatingPointNumbers_AreTheSameOnAnyNumberOfWorkers) {
  const watchdog limit("deterministic scans");
  std::vector<double> input(50'000);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = 1.0 / static_cast<double>(i + 1);
  const auto sums = [&](unsigned workers, const parallel_policy& how) {
    return run(with_workers(workers), [&] {
      std::vector<double> output(input.size());
      ramie::inclusive_scan(how, input.begin(), input.end(), output.begin(), [](double a, double b) {
        if (b < 1e-4 && static_cast<int>(b * 1e9) % 100 == 0) yield();
        return a + b;
      });
      return output;
    });
  };
  const std::vector<double> expected = sums(1, {.deterministic = true});
  const std::vector<double> coarse = sums(1, {.grain = 1000, .deterministic = true});
  EXPECT_NE(expected, coarse);
  for (const unsigned workers : {1U, 2U, 5U}) {
    for (int round = 0; round < 5; ++round) {
      EXPECT_EQ(sums(workers, {.deterministic = true}), expected);
      EXPECT_EQ(sums(workers, {.grain = 1000, .deterministic = true}), coarse);
    }
  }
}

TEST_P(Scan, WhatIsThrownOrStopped_LosesNoValue) {
  const watchdog limit("scans that throw");
  test::in_runtime(GetParam().chosen(), [] {
    const std::vector<tracked> input(500, tracked("x"));
    std::vector<tracked> output = input;
    for (const bool deterministic : {false, true}) {
      for (const bool throws : {false, true}) {
        for (int round = 0; round < 30; ++round) {
          std::stop_source stop;
          std::atomic<int> calls{0};
          const auto operation = [&](const tracked& left, const tracked& right) {
            if (++calls > 10 * round) {
              if (throws) throw round;
              stop.request_stop();
            }
            if (calls % 3 == 0) yield();
            return appended(left, right);
          };
          const parallel_policy how{.stop = stop.get_token(), .grain = 5, .deterministic = deterministic};
          const auto call = [&] { ramie::inclusive_scan(how, input.begin(), input.end(), output.begin(), operation); };
          if (throws) {
            EXPECT_THROW(call(), int);
          } else {
            EXPECT_THROW(call(), stopped);
          }
          EXPECT_EQ(tracked::alive, 1000);
          output = input;
        }
      }
    }
  });
  EXPECT_EQ(tracked::alive, 0);
}

/// An element of an output that says how often something was written.
struct counted_write {
  void operator=(long sum) {
    value = sum;
    if (++*writes == when) stop->request_stop();
  }
  std::atomic<int>* writes;
  int when;
  std::stop_source* stop;
  long value = 0;
};

TEST_P(Scan, AStopRequestOfTheLastWrite_LeavesNothingUndone) {
  const watchdog limit("scans whose last write asks for the stop");
  test::in_runtime(GetParam().chosen(), [] {
    constexpr int count = 300;
    for (const bool deterministic : {false, true}) {
      for (const std::size_t grain : {0U, 1U, 5U}) {
        std::stop_source stop;
        std::atomic<int> writes{0};
        std::atomic<unsigned> calls{0};
        std::vector<long> input(count, 1);
        std::vector<counted_write> output(count, counted_write{&writes, count, &stop});
        EXPECT_NO_THROW(
            ramie::inclusive_scan({.stop = stop.get_token(), .grain = grain, .deterministic = deterministic},
                                  input.begin(), input.end(), output.begin(), [&](long a, long b) {
                                    if (++calls % 3 == 0) yield();
                                    return a + b;
                                  }));
        for (int i = 0; i < count; ++i) ASSERT_EQ(output[static_cast<std::size_t>(i)].value, i + 1);
      }
    }
  });
}

}  // namespace
}  // namespace ramie
