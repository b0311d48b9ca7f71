#include <simulation/scenarios.hpp>

#include <simulation/drawn_options.hpp>
#include <simulation/simulator/chronicle.hpp>
#include <support/storm.hpp>
#include <support/threads.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <climits>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

namespace ramie::scenarios {
namespace {

using sim::chronicle;
using sim::drawn_options;
using test::thread;
using word = native_provider::atomic<std::uint32_t>;

// Without giving way to other fibers.
void hold_until(const word& arrived, std::uint32_t wanted) {
  while (arrived.load() < wanted) native_provider::pause();
}

options with_thieves(options chosen) {
  if (chosen.workers < 2) chosen.workers = 2;
  chosen.stealing = true;
  // Items in the owner's block stay there while the owner spins.
  if (chosen.queue == queue_kind::bwos_lifo || chosen.queue == queue_kind::bwos_fifo) chosen.queue = queue_kind::split;
  return chosen;
}

}  // namespace

void storm(std::uint64_t seed) {
  chronicle events;
  test::check_storm(drawn_options(seed, events), {.seed = seed, .depth = 3, .roots = 4});
}

void storm_between_two(std::uint64_t seed) {
  chronicle events, others_events("other");
  const options other = drawn_options(seed, others_events, 1);
  test::check_storm(drawn_options(seed, events), {.seed = seed, .depth = 3, .roots = 4, .other = &other});
}

void child_while_its_spawner_spins(std::uint64_t seed) {
  chronicle events;
  options chosen = with_thieves(drawn_options(seed, events));
  if (seed % 2 == 0) chosen.spin = std::chrono::nanoseconds(0);  // asleep each time
  run(chosen, [] {
    for (int round = 0; round < 8; ++round) {
      word arrived{0};
      auto child = spawn([&] { arrived.fetch_add(1); });
      hold_until(arrived, 1);
      child.join();
    }
  });
}

void two_who_need_each_other(std::uint64_t seed) {
  chronicle events;
  options chosen = drawn_options(seed, events);
  if (chosen.workers < 3) chosen.workers += 2;
  if (seed % 2 == 0) chosen.spin = std::chrono::nanoseconds(0);
  runtime home(chosen);
  home.start();
  for (int round = 0; round < 12; ++round) {
    word arrived{0};
    const auto meet = [&] { arrived.fetch_add(1), hold_until(arrived, 2); };
    auto left = home.spawn(meet), right = home.spawn(meet);
    left.join();
    right.join();
  }
}

void targets(std::uint64_t seed) {
  chronicle events;
  random_source random(seed);
  constexpr std::int64_t top = 8;
  constexpr std::int64_t waiting = 12;
  counter count(top), all_passed(waiting);
  std::uint32_t passed = 0;  // no step comes between reading and writing it
  runtime home(drawn_options(seed, events));
  for (std::int64_t i = 0; i < waiting; ++i) {
    home.spawn([&, target = static_cast<std::int64_t>(random.below(top))] {
          wait_for_counter(count, target);
          ++passed;
          all_passed.decrement();
        })
        .detach();
  }
  for (int i = 0; i < 2; ++i) {
    home.spawn([&] {
          for (int j = 0; j < 6; ++j) {
            count.add(3);
            if (j % 2 == 0) yield();
            count.decrement(3);
          }
        })
        .detach();
  }
  home.start();
  thread down([&] {
    for (std::int64_t i = 0; i < top; ++i) count.decrement();
  });
  thread waits_too([&] { wait_for_counter(count, 2); });
  wait_for_counter(all_passed);
  down.join();
  waits_too.join();
  home.stop();
  EXPECT_EQ(passed, waiting);
  EXPECT_EQ(count.value(), 0);
}

void crowd(std::uint64_t seed) {
  chronicle events;
  random_source random(seed);
  const std::uint32_t size = random.below(2) == 0 ? 300 : 10 + random.below(60);
  counter gate(1), begun(size);
  std::uint32_t passed = 0;
  runtime home(drawn_options(seed, events));
  std::vector<join_handle<void>> all;
  for (std::uint32_t i = 0; i < size; ++i) {
    all.push_back(home.spawn([&] {
      begun.decrement();
      wait_for_counter(gate);
      ++passed;
      if (passed % 16 == 0) yield();
    }));
  }
  home.start();
  wait_for_counter(begun);
  if (random.below(2) == 0) {
    gate.decrement();
  } else {
    home.spawn([&] { gate.decrement(); }).detach();
  }
  for (auto& each : all) each.join();
  home.stop();
  EXPECT_EQ(passed, size);
}

void counters_that_go_at_once(std::uint64_t seed) {
  chronicle events;
  runtime home(drawn_options(seed, events));
  home.start();
  auto inside = home.spawn([] {
    for (int round = 0; round < 6; ++round) {
      auto done = std::make_unique<counter>();
      for (int i = round % 3; i >= 0; --i) spawn_with_counter(*done, [] {});
      if (round % 2 == 0) yield();
      wait_for_counter(*done);
      done.reset();
    }
  });
  for (int round = 0; round < 3; ++round) {
    auto done = std::make_unique<counter>(2);
    counter* const awaited = done.get();
    for (int i = 0; i < 2; ++i) home.spawn([awaited] { awaited->decrement(); }).detach();
    wait_for_counter(*done);
    done.reset();
  }
  inside.join();
}

void handles_that_travel(std::uint64_t seed) {
  chronicle events, others_events("other");
  random_source random(seed);
  runtime home(drawn_options(seed, events)), other(drawn_options(seed, others_events, 1));
  home.start();
  other.start();
  std::vector<thread> threads;
  std::vector<join_handle<int>> joiners;
  counter detached;
  int expected = 0;
  int joined_by_threads = 0;
  for (int i = 1; i <= 6; ++i) {
    const unsigned yields = random.below(3);
    detached.add();
    auto value = home.spawn([i, yields, &detached] {
      for (unsigned j = 0; j < yields; ++j) yield();
      detached.decrement();
      return i;
    });
    switch (random.below(4)) {
      case 0: value.detach(); break;
      case 1:
        expected += i;
        threads.emplace_back([&joined_by_threads, held = std::make_shared<join_handle<int>>(std::move(value))] {
          const int joined = held->join();
          joined_by_threads += joined;
        });
        break;
      case 2:
        expected += i;
        joiners.push_back(home.spawn([held = std::move(value)]() mutable { return held.join(); }));
        break;
      default:
        expected += i;
        joiners.push_back(other.spawn([held = std::move(value)]() mutable { return held.join(); }));
        break;
    }
  }
  threads.clear();
  int sum = joined_by_threads;
  for (auto& each : joiners) sum += each.join();
  wait_for_counter(detached);
  EXPECT_EQ(sum, expected);
}

void joins_at_the_last_moment(std::uint64_t seed) {
  chronicle events;
  const auto wait = [](std::uint32_t pauses) {
    for (; pauses > 0; --pauses) native_provider::pause();
  };
  int sum = 0;
  run(with_thieves(drawn_options(seed, events)), [&] {
    random_source random(seed);
    for (int round = 0; round < 12; ++round) {
      auto child = spawn([&wait, pauses = random.below(6)] {
        wait(pauses);
        return 1;
      });
      wait(random.below(20));
      sum += child.join();
    }
  });
  EXPECT_EQ(sum, 12);
}

void start_and_stop(std::uint64_t seed) {
  chronicle events;
  word spawned{0}, ran{0};
  {
    runtime home(drawn_options(seed, events));
    const auto some_more = [&](std::uint32_t how_many) {
      for (; how_many > 0; --how_many) {
        spawned.fetch_add(1);
        home.spawn([&] {
              yield();
              ran.fetch_add(1);
            })
            .detach();
      }
    };
    thread outside([&] {
      for (int burst = 0; burst < 4; ++burst) {
        some_more(3);
        for (int i = 0; i < 30; ++i) native_provider::yield_thread();
      }
    });
    for (int round = 0; round < 3; ++round) {
      home.start();
      some_more(static_cast<std::uint32_t>(seed % 3));
      home.stop();
    }
    outside.join();
    home.run();  // what came after the last stop
  }
  EXPECT_EQ(ran.load(), spawned.load());
}

void destroyed_under_a_waker(std::uint64_t seed) {
  chronicle lasting_events("lasting");
  std::array<native_provider::atomic<counter*>, 2> handed{};
  word over{0};
  std::vector<thread> outside;
  for (auto& mine : handed) {
    outside.emplace_back([&] {
      while (over.load() == 0) {
        if (counter* const awaited = mine.exchange(nullptr)) {
          awaited->decrement();
        } else {
          native_provider::yield_thread();
        }
      }
    });
  }
  runtime lasting(drawn_options(seed, lasting_events, 1));
  lasting.start();
  for (int round = 0; round < 3; ++round) {
    chronicle events;
    std::array<counter, 2> done{counter(1), counter(1)};
    std::optional<runtime> home(std::in_place, drawn_options(seed + static_cast<std::uint64_t>(round), events));
    for (std::size_t i = 0; i < done.size(); ++i) {
      home->spawn([&, i] {
            handed[i].store(&done[i]);
            wait_for_counter(done[i]);
          })
          .detach();
    }
    home->spawn([&] {
          auto there = lasting.spawn([] {});
          there.join();
        })
        .detach();
    home->run();
    home.reset();
  }
  over.store(1);
}

void thieves(std::uint64_t seed) {
  chronicle events;
  options chosen = with_thieves(drawn_options(seed, events));
  chosen.queue = queue_kind::chase_lev;
  chosen.spin = std::chrono::microseconds(20);
  std::uint32_t ran = 0;
  run(chosen, [&] {
    for (std::uint32_t round = 1; round <= 10; ++round) {
      counter left;
      for (std::uint32_t i = round % 2; i < 2; ++i) spawn_with_counter(left, [&] { ++ran; });
      for (std::uint32_t i = round % 3; i > 0; --i) native_provider::pause();  // let them come
      wait_for_counter(left);
    }
  });
  EXPECT_EQ(ran, 15U);
}

namespace {

class tree_that_migrates {
 public:
  explicit tree_that_migrates(random_source& random) : m_random(random) {}

