// Trees of jobs that do everything at once, from a seed.
#include "jobs.hpp"

#include <ramie/base/error.hpp>
#include <ramie/base/random.hpp>

#include <gtest/gtest.h>

#include <support/scarce_backend.hpp>
#include <support/tracked.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace ramie {
namespace {

using test::with_workers;

using JobStorm = test::jobs_test;
INSTANTIATE_TEST_SUITE_P(Job, JobStorm, test::jobs_everywhere, test::name_of_jobs_test);

// A tree that the seed decides: jobs block, throw, add siblings, continue and wait. Its sum is known beforehand.
class tree {
 public:
  explicit tree(std::uint64_t seed) : m_seed(seed) {}

  std::uint64_t run() {
    job::handle root = job::create([this](job::context& here) { node(here, m_seed, 6); });
    job::run(root);
    try {
      job::wait(root);
    } catch (const std::runtime_error&) {
      ++m_caught;
    }
    return m_sum;
  }
  static std::uint64_t expected(std::uint64_t seed, int depth, bool& throws) {
    random_source random(seed);
    std::uint64_t sum = seed % 1000;
    const unsigned children = depth > 0 ? random.below(6) : 0;
    throws = random.below(500) == 0 || throws;
    for (unsigned i = 0; i < children; ++i) sum += expected(random.next(), depth - 1, throws);
    return sum;
  }
  [[nodiscard]] int caught() const { return m_caught; }

 private:
  void node(job::context& here, std::uint64_t seed, int depth) {
    random_source random(seed);
    m_sum += seed % 1000;
    const unsigned children = depth > 0 ? random.below(6) : 0;
    const bool throws = random.below(500) == 0;
    random_source taste(seed ^ 0x9E3779B97F4A7C15U);
    for (unsigned i = 0; i < children; ++i) {
      const std::uint64_t next = random.next();
      const auto child = [this, next, depth](job::context& there) { node(there, next, depth - 1); };
      switch (taste.below(5)) {
        case 0: {
          job::handle waited = here.create_child(child);
          job::run(waited);
          job::wait(waited);  // what it throws leaves this one, too
          break;
        }
        case 1: {
          job::handle before = here.create_child([] { yield(); });
          job::add_continuation(before, here.create_child(child));
          job::run(std::move(before));
          break;
        }
        case 2: yield(); [[fallthrough]];
        default: here.run_child(child);
      }
    }
    if (throws) throw std::runtime_error("as the seed wants it");
  }

  const std::uint64_t m_seed;
  std::atomic<std::uint64_t> m_sum{0};
  std::atomic<int> m_caught{0};
};

TEST_P(JobStorm, Stress_TreesOfAllKinds) {
  for (const std::uint64_t seed : test::seeds(test::sanitized ? 20 : 100)) {
    const test::watchdog hung("a tree of jobs, seed " + std::to_string(seed));
    bool throws = false;
    const std::uint64_t sum = tree::expected(seed, 6, throws);
    ramie::run(chosen(), [&] {
      tree jobs(seed);
      const std::uint64_t found = jobs.run();
      // A job that throws in a wait leaves its later children out.
      if (throws) return;
      EXPECT_EQ(found, sum) << "seed " << seed;
      EXPECT_EQ(jobs.caught(), 0) << "seed " << seed;
    });
  }
}

}  // namespace
}  // namespace ramie
