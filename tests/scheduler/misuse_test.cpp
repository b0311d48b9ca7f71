// Rules that a caller can break: an exception or the end of the process, with a sentence that says what to do.
#include <support/fibers.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <pthread.h>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ramie {
namespace {

using test::message_of;
using test::with_workers;

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(Misuse, JoinTwice_Throws) {
  run([] {
    auto fiber = spawn([] { return 1; });
    EXPECT_EQ(fiber.join(), 1);
    const std::string said = message_of<misuse>([&] { fiber.join(); });
    EXPECT_TRUE(contains(said, "join() on a handle without a fiber")) << said;
    const std::string detached = message_of<misuse>([&] { fiber.detach(); });
    EXPECT_TRUE(contains(detached, "detach() on a handle without a fiber")) << detached;
  });
}

TEST(Misuse, JoinAfterDetach_Throws) {
  run([] {
    auto fiber = spawn([] {});
    fiber.detach();
    EXPECT_THROW(fiber.join(), misuse);
  });
}

TEST(Misuse, JoinItself_Throws_AndTheHandleStaysGood) {
  run(with_workers(2), [] {
    std::optional<join_handle<int>> self;
    std::atomic<bool> set{false}, tried{false};
    std::string said;
    self.emplace(spawn([&] {
      while (!set) yield();
      said = message_of<misuse>([&] { self->join(); });
      tried = true;
      return 3;
    }));
    set = true;
    while (!tried) yield();
    EXPECT_EQ(self->join(), 3);
    EXPECT_TRUE(contains(said, "joined itself")) << said;
  });
}

TEST(Misuse, YieldOutsideAFiber_Throws) {
  const std::string said = message_of<misuse>([] { yield(); });
  EXPECT_TRUE(contains(said, "ramie::yield()")) << said;
  EXPECT_TRUE(contains(said, "ramie::run or ramie::spawn")) << said;
}

TEST(Misuse, ThisFiberOutsideAFiber_Throws) {
  EXPECT_TRUE(contains(message_of<misuse>([] { static_cast<void>(this_fiber::id()); }), "this_fiber::id()"));
  EXPECT_TRUE(contains(message_of<misuse>([] { static_cast<void>(this_fiber::name()); }), "this_fiber::name()"));
  EXPECT_THROW(static_cast<void>(this_fiber::worker_index()), misuse);
  EXPECT_THROW(static_cast<void>(this_fiber::worker_count()), misuse);
}

TEST(Misuse, SpawnWithoutARuntime_Throws_AndDestroysTheClosure) {
  const auto shared = std::make_shared<int>(0);
  const std::string said = message_of<misuse>([&] { spawn([shared] {}).detach(); });
  EXPECT_TRUE(contains(said, "no runtime")) << said;
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(Misuse, StopFromAnOwnFiber_Throws) {
  runtime home(with_workers(2));
  home.start();
  auto fiber = home.spawn([&] { return message_of<misuse>([&] { home.stop(); }); });
  const std::string said = fiber.join();
  home.stop();
  EXPECT_TRUE(contains(said, "stop() was called by one of its own fibers")) << said;
}

TEST(Misuse, RunningTwice_Throws) {
  runtime home(with_workers(1));
  home.start();
  EXPECT_TRUE(contains(message_of<misuse>([&] { home.start(); }), "running already"));
  EXPECT_TRUE(contains(message_of<misuse>([&] { home.run(); }), "running already"));
  home.stop();
  home.stop();  // harmless
  home.run();
}

TEST(Misuse, RunningInsideAFiber_Throws) {
  runtime other(with_workers(1));
  run([&] {
    EXPECT_THROW(other.run(), misuse);
    EXPECT_THROW(other.start(), misuse);
  });
  other.run();
}

TEST(Misuse, BadOptions_NameTheOptionAndItsRange) {
  EXPECT_TRUE(contains(message_of<bad_option>([] { runtime home(with_workers(5000)); }), "options.workers is 5000"));
  options negative;
  negative.spin = std::chrono::nanoseconds(-1);
  EXPECT_TRUE(contains(message_of<bad_option>([&] { runtime home(negative); }), "options.spin is -1 ns"));
  options small;
  small.stack_size = 100_B;
  const std::string said = message_of<bad_option>([&] { runtime home(small); });
  EXPECT_TRUE(contains(said, "100")) << said;
}

TEST(Misuse, BadSpawnOptions_ThrowAndLeaveNothingBehind) {
  const auto shared = std::make_shared<int>(0);
  run([&] {
    const std::string said = message_of<bad_option>(
        [&] { spawn(spawn_options{.stack_size = bytes(std::size_t{1} << 50U)}, [shared] {}).detach(); });
    EXPECT_TRUE(contains(said, "spawn_options.stack_size")) << said;
    EXPECT_EQ(shared.use_count(), 1);
  });
}

TEST(MisuseDeathTest, DroppedHandle_EndsTheProcessAndNamesTheFiber) {
  EXPECT_DEATH(run([] { auto dropped = spawn(spawn_options{.name = "orphan"}, [] { return 1; }); }),
               "the handle of fiber [0-9]+ \"orphan\" was destroyed.*Call join\\(\\) or detach\\(\\) on it first");
}

TEST(MisuseDeathTest, OverwrittenHandle_EndsTheProcess) {
  EXPECT_DEATH(run([] {
                 auto kept = spawn([] { return 1; });
                 kept = spawn([] { return 2; });
               }),
               "overwritten.*join\\(\\) or detach\\(\\)");
}

TEST(MisuseDeathTest, RuntimeDestroyedBeforeAHandle_EndsTheProcess) {
  EXPECT_DEATH(
      {
        join_handle<int> outlives;
        {
          runtime home(with_workers(1));
          outlives = home.spawn([] { return 1; });
          home.run();
        }
        outlives.join();
      },
      "destroyed before 1 handles of its fibers.*Join or detach every handle first");
}

TEST(MisuseDeathTest, ExceptionOfADetachedFiber_EndsTheProcessAndNamesIt) {
  EXPECT_DEATH(
      run([] { spawn(spawn_options{.name = "thrower"}, [] { throw std::runtime_error("lost words"); }).detach(); }),
      "fiber [0-9]+ \"thrower\" ended with an exception.*std::runtime_error: lost words.*Join its handle");
}

TEST(MisuseDeathTest, ExceptionOfAFiberDetachedAfterItsEnd_EndsTheProcess) {
  EXPECT_DEATH(run([] {
                 auto fiber = spawn(spawn_options{.name = "late"}, [] { throw 1; });
                 while (!fiber.done()) yield();
                 fiber.detach();
               }),
               "\"late\" ended with an exception that nobody joins: an exception of unknown type");
}

#if !RAMIE_TSAN  // it ends the process itself, with an error of its own, where pthread_exit is called on a fiber
TEST(MisuseDeathTest, AFiberThatEndsItsThread_IsNamed) {
  EXPECT_DEATH(run(with_workers(1),
                   [] {
                     auto inner = spawn(spawn_options{.name = "quitter"}, [] { ::pthread_exit(nullptr); });
                     inner.join();
                   }),
               "fiber [0-9]+ \"quitter\" ended the kernel thread.*return from the fiber's function");
}

TEST(MisuseDeathTest, AnAlgorithmThatEndsItsThread_IsNamed) {
  const auto quit = [] { ::pthread_exit(nullptr); };
  const char* const said = "fiber [0-9]+ .*ended the kernel thread.*return from the fiber's function";
  EXPECT_DEATH(run(with_workers(1), [&] { fork_join(quit, [] {}); }), said);
  EXPECT_DEATH(run(with_workers(1), [&] { parallel_for(0, 10, [&](int) { quit(); }); }), said);
  EXPECT_DEATH(run(with_workers(1),
                   [&] {
                     pipeline(
                         {},
                         [&]() -> std::optional<int> {
                           quit();
                           return {};
                         },
                         stage::serial([](int) {}));
                   }),
               said);
  EXPECT_DEATH(run(with_workers(1),
                   [&] {
                     bool first = true;
                     pipeline(
                         {}, [&] { return std::exchange(first, false) ? std::optional<int>(1) : std::nullopt; },
                         stage::serial([&](int) { quit(); }));
                   }),
               said);
  EXPECT_DEATH(run(with_workers(1),
                   [&] {
                     task_graph graph;
                     graph.emplace(quit);
                     graph.run();
                   }),
               said);
  EXPECT_DEATH(run(with_workers(2),
                   [&] {
                     std::vector<int> numbers(100'000, 1);
                     sort(numbers, [&](int, int) {
                       quit();
                       return false;
                     });
                   }),
               said);
}
#endif

// The message of failed() says where it happened.
TEST(MisuseDeathTest, TheReportSaysOnWhichWorkerAndFiber) {
  EXPECT_DEATH(run(with_workers(1),
                   [] {
                     auto inner = spawn(spawn_options{.name = "culprit"}, [] { auto dropped = spawn([] {}); });
                     inner.join();
                   }),
               "on worker 0, in fiber [0-9]+ \"culprit\"");
}

}  // namespace
}  // namespace ramie
