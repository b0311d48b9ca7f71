#include "fiber.hpp"

#include <ramie/context/thread_slot.hpp>

#include <gtest/gtest.h>

#include <thread>

// tests/asm/hoisting_program.cpp shows what the compilers do to a plain thread_local here, and that they do not do it
// to this.

namespace {

using namespace ramie::context;
using test::fiber;
using test::host;

TEST(ThreadSlot, IsNullUntilSetAndBelongsToOneThread) {
  int mine = 0;
  set_thread_slot(&mine);
  EXPECT_EQ(thread_slot(), &mine);
  std::thread([] {
    EXPECT_EQ(thread_slot(), nullptr);
    int theirs = 0;
    set_thread_slot(&theirs);
    EXPECT_EQ(thread_slot(), &theirs);
  }).join();
  EXPECT_EQ(thread_slot(), &mine);
  set_thread_slot(nullptr);
  EXPECT_EQ(thread_slot(), nullptr);
}

TEST(ThreadSlot, ReadsTheNewThreadsWordAfterASwitchThatMigrates) {
  constexpr int moves = 20;
  int words[moves + 1] = {};
  void* seen[moves + 1] = {};
  fiber one([&](fiber& self, void*) -> void* {
    for (int i = 0; i < moves; ++i) {
      seen[i] = thread_slot();
      self.suspend();
    }
    seen[moves] = thread_slot();
    return nullptr;
  });
  host main;
  set_thread_slot(&words[0]);
  one.resume(main);
  for (int i = 1; i <= moves; ++i) {
    std::thread([&] {
      host elsewhere;
      set_thread_slot(&words[i]);
      one.resume(elsewhere);
    }).join();
  }
  set_thread_slot(nullptr);
  EXPECT_TRUE(one.done());
  for (int i = 0; i <= moves; ++i) EXPECT_EQ(seen[i], &words[i]);
}

}  // namespace
