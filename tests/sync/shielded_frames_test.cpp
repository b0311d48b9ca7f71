// Waits in frames that no exception may leave are shielded by themselves; those in others are not.
#include "noexcept_frames.hpp"

#include <support/fibers.hpp>

#include <ramie/scheduler/sleep.hpp>
#include <ramie/sync/event.hpp>
#include <ramie/sync/scope.hpp>
#include <ramie/sync/wait_group.hpp>

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace ramie {

namespace test {
void (*wait_in_frame)() = nullptr;
}

namespace {

using namespace std::chrono_literals;
using test::with_workers;

// In a scope that is cancelled.
void in_each_frame(const test::frames_of_test& frames) {
  static int waited = 0;
  test::wait_in_frame = [] {
    static_cast<void>(sleep_for(1us));
    ++waited;
  };
  for (unsigned i = 0; i < frames.count; ++i) {
    const test::frame_of_test& each = frames.first[i];
    waited = 0;
    bool was_thrown = false;
    try {
      each.call();
    } catch (const cancelled&) {
      was_thrown = true;
    }
    EXPECT_EQ(was_thrown, each.may_throw) << each.name;
    EXPECT_EQ(waited > 0, !each.may_throw) << each.name;
  }
}

void in_cancelled_scope(const test::frames_of_test& frames) {
  EXPECT_THROW(with_scope([&](scope& s) {
                 s.request_stop();
                 in_each_frame(frames);
                 static_cast<void>(sleep_for(1us));
               }),
               cancelled);
}

TEST(ShieldedFrames, OnFibers) {
  run(with_workers(1), [] { in_cancelled_scope(test::frames_by_this_compiler()); });
}
TEST(ShieldedFrames, OnThreads) { in_cancelled_scope(test::frames_by_this_compiler()); }
TEST(ShieldedFrames, OfChildren) {
  run(with_workers(2), [] {
    with_scope([&](scope& s) {
      auto waits = s.spawn([&] {
        while (!s.is_cancelled()) yield();
        in_each_frame(test::frames_by_this_compiler());
      });
      s.request_stop();
    });
  });
}
#if RAMIE_TEST_CLANG_FRAMES
TEST(ShieldedFrames, ByClang) {
  run(with_workers(1), [] { in_cancelled_scope(test::frames_by_clang()); });
}
#endif

// The waits begin a second time, after what they wait for has come and gone.
TEST(ShieldedWaits, MissNothing) {
  run(with_workers(1), [] {
    counter left(1);
    wait_group undone;
    undone.add();
    manual_reset_event door;
    with_scope([&](scope& s) {
      auto counts = s.spawn([&]() noexcept { wait_for_counter(left); });
      auto groups = s.spawn([&]() noexcept { undone.wait(); });
      auto passes = s.spawn([&]() noexcept { door.wait(); });
      const shield here;
      for (int i = 0; i < 10; ++i) yield();
      s.request_stop();
      left.decrement();
      left.add();
      undone.done();
      undone.add();
      door.set();
      door.reset();
      EXPECT_EQ(counts.wait(10s), wake_reason::woken);
      EXPECT_EQ(groups.wait(10s), wake_reason::woken);
      EXPECT_EQ(passes.wait(10s), wake_reason::woken);
      left.decrement();
      undone.done();
      door.set();
    });
  });
}

}  // namespace
}  // namespace ramie