  /// How many nodes there are.
  std::uint32_t node(unsigned depth) {
    maybe_migrate();
    ++m_ran;
    if (depth == 0) return 1;
    const auto [left, right] = fork_join(
        [&] {
          maybe_migrate();
          return node(depth - 1);
        },
        [&] {
          const std::uint32_t found = node(depth - 1);
          maybe_migrate();
          return found;
        });
    maybe_migrate();
    return left + right + 1;
  }
  [[nodiscard]] std::uint32_t ran() const { return m_ran; }
  [[nodiscard]] std::uint32_t moved() const { return m_moved; }

 private:
  void maybe_migrate() {
    if (m_random.below(6) != 0 || m_holding + 1 >= this_fiber::worker_count()) return;
    ++m_holding;
    const unsigned here = this_fiber::worker_index();
    word begun{0};
    counter gate(1);
    // Another worker must run it, for this one is held until it does; and the opener of the gate takes us.
    auto ferry = spawn([&] {
      begun.store(1);
      for (std::uint64_t i = m_random.below(8); i > 0; --i) native_provider::pause();
      gate.decrement();
    });
    hold_until(begun, 1);
    --m_holding;
    wait_for_counter(gate);
    if (this_fiber::worker_index() != here) ++m_moved;
    ferry.join();
  }

