// Algorithms within algorithms, whose elements yield, wait, compute, throw and stop, from a seed.
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <parallel/ways.hpp>
#include <support/fibers.hpp>
#include <support/repetitions.hpp>
#include <support/tracked.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

namespace ramie {
namespace {

using test::tracked;
using test::watchdog;

using generator = std::minstd_rand;
generator seeded(std::uint64_t seed) {
  generator made(static_cast<std::uint32_t>(seed * 7919 + 1));
  made.discard(3);
  return made;
}

// Something that a fiber may do, often nothing.
void disturb(std::uint64_t seed) {
  generator random = seeded(seed);
  switch (random() % 40) {
    case 0: yield(); break;
    case 1: spawn([] { yield(); }).join(); break;
    case 2: test::compute(std::chrono::microseconds(random() % 30)); break;
    case 3: {
      counter released(1);
      spawn([&] { released.decrement(); }).detach();
      wait_for_counter(released);
      break;
    }
    default: break;
  }
}

parallel_policy policy_of(generator& random) {
  parallel_policy how;
  if (random() % 2 == 0) how.grain = 1 + random() % 50;
  how.deterministic = random() % 3 == 0;
  return how;
}

class storm {
 public:
  void level(std::uint64_t seed, int depth) {
    generator random = seeded(seed);
    const parallel_policy how = policy_of(random);
    const std::size_t count = random() % 4 == 0 ? random() % 3 : random() % 700;
    switch (random() % 5) {
      case 0: loop(how, count, random(), depth); break;
      case 1: reduction(how, count, random()); break;
      case 2: scan(how, count, random()); break;
      case 3: thrown(how, count, random()); break;
      default: stopped_one(how, count, random()); break;
    }
  }

 private:
  void loop(const parallel_policy& how, std::size_t count, std::uint64_t seed, int depth) {
    std::vector<std::atomic<int>> runs(count);
    test::erased_for(how, 0, static_cast<int>(count), [&](int index) {
      const auto i = static_cast<std::size_t>(index);
      disturb(seed + i);
      if (depth > 0 && (seed + i) % 50 == 0) level(seed + i, depth - 1);
      ++runs[i];
    });
    for (const auto& each : runs) ASSERT_EQ(each, 1);
  }

  static std::vector<tracked> letters(std::size_t count) {
    std::vector<tracked> all;
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(std::string(1, static_cast<char>('a' + i % 26)));
    return all;
  }

  void reduction(const parallel_policy& how, std::size_t count, std::uint64_t seed) {
    const std::vector<tracked> values = letters(count);
    const tracked sum = test::erased_reduce(how, values, tracked("-"), [&](const tracked& left, const tracked& right) {
      disturb(seed + left.text().size() * 31);
      return test::appended(left, right);
    });
    ASSERT_EQ(sum, std::accumulate(values.begin(), values.end(), tracked("-"), test::appended));
  }

  void scan(const parallel_policy& how, std::size_t count, std::uint64_t seed) {
    std::vector<std::uint64_t> values(count), expected(count);
    std::iota(values.begin(), values.end(), seed);
    const auto operation = [&](std::uint64_t left, std::uint64_t right) {
      disturb(left);
      return left + right;
    };
    if (seed % 2 == 0) {
      std::inclusive_scan(values.begin(), values.end(), expected.begin());
      ramie::inclusive_scan(how, values.begin(), values.end(), values.begin(), operation);
    } else {
      std::exclusive_scan(values.begin(), values.end(), expected.begin(), seed);
      ramie::exclusive_scan(how, values.begin(), values.end(), values.begin(), seed, operation);
    }
    ASSERT_EQ(values, expected);
  }

  void thrown(const parallel_policy& how, std::size_t count, std::uint64_t seed) {
    std::atomic<std::size_t> first{count};
    std::atomic<int> running{0};
    std::size_t caught = count;
    try {
      test::erased_for(how, 0, static_cast<int>(count), [&](int index) {
        const auto i = static_cast<std::size_t>(index);
        ++running;
        disturb(seed + i);
        --running;
        if ((seed + i) % 61 != 0) return;
        for (std::size_t seen = first; i < seen && !first.compare_exchange_weak(seen, i);) {
        }
        throw i;
      });
    } catch (std::size_t which) {
      caught = which;
    }
    ASSERT_EQ(caught, first);
    ASSERT_EQ(running, 0);
  }

  void stopped_one(parallel_policy how, std::size_t count, std::uint64_t seed) {
    const std::vector<tracked> values = letters(count);
    std::stop_source stop;
    how.stop = stop.get_token();
    std::atomic<std::size_t> calls{0};
    try {
      const tracked sum =
          test::erased_reduce(how, values, tracked("-"), [&](const tracked& left, const tracked& right) {
            disturb(seed + left.text().size() * 31);
            if (++calls > seed % 500) stop.request_stop();
            return test::appended(left, right);
          });
      ASSERT_EQ(sum.text().size(), count + 1);
    } catch (const stopped&) {
      ASSERT_TRUE(stop.stop_requested());
    }
  }
};

class AlgorithmStorm : public test::in_each_way {};
INSTANTIATE_TEST_SUITE_P(Ways, AlgorithmStorm, ::testing::ValuesIn(test::all_ways({1, 2, 4, 16})),
                         ::testing::PrintToStringParamName());

TEST_P(AlgorithmStorm, ResultsAreRight_AndNothingIsLeft) {
  const watchdog limit("storm of algorithms");
  for (const std::uint64_t seed : test::seeds(test::sanitized ? 5 : 40)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::in_runtime(GetParam().chosen(), [&] {
      storm program;
      for (std::uint64_t i = 0; i < 10; ++i) program.level(seed * 100 + i, 2);
    });
    ASSERT_EQ(tracked::alive, 0);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace ramie
