#include <ramie/parallel/reduce.hpp>
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <parallel/ways.hpp>
#include <stack/child.hpp>
#include <support/fibers.hpp>
#include <support/tracked.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <ranges>
#include <stop_token>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ramie {
namespace {

using test::appended;
using test::erased_reduce;
using test::tracked;
using test::watchdog;
using test::with_workers;

class Reduce : public test::in_each_way {};
INSTANTIATE_TEST_SUITE_P(Ways, Reduce, ::testing::ValuesIn(test::all_ways({1, 2, 5})),
                         ::testing::PrintToStringParamName());

std::string letter(std::size_t i) { return {static_cast<char>('a' + i % 26)}; }

TEST_P(Reduce, KeepsTheOrder_WhateverTheGrouping) {
  const watchdog limit("reductions of many sizes");
  test::in_runtime(GetParam().chosen(), [] {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 5U, 100U, 1023U, 1024U, 1025U, 5000U}) {
      std::vector<std::string> letters(count);
      for (std::size_t i = 0; i < count; ++i) letters[i] = letter(i);
      const std::string expected = std::accumulate(letters.begin(), letters.end(), std::string("-"));
      for (const std::size_t grain :
           {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::numeric_limits<std::size_t>::max()}) {
        for (const bool deterministic : {false, true}) {
          const parallel_policy how{.grain = grain, .deterministic = deterministic};
          ASSERT_EQ(ramie::reduce(how, letters, std::string("-")), expected) << count;
          // Operations that suspend give all forks away: pieces run apart with one worker, too.
          ASSERT_EQ(erased_reduce(how, letters, "-",
                                  [](std::string&& left, const std::string& right) {
                                    if (right.back() == 'k') yield();
                                    return std::move(left) + right;
                                  }),
                    expected)
              << count;
        }
      }
    }
  });
}

