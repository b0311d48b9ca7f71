// The promises of job.hpp.
#include "jobs.hpp"

#include <ramie/base/futex_lock.hpp>
#include <ramie/ramie.hpp>

#include <gtest/gtest.h>

#include <support/fibers.hpp>
#include <support/process.hpp>
#include <support/tracked.hpp>
#include <support/watchdog.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace ramie {
namespace {

using test::with_workers;

using Jobs = test::jobs_test;
INSTANTIATE_TEST_SUITE_P(Job, Jobs, test::jobs_everywhere, test::name_of_jobs_test);

TEST_P(Jobs, Wait_ReturnsWhenTheFunctionHasReturned) {
  run([] {
    int ran = 0;
    job::handle one = job::create([&] { ++ran; });
    EXPECT_TRUE(one);
    EXPECT_FALSE(one.done());
    job::run(one);
    job::wait(one);
    EXPECT_FALSE(one);
    EXPECT_EQ(ran, 1);
  });
}

TEST_P(Jobs, Wait_ReturnsWhenTheChildrenAreDone) {
  run([] {
    std::atomic<int> ran{0};
    job::handle root = job::create([&](job::context& here) {
      for (int i = 0; i < 1000; ++i) {
        here.run_child([&](job::context& child) {
          ++ran;
          for (int j = 0; j < 5; ++j) child.run_child([&] { ++ran; });
        });
      }
    });
    job::run(root);
    job::wait(root);
    EXPECT_EQ(ran, 6000);
  });
}

// As in the articles: children are created, and run, before their parent is.
TEST_P(Jobs, Children_MayRunBeforeTheirParent) {
  run([] {
    std::atomic<int> ran{0};
    job::handle root = job::create([] {});
    for (int i = 0; i < 500; ++i) job::run(job::create_child(root, [&] { ++ran; }));
    job::run(root);
    job::wait(root);
    EXPECT_EQ(ran, 500);
  });
}

TEST_P(Jobs, Children_MayBeAddedByTheirSiblings) {
  run([] {
    std::atomic<int> ran{0};
    struct adds {
      std::atomic<int>& ran;
      job::reference parent;
      int left;
      void operator()() const {
        ++ran;
        if (left > 0) job::run(job::create_child(parent, adds{ran, parent, left - 1}));
      }
    };
    job::handle root = job::create([&](job::context& here) {
      for (int i = 0; i < 10; ++i) here.run_child([&, self = here.self()] { adds{ran, self, 20}(); });
    });
    job::run(root);
    job::wait(root);
    EXPECT_EQ(ran, 210);
  });
}

TEST_P(Jobs, ADeepTree_IsDoneFromBelow) {
  run([] {
    // Every job looks, when it is told that its children are done, whether they are.
    struct node {
      std::atomic<int>& alive;
      int depth;
      void operator()(job::context& here) const {
        ++alive;
        for (int i = 0; i < 2 && depth > 0; ++i) here.run_child(node{alive, depth - 1});
      }
    };
    std::atomic<int> ran{0};
    job::handle root = job::create(node{ran, 14});
    job::run(root);
    job::wait(root);
    EXPECT_EQ(ran, (1 << 15) - 1);
  });
}

TEST_P(Jobs, TheirMemory_IsUsedAgain) {
  struct node {
    std::atomic<int>& ran;
    int depth;
    void operator()(job::context& here) const {
      ran.fetch_add(1, std::memory_order_relaxed);
      for (int i = 0; i < 2 && depth > 0; ++i) here.run_child(node{ran, depth - 1});
    }
  };
  run([] {
    // Two children a job, sixteen levels: eight times are a million jobs. Sanitizers keep what is freed; there it is
    // the leak checker that looks.
    constexpr int depth = test::sanitized ? 10 : 16;
    std::size_t after_two = 0;
    for (int round = 0; round < 8; ++round) {
      std::atomic<int> ran{0};
      job::handle root = job::create(node{ran, depth});
      job::run(root);
      job::wait(root);
      ASSERT_EQ(ran, (1 << (depth + 1)) - 1);
      if (round == 1) after_two = test::resident();
    }
    if (!test::sanitized) {
      EXPECT_LT(test::resident(), after_two + (std::size_t{16} << 20U));
    }
  });
}

TEST_P(Jobs, WhatAFunctionCaptures_LivesUntilTheJobIsDone) {
  run([] {
    std::atomic<bool> gone_early{false};
    job::handle root = job::create([&, text = test::tracked("captured")](job::context& here) {
      for (int i = 0; i < 100; ++i) {
        here.run_child([&] {
          yield();
          if (text.text() != "captured") gone_early = true;
        });
      }
    });
    job::run(root);
    job::wait(root);
    EXPECT_FALSE(gone_early);
    EXPECT_EQ(test::tracked::alive, 0);
  });
}

TEST_P(Jobs, Functions_OfAnySize_AreKept) {
  run([] {
    std::atomic<int> sum{0};
    job::handle root = job::create([&](job::context& here) {
      std::array<int, 4> small{1, 2, 3, 4};
      std::array<int, 16> middle{};
      std::array<int, 100> large{};
      struct alignas(64) line {
        int value = 5;
      } aligned;
      middle.fill(1);
      large.fill(2);
      here.run_child([&sum, small] { sum += small[3]; });
      here.run_child([&sum, middle] { sum += middle[15]; });
      here.run_child([&sum, large] { sum += large[99]; });
      here.run_child(
          [&sum, aligned] { sum += reinterpret_cast<std::uintptr_t>(&aligned) % 64 == 0 ? aligned.value : 1000; });
      here.run_child([&sum, owned = std::make_unique<int>(7)] { sum += *owned; });
    });
    job::run(root);
    job::wait(root);
    EXPECT_EQ(sum, 4 + 1 + 2 + 5 + 7);
  });
}

TEST_P(Jobs, AJobThatBlocks_LetsOthersRun) {
  run([] {
    counter gate(1);
    std::atomic<int> passed{0};
    job::handle root = job::create([&](job::context& here) {
      for (int i = 0; i < 20; ++i) {
        here.run_child([&] {
          wait_for_counter(gate);
          ++passed;
        });
      }
      here.run_child([&] {
        for (int i = 0; i < 3; ++i) yield();
        gate.decrement();
      });
    });
    job::run(root);
    job::wait(root);
    EXPECT_EQ(passed, 20);
  });
}

TEST_P(Jobs, AJobMayWaitForAnother) {
  run([] {
    int sum = 0;
    job::handle root = job::create([&](job::context& here) {
      for (int i = 1; i <= 10; ++i) {
        job::handle child = here.create_child([&sum, i] { sum += i; });
        job::run(child);
        job::wait(child);
      }
    });
    job::run(root);
    job::wait(root);
    EXPECT_EQ(sum, 55);
  });
}

TEST_P(Jobs, Continuations_RunInTheirOrder_WhenTheJobIsDone) {
  run([] {
    std::atomic<int> children{0};
    std::atomic<int> early{0};
    std::vector<int> order;
    counter all(3);
    job::handle root = job::create([&](job::context& here) {
      for (int i = 0; i < 100; ++i) here.run_child([&] { ++children; });
    });
    futex_lock<> lock;
    for (int i = 0; i < 3; ++i) {
      job::add_continuation(root, job::create([&, i] {
                              if (children != 100) ++early;
                              {
                                const std::lock_guard guard(lock);
                                order.push_back(i);
                              }
                              all.decrement();
                            }));
    }
    job::run(root);
    job::wait(root);
    wait_for_counter(all);
    EXPECT_EQ(early, 0);
    ASSERT_EQ(order.size(), 3U);
    if (std::get<0>(GetParam()) == 1 && std::get<1>(GetParam()) != queue_kind::bwos_fifo) {
      EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
    }
  });
}

TEST_P(Jobs, Continuations_MayBeWaitedFor_AndHaveContinuations_AndParents) {
  run([] {
    std::vector<int> order;
    futex_lock<> lock;
    const auto note = [&](int which) {
      const std::lock_guard guard(lock);
      order.push_back(which);
    };
    job::handle whole = job::create([&] { note(0); });
    job::handle first = job::create([&] { note(1); });
    job::handle second = job::create_child(whole, [&] { note(2); });
    job::handle third = job::create_child(whole, [&] { note(3); });
    job::add_continuation(second, std::move(third));
    job::add_continuation(first, second);
    job::run(first);
    job::wait(second);
    job::wait(first);
    job::run(whole);
    job::wait(whole);
    // `whole` may have run before `third`; it is done after it.
    ASSERT_EQ(order.size(), 4U);
    EXPECT_EQ(order[0], 1);
    EXPECT_EQ(order[1], 2);
  });
}

// In whichever order a chain is put together.
TEST_P(Jobs, Continuations_OfContinuations_InAnyOrder) {
  run([] {
    std::vector<int> numbers{0, 1, 2, 3, 4, 5};
    for (int round = 0; round < 20; ++round) {
      std::vector<int> order;
      std::vector<job::handle> chain;
      for (int i = 0; i < 7; ++i) chain.push_back(job::create([&order, i] { order.push_back(i); }));
      // chain[i + 1] follows chain[i].
      for (const int i : numbers) {
        const auto at = static_cast<std::size_t>(i);
        job::add_continuation(chain[at], chain[at + 1]);
      }
      job::run(chain[0]);
      for (job::handle& each : chain) job::wait(each);
      EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
      std::next_permutation(numbers.begin(), numbers.end());
      std::rotate(numbers.begin(), numbers.begin() + 1 + round % 3, numbers.end());
    }
  });
}

// A continuation of a continuation may be added when that is about to run, runs, or is done: it runs all the same.
TEST_P(Jobs, Stress_ContinuationsOfContinuations_WhileThoseRun) {
  run([] {
    for (int i = 0; i < 1000; ++i) {
      std::atomic<int> ran{0};
      job::handle first = job::create([&] { ++ran; });
      job::handle second = job::create([&] { ++ran; });
      job::handle third = job::create([&] {
        EXPECT_GE(ran, 2);
        ++ran;
      });
      job::add_continuation(first, second);
      job::run(first);
      for (int j = 0; j < i % 4; ++j) yield();
      job::add_continuation(second, third);
      job::wait(third);
      EXPECT_EQ(ran, 3);
      job::wait(second);
      job::wait(first);
    }
  });
}

TEST_P(Jobs, Handles_ThatAreDropped_DiscardTheirJob) {
  run([] {
    std::atomic<int> ran{0};
    {
      const job::handle never = job::create([&, kept = test::tracked("a")] { ++ran; });
      job::handle moved = job::create([&, kept = test::tracked("b")] { ++ran; });
      moved = job::create([&] { ++ran; });
    }
    EXPECT_EQ(test::tracked::alive, 0);
    job::handle root = job::create([&](job::context& here) {
      const job::handle unborn = here.create_child([&] { ++ran; });
      here.run_child([&] { ++ran; });
    });
    job::run(root);
    job::wait(root);
    EXPECT_EQ(ran, 1);
    // The last child of a job that has run already.
    job::handle parent = job::create([] {});
    {
      const job::handle late = job::create_child(parent, [&] { ++ran; });
      job::run(parent);
      yield();
      EXPECT_FALSE(parent.done());
    }
    job::wait(parent);
    EXPECT_EQ(ran, 1);
  });
}

TEST_P(Jobs, Handles_MayBeUsedAgain) {
  run([] {
    int ran = 0;
    job::handle frame;
    for (int i = 0; i < 3; ++i) {
      frame = job::create([&] { ++ran; });
      job::run(frame);
      job::wait(frame);
    }
    EXPECT_EQ(ran, 3);
  });
}

// The destructor of a job's captures may wait for anything, also for the lines that come next here.
TEST_P(Jobs, WhatTheyCapture_MayBlockInItsDestructor) {
  run([] {
    struct joins_at_the_end {
      join_handle<void> fiber;
      explicit joins_at_the_end(join_handle<void> of) : fiber(std::move(of)) {}
      ~joins_at_the_end() { fiber.join(); }
    };
    for (int i = 0; i < 50; ++i) {
      counter gate(1);
      std::atomic<int> ran{0};
      job::handle other = job::create([&] { gate.decrement(); });
      job::handle root = job::create(
          [&, guard = std::make_unique<joins_at_the_end>(spawn([&] { wait_for_counter(gate); }))](job::context& here) {
            for (int j = 0; j < 3; ++j) here.run_child([&] { ++ran; });
          });
      job::run(other);
      job::run(root);
      job::wait(root);
      job::wait(other);
      EXPECT_EQ(ran, 3);
    }
  });
}

TEST_P(Jobs, AChainThatIsDropped_TakesNoStack) {
  run([] {
    constexpr std::size_t length = test::sanitized ? 5'000 : 100'000;
    std::vector<job::handle> chain;
    chain.reserve(length);
    for (std::size_t i = 0; i < length; ++i)
      chain.push_back(job::create([kept = test::tracked("link")] { ADD_FAILURE(); }));
    for (std::size_t i = length - 1; i > 0; --i) job::add_continuation(chain[i - 1], std::move(chain[i]));
    chain.clear();
    EXPECT_EQ(test::tracked::alive, 0);
  });
}

TEST_P(Jobs, FromAThread_BeforeTheRun_TheyRunInIt) {
  std::atomic<int> ran{0};
  scheduler_init(chosen());
  job::run(job::create([&, kept = test::tracked("captured")](job::context&) { ++ran; }));
  job::handle parent = job::create([&] { ++ran; });
  job::run(job::create_child(parent, [&] { ++ran; }));
  job::run(std::move(parent));
  scheduler_run();
  EXPECT_EQ(ran, 3);
  EXPECT_EQ(test::tracked::alive, 0);
}

TEST(JobsObserved, RunAsTasks) {
  struct counting final : observer {
    std::atomic<int> started_count{0};
    void started(std::uint64_t, unsigned) noexcept override { ++started_count; }
  } events;
  options chosen = with_workers(2);
  chosen.events = &events;
  std::atomic<int> ran{0};
  ramie::run(chosen, [&] {
    job::handle root = job::create([&](job::context& here) {
      for (int i = 0; i < 10; ++i) here.run_child([&] { ++ran; });
    });
    job::run(root);
    job::wait(root);
  });
  EXPECT_EQ(ran, 10);
  EXPECT_EQ(events.started_count, 12);  // main, the root, its children
}

TEST(JobsFromThreads, RunOnTheRuntimeOfTheProcess) {
  const test::watchdog hung("jobs from a thread");
  EXPECT_THROW(static_cast<void>(job::create([] {})), misuse);
  scheduler_init(2);
  counter open(1);
  spawn([&] { wait_for_counter(open); }).detach();
  std::atomic<int> ran{0};
  std::jthread outside([&] {
    for (int i = 0; i < 100; ++i) {
      job::handle root = job::create([&](job::context& here) {
        for (int j = 0; j < 10; ++j) here.run_child([&] { ++ran; });
      });
      job::run(root);
      job::wait(root);
      job::run(job::create([&] { ++ran; }));
    }
    open.decrement();
  });
  scheduler_run();
  EXPECT_EQ(ran, 1100);
}

}  // namespace
}  // namespace ramie
