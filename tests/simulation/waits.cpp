// Deadlines, in virtual time.
#include <simulation/scenarios.hpp>

#include <simulation/drawn_options.hpp>
#include <simulation/simulator/chronicle.hpp>
#include <support/threads.hpp>

#include <ramie/base/random.hpp>
#include <ramie/ramie.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

namespace ramie::scenarios {
namespace {

using sim::chronicle;
using sim::drawn_options;
using std::chrono::microseconds;
using word = native_provider::atomic<std::uint32_t>;

void sleep_and_look(microseconds time) {
  const auto until = native_provider::now() + time;
  sleep_until(until);
  EXPECT_GE(native_provider::now(), until) << "a sleeper woke too early";
}

}  // namespace

// Waiters give up at any moment; the object of the wait goes as soon as the wait allows it.
void waits_that_give_up(std::uint64_t seed) {
  chronicle events;
  const options chosen = drawn_options(seed, events);
  run(chosen, [seed] {
    counter done;
    for (unsigned i = 0; i < 4; ++i) {
      spawn_with_counter(done, [seed, i] {
        random_source random(seed * 8 + i);
        for (int round = 0; round < 3; ++round) {
          auto awaited = std::make_unique<counter>(1);
          auto fiber = spawn([&counted = *awaited, life = random.below(30)] {
            if (life % 3 != 0) sleep_and_look(microseconds(life));
            counted.decrement();
            return 7;
          });
          const auto deadline = microseconds(random.below(30));
          wake_reason reason = random.below(2) == 0 ? fiber.wait(deadline) : wake_reason::timed_out;
          if (reason != wake_reason::woken) reason = wait_for_counter(*awaited, 0, deadline);
          if (reason == wake_reason::woken) {
            wait_for_counter(*awaited);
            awaited.reset();
          }
          EXPECT_EQ(fiber.join(), 7);
        }
      });
    }
    wait_for_counter(done);
  });
}

// Deadlines in the heaps of workers that are busy, beside some that fall asleep: without anybody who keeps the time
// the busy ones would wait for ever.
void sleepers_beside_busy_workers(std::uint64_t seed) {
  chronicle events;
  options chosen = drawn_options(seed, events);
  if (chosen.workers < 2) chosen.workers = 2;
  chosen.stealing = true;  // a sleeper that has not begun may lie behind a busy fiber
  if (chosen.queue == queue_kind::bwos_lifo || chosen.queue == queue_kind::bwos_fifo) chosen.queue = queue_kind::split;
  run(chosen, [&] {
    random_source random(seed);
    const std::uint32_t sleepers = 1 + random.below(6);
    word awake{0};
    counter done;
    for (std::uint32_t i = 0; i < sleepers; ++i) {
      spawn_with_counter(done, [&awake, time = random.below(100)] {
        sleep_and_look(microseconds(time));
        sleep_and_look(microseconds(time / 2));
        awake.fetch_add(1);
      });
    }
    for (unsigned i = 1; i < chosen.workers; ++i) {
      spawn_with_counter(done, [&] {
        while (awake.load() < sleepers) native_provider::pause();
      });
    }
    wait_for_counter(done);
  });
}

// The kernel threads of a program, which have no worker that could keep the time.
void threads_that_give_up(std::uint64_t seed) {
  chronicle events;
  runtime home(drawn_options(seed, events));
  home.start();
  std::vector<std::unique_ptr<test::thread>> threads;
  for (unsigned i = 0; i < 2; ++i) {
    threads.push_back(std::make_unique<test::thread>([&home, seed, i] {
      random_source random(seed * 2 + i);
      for (int round = 0; round < 4; ++round) {
        auto fiber = home.spawn([life = random.below(40)] { sleep_and_look(microseconds(life)); });
        static_cast<void>(fiber.wait(microseconds(random.below(40))));
        sleep_and_look(microseconds(random.below(20)));
        fiber.join();
      }
    }));
  }
  threads.clear();
}

}  // namespace ramie::scenarios
