// Exceptions, misuse, and what there is no stack for.
#include "jobs.hpp"

#include <ramie/base/error.hpp>

#include <gtest/gtest.h>

#include <stack/child.hpp>
#include <support/scarce_backend.hpp>
#include <support/tracked.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ramie {
namespace {

using test::with_workers;

using JobFailures = test::jobs_test;
INSTANTIATE_TEST_SUITE_P(Job, JobFailures, test::jobs_everywhere, test::name_of_jobs_test);

TEST_P(JobFailures, Exceptions_LeaveTheWait) {
  run([] {
    job::handle root = job::create([] { throw std::runtime_error("of the root"); });
    job::run(root);
    EXPECT_EQ(test::message_of<std::runtime_error>([&] { job::wait(root); }), "of the root");
    EXPECT_FALSE(root);
  });
}

TEST_P(JobFailures, Exceptions_GoUpToWhoeverWaits) {
  run([] {
    std::atomic<int> ran{0};
    job::handle root = job::create([&](job::context& here) {
      for (int i = 0; i < 50; ++i) {
        here.run_child([&](job::context& child) {
          child.run_child([&] {
            ++ran;
            throw std::runtime_error("of a grandchild");
          });
          child.run_child([&] { ++ran; });
        });
      }
    });
    job::run(root);
    EXPECT_EQ(test::message_of<std::runtime_error>([&] { job::wait(root); }), "of a grandchild");
    EXPECT_EQ(ran, 100);
  });
}

TEST_P(JobFailures, Exceptions_OfAChildThatIsWaitedFor_DoNotReachItsParent) {
  run([] {
    job::handle root = job::create([](job::context& here) {
      job::handle child = here.create_child([] { throw std::runtime_error("of a child"); });
      job::run(child);
      EXPECT_EQ(test::message_of<std::runtime_error>([&] { job::wait(child); }), "of a child");
    });
    job::run(root);
    job::wait(root);
  });
}

// The note of an exception belongs to the waiter as soon as the job is done, however late the waiter looks.
TEST_P(JobFailures, Stress_Exceptions_AndWaitersThatComeLate) {
  run([] {
    for (int i = 0; i < 500; ++i) {
      job::handle root = job::create([](job::context& here) {
        here.run_child([] { throw std::runtime_error("of a child"); });
        throw std::runtime_error("of the root");
      });
      job::run(root);
      for (int j = 0; j < i % 7; ++j) yield();
      EXPECT_THROW(job::wait(root), std::runtime_error);
    }
  });
}

TEST_P(JobFailures, ParentsAndContinuations_OfAnotherRuntime_AreRefused) {
  run([] {
    job::handle here = job::create([] {});
    job::handle empty;
    std::jthread([&] {
      ramie::run(with_workers(1), [&] {
        EXPECT_THROW(static_cast<void>(job::create_child(here, [] {})), misuse);
        EXPECT_THROW(static_cast<void>(job::create_child(empty, [] {})), misuse);
        job::handle there = job::create([] {});
        EXPECT_THROW(job::add_continuation(there, here), misuse);
      });
    }).join();
  });
}

TEST_P(JobFailures, Misuse_IsNamed) {
  run([] {
    job::handle none;
    EXPECT_NE(test::message_of<misuse>([&] { job::run(none); }), "");
    EXPECT_NE(test::message_of<misuse>([&] { job::wait(none); }), "");
    job::handle one = job::create([] {});
    EXPECT_NE(test::message_of<misuse>([&] { job::wait(one); }), "");
    EXPECT_NE(test::message_of<misuse>([&] { job::add_continuation(one, none); }), "");
    job::run(one);
    EXPECT_NE(test::message_of<misuse>([&] { job::run(one); }), "");
    EXPECT_NE(test::message_of<misuse>([&] { job::add_continuation(one, job::create([] {})); }), "");
    job::wait(one);
    job::handle first = job::create([] {});
    job::handle second = job::create([] {});
    job::add_continuation(first, second);
    EXPECT_NE(test::message_of<misuse>([&] { job::run(second); }), "");
    job::run(first);
    job::wait(second);
    job::wait(first);
  });
}

// Each of these would wait for itself: a job is done after its children, and a continuation begins after a job is done.
TEST_P(JobFailures, ContinuationsThatWouldWaitForThemselves_AreRefused) {
  run([] {
    const auto refused = [](const job::handle& ancestor, job::handle& continuation) {
      const std::string kept = test::message_of<misuse>([&] { job::add_continuation(ancestor, continuation); });
      const std::string given =
          test::message_of<misuse>([&] { job::add_continuation(ancestor, std::move(continuation)); });
      EXPECT_TRUE(continuation);
      return kept.find("wait for itself") != std::string::npos && given == kept;
    };
    {
      job::handle one = job::create([] {});
      EXPECT_TRUE(refused(one, one));
      job::run(one);
      job::wait(one);
    }
    {
      job::handle parent = job::create([] {});
      job::handle child = job::create_child(parent, [] {});
      job::handle grandchild = job::create_child(child, [] {});
      EXPECT_TRUE(refused(parent, child));
      EXPECT_TRUE(refused(parent, grandchild));
      EXPECT_TRUE(refused(child, grandchild));
      job::run(parent);
      job::run(child);
      job::run(grandchild);
      job::wait(grandchild);
      job::wait(child);
      job::wait(parent);
    }
    {
      job::handle first = job::create([] {});
      job::handle second = job::create([] {});
      job::handle third = job::create([] {});
      job::add_continuation(second, third);
      job::add_continuation(first, second);
      EXPECT_NE(test::message_of<misuse>([&] { job::add_continuation(third, first); }), "");
      EXPECT_NE(test::message_of<misuse>([&] { job::add_continuation(second, first); }), "");
      job::run(first);
      job::wait(third);
      job::wait(second);
      job::wait(first);
    }
    {
      // The child of one follows the other one, which would follow the first one; with a job in between, and above.
      job::handle parent = job::create([] {});
      job::handle child = job::create_child(parent, [] {});
      job::handle above = job::create([] {});
      job::handle between = job::create_child(above, [] {});
      job::handle before = job::create([] {});
      job::add_continuation(above, child);
      job::add_continuation(before, between);
      EXPECT_TRUE(refused(parent, before));
      EXPECT_TRUE(refused(parent, above));
      job::run(before);
      job::run(above);
      job::run(parent);
      for (job::handle* const each : {&before, &between, &above, &child, &parent}) job::wait(*each);
    }
  });
}

TEST_P(JobFailures, AChildOfARunningJob_ThatWouldFollowWhatFollowsThat_IsRefused) {
  run([] {
    job::handle last = job::create([] {});
    job::handle follower = job::create_child(last, [] {});
    job::handle root = job::create([&](job::context& here) {
      job::handle child = here.create_child([] {});
      EXPECT_NE(test::message_of<misuse>([&] { job::add_continuation(last, child); }), "");
      job::run(std::move(child));
    });
    job::add_continuation(root, std::move(follower));
    job::run(root);
    job::wait(root);
    job::run(last);
    job::wait(last);
  });
}

TEST_P(JobFailures, WhatFollowsAJobThatIsDiscarded_IsToldSo) {
  run([] {
    job::handle second = job::create([] { ADD_FAILURE() << "ran"; });
    job::handle third = job::create([] { ADD_FAILURE() << "ran"; });
    {
      job::handle first = job::create([] { ADD_FAILURE() << "ran"; });
      job::add_continuation(second, third);
      job::add_continuation(first, second);
    }
    for (job::handle* const each : {&third, &second}) {
      const std::string said = test::message_of<misuse>([&] { job::wait(*each); });
      EXPECT_NE(said.find("discarded"), std::string::npos) << said;
      EXPECT_EQ(said.find("runtime ended"), std::string::npos) << said;
    }
  });
}

TEST_P(JobFailures, WithoutAnyStack_TheWaitSaysSo) {
  const test::watchdog hung("jobs without stacks");
  // The main fiber gets a stack, and nobody after it.
  test::scarce_backend few(1);
  options scarce = chosen();
  scarce.backend = &few;
  ramie::run(scarce, [] {
    job::handle one = job::create([] { ADD_FAILURE() << "ran without a stack"; });
    job::run(one);
    EXPECT_THROW(job::wait(one), spawn_error);
  });
}

TEST(JobsObserved, WithoutAnyStack_TheWaitSaysSo) {
  const test::watchdog hung("observed jobs without stacks");
  observer nobody;
  test::scarce_backend few(1);
  options scarce = with_workers(2);
  scarce.backend = &few;
  scarce.events = &nobody;
  ramie::run(scarce, [] {
    job::handle one = job::create([] { ADD_FAILURE() << "ran without a stack"; });
    job::run(one);
    EXPECT_THROW(job::wait(one), spawn_error);
  });
}

TEST(JobsDeathTest, ARuntimeThatNeverRuns_DropsThem) {
  struct speaker {
    ~speaker() { std::fputs("destroyed\n", stderr); }
  };
  const auto exit_without_a_run = [] {
    scheduler_init(1);
    job::handle parent = job::create([kept = std::make_unique<speaker>()] { std::fputs("ran\n", stderr); });
    job::add_continuation(parent, job::create([kept = std::make_unique<speaker>()] { std::fputs("ran\n", stderr); }));
    job::run(job::create_child(parent, [kept = std::make_unique<speaker>()] { std::fputs("ran\n", stderr); }));
    job::run(std::move(parent));
    std::exit(0);
  };
  EXPECT_EXIT(exit_without_a_run(), ::testing::ExitedWithCode(0), "^destroyed\ndestroyed\ndestroyed\n$");
}

TEST(JobsDeathTest, AHandleOfAJobThatWasRun_MustBeWaitedFor) {
  EXPECT_DEATH(ramie::run(with_workers(1),
                          [] {
                            job::handle dropped = job::create([] {});
                            job::run(dropped);
                          }),
               "the handle of a job that was run was destroyed");
}

TEST(JobsDeathTest, AnExceptionThatNobodyWaitsFor_EndsTheProcess) {
  EXPECT_DEATH(ramie::run(with_workers(1), [] { job::run(job::create([] { throw std::runtime_error("out"); })); }),
               "an exception left a job that nobody waits for: out");
}

TEST(JobHandle, MayBeMovedWhileSomebodyWaits) {
  ramie::run(with_workers(1), [] {
    bool may_end = false;
    auto kept = std::make_unique<job::handle>(job::create([&] {
      while (!may_end) yield();
    }));
    job::run(*kept);
    bool waits = false;
    auto waiter = spawn([&] {
      waits = true;
      job::wait(*kept);
    });
    while (!waits) yield();
    const auto elsewhere = std::make_unique<job::handle>(std::move(*kept));
    kept.reset();
    may_end = true;
    waiter.join();
  });
}

// Each thread has handles of its own, and each edge is allowed without the other one.
TEST(JobContinuation, TwoThreadsThatCloseACircleTogether_OneIsRefused) {
  runtime home(with_workers(1));
  home.start();
  for (int round = 0; round < (test::sanitized ? 100 : 1000); ++round) {
    job::handle first, below_first, second, below_second;
    home.spawn([&] {
          first = job::create([] {});
          below_first = job::create_child(first, [] {});
          second = job::create([] {});
          below_second = job::create_child(second, [] {});
        })
        .join();
    std::atomic<int> ready{0};
    std::atomic<int> refused{0};
    const auto link = [&](job::handle& ancestor, job::handle& follower) {
      for (++ready; ready < 2;) {
      }
      try {
        job::add_continuation(ancestor, follower);
      } catch (const misuse&) {
        ++refused;
        job::run(follower);
      }
    };
    std::thread other([&] { link(first, below_second); });
    link(second, below_first);
    other.join();
    ASSERT_EQ(refused, 1) << "in round " << round;
    job::run(first);
    job::run(second);
    for (job::handle* each : {&first, &second, &below_first, &below_second}) job::wait(*each);
  }
  home.stop();
}

TEST(JobHandle, InAChildMadeByFork_IsNotWaitedFor_AndStays) {
  runtime home(with_workers(2));
  home.start();
  std::atomic<bool> may_end{false};
  job::handle waits;
  home.spawn([&] {
        waits = job::create([&] {
          while (!may_end) yield();
        });
        job::run(waits);
      })
      .join();
  const stack::test::outcome child = stack::test::in_child([&] {
    ::alarm(60);
    const std::string said = test::message_of<misuse>([&] { job::wait(waits); });
    return said.find("fork()") != std::string::npos && waits ? 11 : 1;
  });
  EXPECT_TRUE(child.exited_with(11)) << child.status << child.text;
  may_end = true;
  job::wait(waits);
  home.stop();
}

// add_continuation() looks for circles under a lock of the process, here along a chain of jobs.
TEST(JobContinuations, OfAChildMadeByFork_DoNotWaitForThoseOfOtherThreads) {
  run(with_workers(1), [] {
    std::vector<job::handle> chain;
    for (std::size_t i = 0; i < 3000; ++i) {
      chain.push_back(job::create([] {}));
      if (i != 0) job::add_continuation(chain[i - 1], chain[i]);
    }
    const auto is_refused = [&] {
      return test::message_of<misuse>([&] { job::add_continuation(chain.back(), chain.front()); }) != "";
    };
    std::atomic<bool> over{false};
    std::thread adds([&] {
      while (!over) EXPECT_TRUE(is_refused());
    });
    for (int i = 0; i < 30; ++i) {
      const stack::test::outcome child = stack::test::in_child([&] {
        ::alarm(60);
        return is_refused() ? 11 : 1;
      });
      EXPECT_TRUE(child.exited_with(11)) << child.status << child.text;
      if (::testing::Test::HasFailure()) break;
    }
    over = true;
    adds.join();
    job::run(chain.front());
    for (job::handle& each : chain) job::wait(each);
  });
}

}  // namespace
}  // namespace ramie
