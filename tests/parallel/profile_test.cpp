// The profile, on one worker, of algorithms that divide by the number of workers.
#include <ramie/ramie.hpp>
#include <ramie/scheduler/work_span.hpp>

#include <parallel/sort_inputs.hpp>
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ramie {
namespace {

template <class Sort>
double parallelism_of(Sort sort, std::vector<std::uint64_t> v) {
  work_span profile;
  run({.workers = 1, .events = &profile}, [&] { sort(v); });
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  return profile.result().parallelism();
}

TEST(Profile, OfASort_IsThatOfTheWayThatManyWorkersTake) {
  const test::watchdog limit("profiles of sorts");
  const auto by_lambda = [](std::uint64_t a, std::uint64_t b) { return a < b; };
  const std::vector<std::uint64_t> random = test::numbers<std::uint64_t>(test::patterns().front(), 1'000'000, 1);
  EXPECT_GT(parallelism_of([](auto& v) { ramie::sort(v); }, random), 2);
  EXPECT_GT(parallelism_of([&](auto& v) { ramie::sort(v, by_lambda); }, random), 2);
  EXPECT_GT(parallelism_of([&](auto& v) { ramie::stable_sort(v, by_lambda); }, random), 2);
  // Counted, or found in order: no fork that finds the others' pieces done.
  std::vector<std::uint64_t> few = random;
  for (std::uint64_t& each : few) each %= 1000;
  EXPECT_GT(parallelism_of([](auto& v) { ramie::sort(v); }, few), 2);
  std::vector<std::uint64_t> rising(few.size());
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = i;
  EXPECT_GT(parallelism_of([&](auto& v) { ramie::sort(v, by_lambda); }, rising), 2);
}

}  // namespace
}  // namespace ramie