  random_source& m_random;  // of the whole run: no step comes between reading and writing
  std::uint32_t m_ran = 0;
  std::uint32_t m_holding = 0;  // workers that do nothing else
  std::uint32_t m_moved = 0;
};

}  // namespace

std::uint32_t migrations_of_forks(std::uint64_t seed) {
  chronicle events;
  options chosen = with_thieves(drawn_options(seed, events));
  if (seed % 4 != 0) chosen.events = nullptr;  // an observer sees every fork taken
  random_source random(seed);
  tree_that_migrates tree(random);
  const std::uint32_t nodes = run(chosen, [&] { return tree.node(4); });
  EXPECT_EQ(nodes, 31U);
  EXPECT_EQ(tree.ran(), nodes);
  return tree.moved();
}

void forks_that_migrate(std::uint64_t seed) { static_cast<void>(migrations_of_forks(seed)); }

void yields_among_sleepers(std::uint64_t seed) {
  chronicle events;
  options chosen = drawn_options(seed, events);
  runtime home(chosen);
  word answered{0};
  home.start();
  auto waits = home.spawn([&] {
    unsigned rounds = 0;
    for (; answered.load() == 0; ++rounds) yield();
    return rounds;
  });
  home.spawn([&] { answered.store(1); }).detach();
  static_cast<void>(waits.join());
  home.stop();
}

namespace {

void run_forks_that_need_each_other(const options& chosen) {
  run(chosen, [] {
    word arrived{0};
    // Its worker sleeps with it.
    const auto meet = [&](std::uint32_t all) {
      arrived.fetch_add(1);
      native_provider::futex_wake(arrived, INT_MAX);
      for (std::uint32_t seen = arrived.load(); seen < all; seen = arrived.load()) {
        native_provider::futex_wait(arrived, seen);
      }
    };
    for (std::uint32_t round = 0; round < 4; ++round) {
      fork_join([&] { meet(5 * round + 2); }, [&] { meet(5 * round + 2); });
      fork_join([&] { meet(5 * round + 5); },
                [&] { fork_join([&] { meet(5 * round + 5); }, [&] { meet(5 * round + 5); }); });
    }
  });
}

}  // namespace

void forks_that_need_each_other(std::uint64_t seed) {
  chronicle events;
  options chosen = with_thieves(drawn_options(seed, events));
  if (chosen.workers < 3) chosen.workers = 3;
  if (seed % 4 != 0) chosen.events = nullptr;                    // an observer sees every fork taken
  if (seed % 3 != 0) chosen.spin = std::chrono::nanoseconds(0);  // asleep each time
  run_forks_that_need_each_other(chosen);
}

void forks_among_sleepers(std::uint64_t seed) {
  chronicle events;
  options chosen = with_thieves(drawn_options(seed, events));
  chosen.workers = 3;
  chosen.events = nullptr;
  chosen.spin = std::chrono::nanoseconds(0);
  chosen.fork_stealing = fork_stealing::child;
  run_forks_that_need_each_other(chosen);
}

void third_worker_refused() {
  chronicle events;
  options chosen = drawn_options(1, events);
  chosen.workers = 3;
  runtime home(chosen);
  bool ran = false;
  auto fiber = home.spawn([&] { ran = true; });
  EXPECT_THROW(home.start(), std::system_error);
  EXPECT_FALSE(ran);
  home.run();
  fiber.join();
  EXPECT_TRUE(ran);
}

}  // namespace ramie::scenarios
