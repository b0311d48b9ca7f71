// call_once: as the standard has it, between fibers and threads.
#include <support/fibers.hpp>

#include <ramie/sync/once.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::with_workers;

constinit once_flag made_at_compile_time;

class Once : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Once, ::testing::Values(1U, 2U, 4U));

TEST_P(Once, OneCalls_AndTheOthersSeeWhatItHasDone) {
  for (int round = 0; round < 50; ++round) {
    once_flag flag;
    int value = 0;
    const auto use = [&] {
      call_once(flag, [&] {
        sleep_for(10us);
        ++value;
      });
      EXPECT_EQ(value, 1);
    };
    std::vector<std::thread> outside;
    for (int i = 0; i < 2; ++i) outside.emplace_back(use);
    run(chosen, [&] {
      counter done;
      for (int i = 0; i < 10; ++i) spawn_with_counter(done, use);
      wait_for_counter(done);
    });
    for (std::thread& each : outside) each.join();
  }
}

TEST_P(Once, AnExceptionLeavesItToTheNext) {
  run(chosen, [] {
    once_flag flag;
    int calls = 0;
    native_provider::atomic<int> thrown{0};
    counter done;
    for (int i = 0; i < 10; ++i) {
      spawn_with_counter(done, [&] {
        try {
          call_once(flag, [&] {
            yield();
            if (++calls < 4) throw std::runtime_error("not yet");
          });
        } catch (const std::runtime_error&) {
          thrown.fetch_add(1);
        }
      });
    }
    wait_for_counter(done);
    EXPECT_EQ(calls, 4);
    EXPECT_EQ(thrown.load(), 3);
  });
}

struct counted {
  int calls = 0;
  void add(int amount, std::unique_ptr<int> more) { calls += amount + *more; }
};

TEST(OnceCalls, AnythingWithArguments) {
  counted of;
  call_once(made_at_compile_time, &counted::add, of, 1, std::make_unique<int>(2));
  call_once(made_at_compile_time, &counted::add, of, 1, std::make_unique<int>(2));
  EXPECT_EQ(of.calls, 3);
}

}  // namespace
}  // namespace ramie
