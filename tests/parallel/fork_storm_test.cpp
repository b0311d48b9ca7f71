// Random trees of forks whose functions yield, wait, spawn, throw and compute, from a seed.
#include <ramie/ramie.hpp>

#include <parallel/ways.hpp>
#include <support/fibers.hpp>
#include <support/repetitions.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <random>
#include <string>

namespace ramie {
namespace {

using test::watchdog;

class tree {
 public:
  /// How many nodes ran: the same number for the same seed, on any workers.
  std::uint64_t node(std::uint64_t seed, unsigned depth) {
    std::minstd_rand random(static_cast<std::uint32_t>(seed));
    random.discard(3);
    ++m_ran;
    switch (random() % 8) {
      case 0: yield(); break;
      case 1: wait_for_a_spawned_one(); break;
      case 2: test::compute(std::chrono::microseconds(random() % 20)); break;
      default: break;
    }
    if (depth == 0 || random() % 6 == 0) return 1;
    const std::uint64_t a = random();
    const std::uint64_t b = random();
    const std::uint64_t c = random();
    switch (random() % 5) {
      case 0: return 1 + throwing(a, b, depth - 1);
      case 1: return 1 + waiting_for_the_other(a, b, depth - 1);
      case 2: {
        const auto [x, y, z] = fork_join([&] { return node(a, depth - 1); }, [&] { return node(b, depth - 1); },
                                         [&] { return node(c, depth - 1); });
        return 1 + x + y + z;
      }
      default: {
        const auto [x, y] = fork_join([&] { return node(a, depth - 1); }, [&] { return node(b, depth - 1); });
        return 1 + x + y;
      }
    }
  }
  [[nodiscard]] std::uint64_t ran() const { return m_ran; }

 private:
  struct thrown {
    std::uint64_t nodes;
  };

  static void wait_for_a_spawned_one() {
    counter done;
    spawn_with_counter(done, [] { yield(); });
    wait_for_counter(done);
  }

  // The first throws; the other runs all the same.
  std::uint64_t throwing(std::uint64_t a, std::uint64_t b, unsigned depth) {
    std::uint64_t other = 0;
    try {
      fork_join([&] { throw thrown{node(a, depth)}; }, [&] { other = node(b, depth); });
    } catch (const thrown& first) {
      yield();  // inside the handler
      return first.nodes + other;
    }
    ADD_FAILURE() << "nothing was thrown";
    return 0;
  }

  std::uint64_t waiting_for_the_other(std::uint64_t a, std::uint64_t b, unsigned depth) {
    counter second_began(1);
    const auto [x, y] = fork_join(
        [&] {
          wait_for_counter(second_began);
          return node(a, depth);
        },
        [&] {
          second_began.decrement();
          return node(b, depth);
        });
    return x + y;
  }

  std::atomic<std::uint64_t> m_ran{0};
};

class ForkStorm : public test::in_each_way {};
INSTANTIATE_TEST_SUITE_P(Ways, ForkStorm, ::testing::ValuesIn(test::all_ways({1, 2, 4, 16})),
                         ::testing::PrintToStringParamName());

TEST_P(ForkStorm, EachNodeRunsOnce) {
  const watchdog limit("storm of forks");
  for (const std::uint64_t seed : test::seeds(test::sanitized ? 10 : 50)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    tree of;
    const std::uint64_t nodes = run(GetParam().chosen(), [&] { return of.node(seed, 9); });
    ASSERT_EQ(nodes, of.ran());
  }
}

}  // namespace
}  // namespace ramie
