// The published source's program: init, spawn, run.
#include <support/fibers.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <string>

namespace ramie {
namespace {

TEST(SourceNames, InitSpawnRun) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    std::atomic<int> ran{0};
    scheduler_init(workers);
    for (int i = 0; i < 1024; ++i) spawn([&] { ++ran; }).detach();
    EXPECT_EQ(ran, 0);
    scheduler_run();
    EXPECT_EQ(ran, 1024);
  }
}

TEST(SourceNames, AParentWaitsForItsCounter) {
  scheduler_init(2);
  int sum = 0;
  spawn([&] {
    counter c;
    int parts[16] = {};
    for (int i = 0; i < 16; ++i) spawn_with_counter(c, [&parts, i] { parts[i] = i; });
    wait_for_counter(c, 0);
    for (const int part : parts) sum += part;
  }).detach();
  scheduler_run();
  EXPECT_EQ(sum, 120);
}

TEST(SourceNames, SpawnWithCounterBeforeRun_FromTheMainThread) {
  options chosen;
  chosen.workers = 2;
  scheduler_init(chosen);
  counter c;
  for (int i = 0; i < 100; ++i) spawn_with_counter(c, [] { yield(); });
  EXPECT_EQ(c.value(), 100);
  scheduler_run();
  wait_for_counter(c, 0);
  EXPECT_EQ(c.value(), 0);
}

TEST(SourceNames, Misuse_SaysWhichCallIsMissing) {
  EXPECT_NE(test::message_of<misuse>([] { scheduler_run(); }).find("scheduler_init()"), std::string::npos);
  scheduler_init(1);
  EXPECT_NE(test::message_of<misuse>([] { scheduler_init(1); }).find("scheduler_run()"), std::string::npos);
  scheduler_run();
  EXPECT_THROW(spawn([] {}).detach(), misuse);
}

}  // namespace
}  // namespace ramie
