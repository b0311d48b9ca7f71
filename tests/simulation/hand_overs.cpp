// Workers that leave their threads, in virtual time.
#include <simulation/scenarios.hpp>

#include <simulation/drawn_options.hpp>
#include <simulation/simulator/chronicle.hpp>

#include <ramie/base/random.hpp>
#include <ramie/ramie.hpp>
#include <ramie/scheduler/hand_over.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace ramie::scenarios {
namespace {

using sim::chronicle;
using sim::drawn_options;
using std::chrono::microseconds;

// Perhaps gives the worker away, and blocks the thread perhaps for a while.
void block(random_source& random) {
  if (random.below(3) == 0) return;
  const detail::without_worker blocking;
  if (random.below(2) == 0) sleep_for(microseconds(random.below(20)));
}

// As many leaves as a tree of that depth has, whatever happens on the way.
std::uint32_t leaves(std::uint64_t seed, int depth) {
  random_source random(seed);
  block(random);
  if (depth == 0) return 1;
  const std::uint64_t left = random.next(), right = random.next();
  std::uint32_t sum = 0;
  switch (random.below(4)) {
    case 0: {
      const auto [one, two] =
          fork_join([=] { return leaves(left, depth - 1); }, [=] { return leaves(right, depth - 1); });
      sum = one + two;
      break;
    }
    case 1: {
      auto one = spawn([=] { return leaves(left, depth - 1); });
      sum = leaves(right, depth - 1);
      static_cast<void>(one.wait(microseconds(random.below(10))));
      sum += one.join();
      break;
    }
    case 2: {
      counter done;
      native_provider::atomic<std::uint32_t> both{0};
      spawn_with_counter(done, [&, left] { both.fetch_add(leaves(left, depth - 1)); });
      spawn_with_counter(done, [&, right] { both.fetch_add(leaves(right, depth - 1)); });
      wait_for_counter(done);
      sum = both.load();
      break;
    }
    default: try { throw left;
      } catch (const std::uint64_t caught) {
        sum = leaves(caught, depth - 1);
        block(random);
      }
      sum += leaves(right, depth - 1);
  }
  block(random);
  return sum;
}

}  // namespace

void workers_that_change_threads(std::uint64_t seed) {
  chronicle events;
  runtime home(drawn_options(seed, events));
  for (std::uint64_t round = 0; round < 2; ++round) {  // the second with the threads of a new run
    auto first = home.spawn([=] { return leaves(seed * 2 + round, 4); });
    auto second = home.spawn([=] { return leaves(~seed * 2 + round, 3); });
    home.run();
    EXPECT_EQ(first.join(), 16U);
    EXPECT_EQ(second.join(), 8U);
  }
}

}  // namespace ramie::scenarios
