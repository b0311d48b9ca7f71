// Drivers that complete things: rings of support/test_ring.hpp, whose kernel is a thread of the machine.
#include <simulation/scenarios.hpp>

#include <simulation/drawn_options.hpp>
#include <simulation/simulator/chronicle.hpp>
#include <support/test_ring.hpp>
#include <support/threads.hpp>

#include <ramie/base/random.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/sleep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace ramie::scenarios {
namespace {

class simulated_kernel {
 public:
  ~simulated_kernel() {
    m_over.store(1);
    m_bell.interrupt();
  }
  void operator()(test::operation& submitted) {
    {
      const std::lock_guard guard(m_lock);
      m_submitted.push_back(&submitted);
    }
    m_bell.interrupt();
  }

 private:
  void run() {
    for (;;) {
      const bool over = m_over.load() != 0;
      std::vector<test::operation*> all;
      {
        const std::lock_guard guard(m_lock);
        all.swap(m_submitted);
      }
      for (test::operation* const each : all) each->on->complete(*each);
      if (over) return;
      m_bell.wait(std::nullopt);
    }
  }
  futex_lock<> m_lock;
  std::vector<test::operation*> m_submitted;
  native_provider::atomic<int> m_over{0};
  futex_idle_driver<> m_bell;
  test::thread m_thread{[this] { run(); }};
};

options with_rings(std::uint64_t seed, observer& events, test::ring_group& group) {
  options chosen = sim::drawn_options(seed, events);
  if (seed % 2 == 0) chosen.spin = std::chrono::nanoseconds(0);
  chosen.drivers = &group;
  return chosen;
}

void expect_in_order(const test::ring_group& group, int operations) {
  EXPECT_EQ(group.wrong_thread, 0);
  EXPECT_EQ(group.attached, group.detached);
  EXPECT_EQ(group.reaped, operations);
}

}  // namespace

void operations_on_rings(std::uint64_t seed) {
  sim::chronicle events;
  test::ring_group group;
  constexpr int fibers = 5, rounds = 4;
  {
    runtime home(with_rings(seed, events, group));
    simulated_kernel completes;  // ends before the rings do
    home.spawn([&] {
          counter done;
          for (int i = 0; i < fibers; ++i) {
            spawn_with_counter(done, [&, from = seed * 8 + static_cast<std::uint64_t>(i)] {
              random_source random(from);
              for (int round = 0; round < rounds; ++round) {
                test::operation mine;
                perform(mine, completes);
                switch (random.below(6)) {
                  case 0: yield(); break;
                  case 1: static_cast<void>(sleep_for(std::chrono::microseconds(random.below(30)))); break;
                  case 2: spawn([] { yield(); }).join(); break;
                  case 3: {
                    const detail::without_worker blocking;
                    break;
                  }
                  default: break;
                }
              }
            });
          }
          wait_for_counter(done);
        })
        .detach();
    home.run();
  }
  expect_in_order(group, fibers * rounds);
}

// Completions on the ring of a worker that does not look are taken by another.
void completions_of_a_busy_worker(std::uint64_t seed) {
  sim::chronicle events;
  test::ring_group group;
  constexpr int rounds = 5;
  {
    options chosen = with_rings(seed, events, group);
    chosen.workers = std::max(chosen.workers, 2U);
    chosen.stealing = true;
    // Items in the owner's block stay there while the owner spins.
    if (chosen.queue == queue_kind::bwos_lifo || chosen.queue == queue_kind::bwos_fifo)
      chosen.queue = queue_kind::split;
    runtime home(chosen);
    simulated_kernel completes;
    home.spawn([&] {
          for (int round = 0; round < rounds; ++round) {
            test::operation mine;
            native_provider::atomic<std::uint32_t> went_on{0};
            this_fiber::driver<test::test_ring>()->submit(mine);
            auto waits = spawn([&] {
              wait_for_counter(mine.done);
              went_on.store(1);
            });
            completes(mine);
            while (went_on.load() == 0) native_provider::pause();
            waits.join();
          }
        })
        .detach();
    home.run();
  }
  expect_in_order(group, rounds);
}

}  // namespace ramie::scenarios
