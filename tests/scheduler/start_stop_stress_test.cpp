// Runtimes that come and go.
#include <support/eventually.hpp>
#include <support/fibers.hpp>
#include <support/process.hpp>
#include <support/repetitions.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace ramie {
namespace {

using test::watchdog;
using test::with_workers;

TEST(Runtime, StartStopStress_LeavesNoThreadFileOrMemory) {
  const watchdog limit("200 start/stop cycles");
  const auto cycle = [](unsigned workers) {
    runtime home(with_workers(workers));
    home.start();
    auto fiber = home.spawn([] {
      counter done;
      for (int i = 0; i < 10; ++i) spawn_with_counter(done, [] { yield(); });
      wait_for_counter(done);
    });
    fiber.join();
    home.stop();
  };
  for (unsigned i = 0; i < 40; ++i) cycle(i % 4 + 1);  // allocators, thread stacks and sanitizers settle
  const test::thread_ids threads = test::threads();
  const std::size_t files = test::open_files();
  const std::size_t mappings = test::mapping_count(), memory = test::resident();
  for (unsigned i = 0; i < 200; ++i) cycle(i % 4 + 1);
  EXPECT_TRUE(test::eventually("the workers are gone", [&] { return test::threads_since(threads) == 0; }));
  EXPECT_EQ(test::open_files(), files);
  if (!test::sanitized) {  // whose shadow memory and quarantine grow by design
    EXPECT_LE(test::mapping_count(), mappings + 8);
    EXPECT_LE(test::resident(), memory + (std::size_t{4} << 20U));
  }
}

TEST(Runtime, StartStopStress_ForeignSpawnsMeanwhile) {
  for (const std::uint64_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const watchdog limit("foreign spawns during stop, seed " + std::to_string(seed));
    std::atomic<int> spawned{0}, ran{0};
    {
      runtime home(with_workers(2));
      std::atomic<bool> over{false};
      // In bursts with pauses: stop() waits until no fiber is left, and a thread that never pauses would keep it.
      std::thread outside([&] {
        while (!over) {
          for (int i = 0; i < 50; ++i, ++spawned) home.spawn([&] { yield(), ++ran; }).detach();
          while (ran != spawned && !over) std::this_thread::sleep_for(std::chrono::microseconds(50));
          std::this_thread::sleep_for(std::chrono::microseconds(seed * 50));
        }
      });
      for (int round = 0; round < 5; ++round) {
        home.start();
        std::this_thread::sleep_for(std::chrono::microseconds(300 * seed % 1700));
        if (round == 4) over = true;
        home.stop();
      }
      outside.join();
      home.run();  // what came after the last stop
    }
    EXPECT_EQ(ran, spawned);
  }
}

}  // namespace
}  // namespace ramie