TEST_P(Reduce, OverloadsAsInTheStandard) {
  test::in_runtime(GetParam().chosen(), [] {
    const std::vector<int> numbers{1, 2, 3, 4, 5};
    const std::deque<int> others{2, 2, 2, 2, 3};
    const auto square = [](int x) { return x * x; };
    EXPECT_EQ(ramie::reduce(numbers), 15);
    EXPECT_EQ(ramie::reduce({}, numbers), 15);
    EXPECT_EQ(ramie::reduce(numbers.begin(), numbers.end()), 15);
    EXPECT_EQ(ramie::reduce({}, numbers.begin(), numbers.end()), 15);
    EXPECT_EQ(ramie::reduce(numbers, 10L), 25L);
    EXPECT_EQ(ramie::reduce(numbers.begin(), numbers.end(), 2, std::multiplies<>()), 240);
    EXPECT_EQ(ramie::reduce({.grain = 2}, numbers.begin(), numbers.end(), 2, std::multiplies<>()), 240);
    EXPECT_EQ(ramie::transform_reduce(numbers, 0, std::plus<>(), square), 55);
    EXPECT_EQ(ramie::transform_reduce({.grain = 2}, numbers, 0, std::plus<>(), square), 55);
    EXPECT_EQ(ramie::transform_reduce(numbers.begin(), numbers.end(), 0, std::plus<>(), square), 55);
    EXPECT_EQ(ramie::transform_reduce({.grain = 2}, numbers.begin(), numbers.end(), 0, std::plus<>(), square), 55);
    EXPECT_EQ(ramie::transform_reduce(numbers.begin(), numbers.end(), others.begin(), 1), 36);
    EXPECT_EQ(ramie::transform_reduce({.grain = 1}, numbers.begin(), numbers.end(), others.begin(), 1), 36);
    EXPECT_EQ(
        ramie::transform_reduce(numbers.begin(), numbers.end(), others.begin(), 1, std::multiplies<>(), std::plus<>()),
        3 * 4 * 5 * 6 * 8);
    const int plain[5] = {1, 2, 3, 4, 5};
    const int other[5] = {2, 2, 2, 2, 3};
    EXPECT_EQ(ramie::reduce(plain, plain + 5, 1), 16);
    EXPECT_EQ(ramie::reduce(plain, plain + 5, 1, std::plus<>()), 16);
    EXPECT_EQ(ramie::reduce(plain), 15);
    EXPECT_EQ(ramie::transform_reduce(plain, plain + 5, other, 1), 36);
    EXPECT_EQ(ramie::transform_reduce({.grain = 1}, plain, plain + 5, other, 1), 36);
    EXPECT_EQ(ramie::transform_reduce(plain, plain + 5, 0, std::plus<>(), square), 55);
    EXPECT_EQ(ramie::transform_reduce(plain, 0, std::plus<>(), square), 55);
    EXPECT_EQ(ramie::reduce(std::vector<bool>{true, false, true}, 0), 2);
    EXPECT_EQ(ramie::reduce(std::views::iota(1L, 1000L), 0L), 499'500L);
    EXPECT_EQ(ramie::reduce(std::vector<double>(1001, 0.5)), 500.5);
    EXPECT_EQ(ramie::reduce(std::vector<float>(7, 0.5F), 0.5), 4.0);
  });
}

struct no_default {
  explicit no_default(int from) : value(from) {}
  int value;
};

TEST_P(Reduce, SumsThatCannotBeCopied_OrHaveNoDefault) {
  test::in_runtime(GetParam().chosen(), [] {
    for (const bool deterministic : {false, true}) {
      const parallel_policy how{.grain = 3, .deterministic = deterministic};
      std::vector<int> numbers(100, 2);
      const auto sum = ramie::transform_reduce(
          how, numbers, std::make_unique<int>(5),
          [](std::unique_ptr<int> left, std::unique_ptr<int> right) {
            yield();
            *left += *right;
            return left;
          },
          [](int x) { return std::make_unique<int>(x); });
      EXPECT_EQ(*sum, 205);
      const no_default plain = ramie::reduce(how, numbers, no_default(1), [](no_default left, auto right) {
        return no_default(left.value + no_default(right).value);
      });
      EXPECT_EQ(plain.value, 201);
    }
  });
}

std::string in_brackets(const std::string& left, const std::string& right) { return "(" + left + right + ")"; }

// The operation tells how it was called.
TEST(ReduceDeterministic, TheGrouping_IsThatOfTheSizeAndTheGrain) {
  const watchdog limit("deterministic reductions");
  std::vector<std::string> letters(3000);
  for (std::size_t i = 0; i < letters.size(); ++i) letters[i] = letter(i);
  const auto grouping = [&](const parallel_policy& how, bool yields) {
    return erased_reduce(how, letters, "-", [yields](const std::string& left, const std::string& right) {
      if (yields && right.size() > 20) yield();
      return in_brackets(left, right);
    });
  };
  const auto on_one_worker = [&](const parallel_policy& how) {
    return run(with_workers(1), [&] { return grouping(how, false); });
  };
  const parallel_policy fixed{.deterministic = true}, coarse{.grain = 100, .deterministic = true};
  const std::string expected = on_one_worker(fixed);
  const std::string expected_coarse = on_one_worker(coarse);
  EXPECT_NE(expected, expected_coarse);
  for (const unsigned workers : {1U, 2U, 5U}) {
    test::in_runtime(with_workers(workers), [&] {
      for (int round = 0; round < 5; ++round) {
        EXPECT_EQ(grouping(fixed, false), expected);
        EXPECT_EQ(grouping(fixed, true), expected);
        EXPECT_EQ(grouping(coarse, true), expected_coarse);
      }
    });
  }
  // Without it, one worker folds from left to right.
  const std::string by_demand = on_one_worker({});
  EXPECT_EQ(by_demand, std::accumulate(letters.begin(), letters.end(), std::string("-"), in_brackets));
}

TEST_P(Reduce, WhatIsThrown_LosesNoValue) {
  const watchdog limit("operations that throw");
  test::in_runtime(GetParam().chosen(), [] {
    std::vector<tracked> values(1000, tracked("x"));
    for (const bool deterministic : {false, true}) {
      for (int round = 0; round < 40; ++round) {
        std::atomic<int> calls{0};
        const auto operation = [&](const tracked& left, const tracked& right) {
          if (++calls > 25 * round) throw round;
          if (calls % 3 == 0) yield();
          return appended(left, right);
        };
        EXPECT_THROW(
            static_cast<void>(erased_reduce({.grain = round % 2 == 0 ? 0U : 5U, .deterministic = deterministic}, values,
                                            tracked("y"), operation)),
            int);
        EXPECT_EQ(tracked::alive, 1000);
      }
    }
  });
  EXPECT_EQ(tracked::alive, 0);
}

TEST_P(Reduce, AStopRequest_LosesNoValue_AndLeavesAsStopped) {
  const watchdog limit("reductions that are stopped");
  test::in_runtime(GetParam().chosen(), [] {
    std::vector<tracked> values(1000, tracked("x"));
    for (const bool deterministic : {false, true}) {
      for (int round = 0; round < 40; ++round) {
        std::stop_source stop;
        std::atomic<int> calls{0};
        const auto operation = [&](const tracked& left, const tracked& right) {
          if (++calls > 20 * round) stop.request_stop();
          if (calls % 3 == 0) yield();
          return appended(left, right);
        };
        const parallel_policy how{.stop = stop.get_token(), .grain = 5, .deterministic = deterministic};
        EXPECT_THROW(static_cast<void>(erased_reduce(how, values, tracked("y"), operation)), stopped);
        EXPECT_LT(calls, 20 * round + 500);
        EXPECT_EQ(tracked::alive, 1000);
      }
    }
  });
  EXPECT_EQ(tracked::alive, 0);
}

// A request that comes with the last element leaves the sum of all.
TEST_P(Reduce, AStopRequestOfTheElementThatEndsLast_LeavesNothingUndone) {
  const watchdog limit("reductions whose last element asks for the stop");
  test::in_runtime(GetParam().chosen(), [] {
    const std::vector<int> input(300, 1);
    for (const bool deterministic : {false, true}) {
      for (int round = 0; round < 30; ++round) {
        std::stop_source stop;
        std::atomic<int> ran{0};
        const auto element = [&](int x) {
          if (ran % 7 == round % 7) yield();
          if (++ran == 300) stop.request_stop();
          return x;
        };
        const parallel_policy how{
            .stop = stop.get_token(), .grain = round % 2 == 0 ? 0U : 1U, .deterministic = deterministic};
        int sum = 0;
        EXPECT_NO_THROW(sum = ramie::transform_reduce(how, input, 1, std::plus<>(), element));
        EXPECT_EQ(sum, 301);
      }
    }
  });
}

TEST(ReduceFromOutside, EveryOperation_IsCalledOnAFiber) {
  const watchdog limit("a reduction from a thread");
  scheduler_init(2);
  counter over(1);
  spawn([&] { wait_for_counter(over); }).detach();
  std::thread workers([] { scheduler_run(); });
  const std::vector<std::string> letters(100, "x");
  for (const bool deterministic : {false, true}) {
    EXPECT_EQ(erased_reduce({.deterministic = deterministic}, letters, "-",
                            [](std::string&& left, const std::string& right) {
                              EXPECT_NE(this_fiber::id(), 0U);  // throws misuse on a thread that runs none
                              return std::move(left) + right;
                            }),
              "-" + std::string(100, 'x'));
  }
  over.decrement();
  workers.join();
}

/// A sum whose size matters. Knows the lowest address at which one has lain, or been added.
struct bulky {
  bulky() = default;
  bulky(std::uint64_t value) : number(value) {}
  std::uint64_t number = 0;
  std::byte rest[32'000] = {};
};

std::size_t stack_of_reduction(std::size_t count, bool deterministic) {
  const char* const here = static_cast<const char*>(__builtin_frame_address(0));
  const char* lowest = here;
  const std::vector<std::uint64_t> input(count, 1);
  const auto add = [&](const bulky& left, const bulky& right) {
    const char* const now = static_cast<const char*>(__builtin_frame_address(0));
    if (now < lowest) lowest = now;
    return bulky(left.number + right.number);
  };
  const bulky sum = ramie::reduce({.grain = 1, .deterministic = deterministic}, input, bulky(1), add);
  EXPECT_EQ(sum.number, count + 1);
  return static_cast<std::size_t>(here - lowest);
}

// A level of the division that nobody has divided further needs no room for a sum.
TEST(ReduceStack, DoesNotGrowBySumsWithTheNumberOfElements) {
  test::in_runtime({.workers = 1, .stack_size = 16_MiB}, [] {
    for (const bool deterministic : {false, true}) {
      const std::size_t few = stack_of_reduction(8, deterministic);
      const std::size_t many = stack_of_reduction(8 * 64, deterministic);
      EXPECT_LT(many, few + sizeof(bulky)) << few << " bytes for few elements";
    }
  });
}

struct twenty_kibibytes {
  twenty_kibibytes() = default;
  twenty_kibibytes(std::uint64_t value) : number(value) {}
  std::uint64_t number = 0;
  std::byte rest[20 * 1024 - 8] = {};
};

TEST_P(Reduce, LargeSums_OnAStackOfTheUsualSize) {
  const watchdog limit("large sums");
  test::in_runtime(GetParam().chosen(), [] {
    const std::vector<std::uint64_t> input(1000, 1);
    for (const bool deterministic : {false, true}) {
      std::atomic<unsigned> calls{0};
      const auto add = [&](const twenty_kibibytes& left, const twenty_kibibytes& right) {
        if (++calls % 64 == 0) yield();
        return twenty_kibibytes(left.number + right.number);
      };
      const auto sum = ramie::reduce({.grain = 1, .deterministic = deterministic}, input, twenty_kibibytes(1), add);
      EXPECT_EQ(sum.number, 1001U);
    }
  });
}

// An operation that std::accumulate takes: it returns one of its arguments.
TEST_P(Reduce, AnOperationThatReturnsAReference) {
  test::in_runtime(GetParam().chosen(), [] {
    std::vector<std::string> words;
    for (int i = 0; i < 500; ++i)
      words.push_back(std::string(40, static_cast<char>('a' + i % 26)) + letter(static_cast<std::size_t>(i) * 7));
    const std::string largest = *std::ranges::max_element(words);
    const auto last_by_name = [](const std::string& a, const std::string& b) -> const std::string& {
      if (a[0] == b[0]) yield();
      return a < b ? b : a;
    };
    for (const bool deterministic : {false, true}) {
      const parallel_policy policy{.grain = 1, .deterministic = deterministic};
      for (int round = 0; round < 20; ++round) {
        ASSERT_EQ(ramie::reduce(policy, words, std::string("-"), last_by_name), largest);
        ASSERT_EQ(ramie::reduce(policy, words, std::string("-"), std::ranges::max), largest);
      }
      std::vector<std::string> running(words.size());
      ramie::inclusive_scan(policy, words.begin(), words.end(), running.begin(), last_by_name);
      std::vector<std::string> expected(words.size());
      std::inclusive_scan(words.begin(), words.end(), expected.begin(), last_by_name);
      ASSERT_EQ(running, expected);
      ramie::exclusive_scan(policy, words.begin(), words.end(), running.begin(), std::string("-"), last_by_name);
      std::exclusive_scan(words.begin(), words.end(), expected.begin(), std::string("-"), last_by_name);
      ASSERT_EQ(running, expected);
    }
  });
}

// Larger than a fiber's stack, and hardly touched: each has room for much, and holds few bytes.
struct roomy {
  roomy() {}  // NOLINT(modernize-use-equals-default): that would clear all of it
  roomy(const roomy& other) : used(other.used) { std::memcpy(room, other.room, used); }
  roomy& operator=(const roomy& other) {
    used = other.used;
    std::memmove(room, other.room, used);
    return *this;
  }
  ~roomy() = default;
  void push(std::byte value) { room[used++] = value; }

  std::size_t used = 0;
  std::byte room[300 * 1024 - 8];
};

// The thread's own stack is large enough, those of the fibers are not.
TEST(ReduceStack, OfAFiberThatAThreadHasStarted_DoesNotReachIntoAnother) {
  for (const bool deterministic : {false, true}) {
    const stack::test::outcome child = stack::test::in_child([=] {
      ::alarm(60);
      runtime home({.workers = 2});
      home.start();
      const std::vector<std::byte> input(16);
      const auto both = [](const roomy& left, const roomy& right) {
        roomy sum = left;
        for (std::size_t i = 0; i < right.used; ++i) sum.push(right.room[i]);
        return sum;
      };
      const auto one = [](std::byte value) {
        roomy sum;
        sum.push(value);
        return sum;
      };
      parallel_policy there;
      there.on = &home;
      there.deterministic = deterministic;
      static_cast<void>(ramie::transform_reduce(there, input, roomy(), both, one));
      return 0;
    });
    EXPECT_FALSE(child.exited_with(0)) << child.text;
    EXPECT_TRUE(RAMIE_ASAN || RAMIE_TSAN || child.says("overflowed its stack")) << child.text;
  }
}

}  // namespace
}  // namespace ramie
