// exit() in a fiber, in a thread beside one, and before the run.
#include <stack/child.hpp>
#include <support/fibers.hpp>

#include <gtest/gtest.h>

#if RAMIE_ASAN
#include <sanitizer/lsan_interface.h>
#endif

#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <unistd.h>

namespace ramie {
namespace {

using stack::test::in_child;
using stack::test::outcome;
using test::with_workers;

// A static object that is made before the runtime: its end comes after the runtime's.
struct says_at_its_end {
  ~says_at_its_end() { stack::test::say("the first static object ends\n"); }
};

// Other fibers go on meanwhile, on other workers. Under TSan they allocate nothing, which it may wait for at its own
// end for ever.
void keep_workers_busy() {
  for (int i = 0; i < 8; ++i) {
    spawn([] {
      for (;;) {
        if constexpr (RAMIE_TSAN != 0) {
          yield();
        } else {
          spawn([] { yield(); }).join();
        }
      }
    }).detach();
  }
}

void exit_in_a_fiber() {
  keep_workers_busy();
  spawn(spawn_options{.name = "leaver"}, [] {
    for (int i = 0; i < 100; ++i) yield();
    std::exit(9);
  }).detach();
}

// One that hangs is ended by an alarm. Objects on the stacks of fibers that exit() has left behind are no leak.
template <class F>
outcome exiting_child(F f) {
  return in_child([&] {
    ::alarm(60);
#if RAMIE_ASAN
    __lsan_do_leak_check();  // now, and not at the end
#endif
    return f();
  });
}

void expect_status_nine(const outcome& child) {
  EXPECT_TRUE(child.exited_with(9)) << child.status << child.text;
  EXPECT_TRUE(child.says("the first static object ends")) << child.text;
  EXPECT_FALSE(child.says("terminate")) << child.text;
}

TEST(Exit, InAFiberOfAStaticRuntime_EndsTheProcessWithItsStatus) {
  for (const unsigned workers : {1U, 3U}) {
    for (const bool by_run : {false, true}) {
      expect_status_nine(exiting_child([=]() -> int {
        static const says_at_its_end first{};
        static runtime home(with_workers(workers));
        home.spawn(&exit_in_a_fiber).detach();
        if (by_run) {
          home.run();
        } else {
          home.start();
          for (;;) ::pause();
        }
        return 1;
      }));
    }
  }
}

// The older runtime's fiber waits for the younger one's, which does not return.
TEST(Exit, WhileAFiberOfAnotherRuntimeWaitsForTheCaller_EndsTheProcessWithItsStatus) {
  expect_status_nine(exiting_child([]() -> int {
    static const says_at_its_end first{};
    static runtime older(with_workers(2));
    static runtime younger(with_workers(2));
    older.start();
    younger.start();
    older
        .spawn([] {
          parallel_policy elsewhere;
          elsewhere.on = &younger;
          parallel_for(elsewhere, 0, 1000, [](int i) {
            if (i == 500) std::exit(9);
          });
        })
        .join();
    return 1;
  }));
}

TEST(Exit, InAFiberOfARuntimeThatAStaticObjectOwns_EndsTheProcessWithItsStatus) {
  expect_status_nine(exiting_child([] {
    static const says_at_its_end first{};
    static std::unique_ptr<runtime> home;
    home = std::make_unique<runtime>(with_workers(2));
    home->spawn(&exit_in_a_fiber).detach();
    home->run();
    return 1;
  }));
}

TEST(Exit, InAFiberOfSchedulerInit_EndsTheProcessWithItsStatus) {
  for (const unsigned workers : {1U, 2U}) {
    expect_status_nine(exiting_child([=] {
      static const says_at_its_end first{};
      scheduler_init(workers);
      spawn(&exit_in_a_fiber).detach();
      scheduler_run();
      return 1;
    }));
  }
}

TEST(Exit, InAThreadBesideSchedulerRun_EndsTheProcessWithItsStatus) {
  expect_status_nine(exiting_child([] {
    static const says_at_its_end first{};
    scheduler_init(2);
    spawn(&keep_workers_busy).detach();
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      std::exit(9);
    }).detach();
    scheduler_run();
    return 1;
  }));
}

TEST(Exit, AfterSchedulerInitAlone_EndsTheProcessWithItsStatus) {
  expect_status_nine(exiting_child([]() -> int {
    static const says_at_its_end first{};
    scheduler_init(2);
    spawn([] {}).detach();
    std::exit(9);
  }));
}

TEST(Exit, ARuntimeThatOneOfItsFibersDestroys_EndsTheProcessWithASentence) {
  const outcome child = in_child([] {
    auto home = std::make_unique<runtime>(with_workers(2));
    home->spawn([&] { home.reset(); }).detach();
    home->start();
    for (;;) ::pause();
    return 1;
  });
  EXPECT_TRUE(child.died_of(SIGABRT)) << child.status << child.text;
  EXPECT_TRUE(child.says("a runtime was destroyed by one of its own fibers")) << child.text;
}

}  // namespace
}  // namespace ramie
