// The seam for running fibers on something else than pooled stacks.
#include <support/fibers.hpp>
#include <support/thread_backend.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace ramie {
namespace {

using test::watchdog;
using test::with_workers;

TEST(ExecutionBackend, EachFiberOnAThreadOfItsOwn_RunsTheSameProgram) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    const watchdog limit("thread backend, workers " + std::to_string(workers));
    test::thread_backend backend;
    options chosen = with_workers(workers);
    chosen.backend = &backend;
    const int sum = run(chosen, [] {
      counter done;
      std::atomic<int> counted{0};
      for (int i = 0; i < 30; ++i) {
        spawn_with_counter(done, [&, i] {
          const auto thread = std::this_thread::get_id();
          for (int j = i % 4; j > 0; --j) {
            yield();
            EXPECT_EQ(std::this_thread::get_id(), thread);
          }
          ++counted;
        });
      }
      wait_for_counter(done);
      auto child = spawn([] {
        for (int i = 0; i < 10; ++i) yield();
        return 70;
      });
      auto fails = spawn([] { throw std::runtime_error("on a thread"); });
      EXPECT_THROW(fails.join(), std::runtime_error);
      return counted + child.join();
    });
    EXPECT_EQ(sum, 100);
    EXPECT_EQ(backend.created(), 33);
    EXPECT_EQ(backend.alive(), 0);
  }
}

}  // namespace
}  // namespace ramie
