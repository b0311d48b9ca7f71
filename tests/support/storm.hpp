// Everything at once, from a seed: fibers that spawn, yield, wait, throw, are woken from foreign threads and by another
// runtime. The sum of each fiber is compared with the one that the seed gives.
#pragma once

#include <support/fibers.hpp>
#include <support/outside_threads.hpp>

#include <ramie/base/random.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

namespace ramie::test {

class storm {
  struct thrown {
    std::uint64_t value;
  };

 public:
  storm(outside_threads& outside, runtime* other) : m_outside(outside), m_other(other) {}

  /// The weight of the tree of fibers below this seed: the same in every order of events.
  std::uint64_t node(std::uint64_t seed, int depth) {
    random_source random(seed);
    ++m_fibers;
    std::uint64_t weight = seed % 1000 + 1;
    const unsigned children = depth == 0 ? 0 : random.below(5);
    for (unsigned i = random.below(4); i > 0; --i) yield();
    switch (random.below(7)) {
      case 0:
      case 1: weight += joined(random, children, depth); break;
      case 2: weight += counted(random, children, depth); break;
      case 3: weight += throwing(random, children, depth); break;
      case 4: weight += by_outside_threads(random, children, depth); break;
      case 5: weight += elsewhere(random, children, depth); break;
      default: weight += in_a_catch(random, children, depth); break;
    }
    return weight;
  }

  [[nodiscard]] std::uint64_t fibers() const { return m_fibers; }

  /// The same sum by plain recursion.
  static std::uint64_t expected(std::uint64_t seed, int depth, std::uint64_t& fibers) {
    random_source random(seed);
    ++fibers;
    std::uint64_t weight = seed % 1000 + 1;
    const unsigned children = depth == 0 ? 0 : random.below(5);
    static_cast<void>(random.below(4));
    static_cast<void>(random.below(7));
    for (unsigned i = 0; i < children; ++i) weight += expected(random.next(), depth - 1, fibers);
    return weight;
  }

 private:
  std::uint64_t joined(random_source& random, unsigned children, int depth) {
    std::vector<join_handle<std::uint64_t>> handles;
    for (unsigned i = 0; i < children; ++i) {
      const std::uint64_t seed = random.next();
      handles.push_back(spawn([this, seed, depth] { return node(seed, depth - 1); }));
    }
    std::uint64_t sum = 0;
    while (!handles.empty()) {
      sum += handles.back().join();
      handles.pop_back();
    }
    return sum;
  }

  std::uint64_t counted(random_source& random, unsigned children, int depth) {
    std::atomic<std::uint64_t> sum{0};
    counter left;
    for (unsigned i = 0; i < children; ++i) {
      const std::uint64_t seed = random.next();
      spawn_with_counter(left, [this, seed, depth, &sum] { sum += node(seed, depth - 1); });
    }
    if (children > 1) wait_for_counter(left, 1);
    wait_for_counter(left);
    return sum;
  }

  std::uint64_t throwing(random_source& random, unsigned children, int depth) {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < children; ++i) {
      const std::uint64_t seed = random.next();
      auto fails = spawn([this, seed, depth] { throw thrown{node(seed, depth - 1)}; });
      try {
        fails.join();
        ADD_FAILURE() << "nothing was thrown";
      } catch (const thrown& caught) {
        yield();
        sum += caught.value;
      }
    }
    return sum;
  }

  std::uint64_t by_outside_threads(random_source& random, unsigned children, int depth) {
    counter released(2);
    m_outside.decrement_soon(released);
    const std::uint64_t sum = joined(random, children, depth);
    m_outside.decrement_soon(released);
    wait_for_counter(released);
    return sum;
  }

  // In the other runtime, where there is one; detached, so that only a counter brings the result back.
  std::uint64_t elsewhere(random_source& random, unsigned children, int depth) {
    std::atomic<std::uint64_t> sum{0};
    counter left(children);
    for (unsigned i = 0; i < children; ++i) {
      const std::uint64_t seed = random.next();
      const auto work = [this, seed, depth, &sum, &left] {
        sum += node(seed, depth - 1);
        left.decrement();
      };
      (m_other != nullptr ? m_other->spawn(work) : spawn(work)).detach();
    }
    wait_for_counter(left);
    return sum;
  }

  std::uint64_t in_a_catch(random_source& random, unsigned children, int depth) {
    try {
      throw thrown{7};
    } catch (const thrown& caught) {
      const std::uint64_t sum = joined(random, children, depth);
      EXPECT_EQ(caught.value, 7U);
      EXPECT_EQ(std::uncaught_exceptions(), 0);
      return sum;
    }
  }

  outside_threads& m_outside;
  runtime* const m_other;
  std::atomic<std::uint64_t> m_fibers{0};
};

/// How much of it, and beside what.
struct storm_plan {
  std::uint64_t seed = 1;
  int depth = 6;
  int roots = 60;
  /// A second runtime, started for the time of the storm; null: one runtime alone.
  const options* other = nullptr;
};

/// One storm in a runtime made with `chosen`.
inline void check_storm(const options& chosen, const storm_plan& plan) {
  std::uint64_t expected = 0, expected_fibers = 0, sum = 0, fibers = 0;
  {
    std::optional<runtime> other;
    if (plan.other != nullptr) other.emplace(*plan.other).start();
    outside_threads outside(2);  // gone before the runtimes whose fibers they wake
    runtime home(chosen);
    storm program(outside, other ? &*other : nullptr);
    std::vector<join_handle<std::uint64_t>> handles;
    for (int root = 0; root < plan.roots; ++root) {
      const std::uint64_t root_seed = plan.seed * 1000 + static_cast<std::uint64_t>(root);
      handles.push_back(home.spawn([&program, &plan, root_seed] { return program.node(root_seed, plan.depth); }));
      expected += storm::expected(root_seed, plan.depth, expected_fibers);
    }
    home.run();
    for (auto& each : handles) sum += each.join();
    fibers = program.fibers();
    if (!other) {
      std::uint64_t done = 0, spawned = static_cast<std::uint64_t>(plan.roots);
      for (const worker_statistics& each : home.statistics()) done += each.done, spawned += each.spawned;
      EXPECT_EQ(done, spawned);
      EXPECT_EQ(done, fibers);
    }
  }
  EXPECT_EQ(sum, expected);
  EXPECT_EQ(fibers, expected_fibers);
}

}  // namespace ramie::test
