// ramie::run and what comes back from it.
#include <support/fibers.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace ramie {
namespace {

using test::message_of;
using test::with_workers;

TEST(Run, ReturnsWhatTheFunctionReturns) {
  EXPECT_EQ(run([] { return 42; }), 42);
  EXPECT_EQ(run(with_workers(3), [] { return std::string(1000, 'x'); }), std::string(1000, 'x'));
  run([] {});
  static_assert(std::is_void_v<decltype(run([] {}))>);
}

TEST(Run, ReturnsAReference_ToTheSameObject) {
  int variable = 1;
  int& same = run([&]() -> int& { return variable; });
  EXPECT_EQ(&same, &variable);
  static_assert(std::is_same_v<decltype(run([&]() -> int& { return variable; })), int&>);
}

TEST(Run, ReturnsWhatCanOnlyBeMoved) {
  const std::unique_ptr<int> made = run([] { return std::make_unique<int>(7); });
  EXPECT_EQ(*made, 7);
}

TEST(Run, ReturnsWhatHasNoDefaultConstructor) {
  struct stubborn {
    explicit stubborn(int v) : value(v) {}
    int value;
  };
  EXPECT_EQ(run([] { return stubborn(3); }).value, 3);
}

TEST(Run, ThrowsWhatTheFunctionThrows) {
  EXPECT_EQ(message_of<std::runtime_error>([] { run([] { throw std::runtime_error("from the first fiber"); }); }),
            "from the first fiber");
  EXPECT_THROW(run([]() -> int { throw 5; }), int);
}

TEST(Run, ReturnsOnlyWhenEveryFiberHasEnded) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    std::atomic<int> ended{0};
    run(with_workers(workers), [&] {
      for (int i = 0; i < 50; ++i) {
        spawn([&] {
          for (int j = 0; j < 20; ++j) yield();
          spawn([&] { yield(), ++ended; }).detach();
          ++ended;
        }).detach();
      }
    });
    EXPECT_EQ(ended, 100);
  }
}

TEST(Run, EveryFiberEndsThoughTheFirstThrew) {
  std::atomic<int> ended{0};
  EXPECT_THROW(run(with_workers(2),
                   [&] {
                     for (int i = 0; i < 20; ++i) spawn([&] { yield(), ++ended; }).detach();
                     throw std::logic_error("early");
                   }),
               std::logic_error);
  EXPECT_EQ(ended, 20);
}

TEST(Run, CallingThreadIsAWorker_AndTheOnlyOneIfThereIsOne) {
  const auto caller = std::this_thread::get_id();
  EXPECT_EQ(run(with_workers(1), [] { return std::this_thread::get_id(); }), caller);
}

TEST(Run, FirstFiberIsCalledMain) {
  EXPECT_EQ(run([] { return std::string(this_fiber::name()); }), "main");
}

TEST(Run, SixteenWorkersOnFewProcessors) {
  std::atomic<int> sum{0};
  run(with_workers(16), [&] {
    counter done;
    for (int i = 0; i < 1000; ++i) spawn_with_counter(done, [&] { yield(), ++sum; });
    wait_for_counter(done);
  });
  EXPECT_EQ(sum, 1000);
}

TEST(Run, InsideAFiber_IsMisuse) {
  const std::string said = run([] { return message_of<misuse>([] { run([] {}); }); });
  EXPECT_NE(said.find("inside a fiber"), std::string::npos) << said;
  EXPECT_NE(said.find("spawn a fiber instead"), std::string::npos) << said;
}

TEST(Run, OnAThreadThatAFiberMakes_IsAllowed) {
  EXPECT_EQ(run([] {
              int inner = 0;
              std::thread([&] { inner = run([] { return 5; }); }).join();
              return inner;
            }),
            5);
}

TEST(Run, FromSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> sum{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < 10; ++round) {
        sum += run(with_workers(1 + static_cast<unsigned>(t) % 2), [] {
          auto one = spawn([] { return yield(), 1; });
          return one.join();
        });
      }
    });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(sum, 40);
}

}  // namespace
}  // namespace ramie
