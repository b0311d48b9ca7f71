// What job.hpp promises.
#include <ramie/job/job.hpp>

#include <ramie/base/error.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/base/random.hpp>
#include <ramie/ramie.hpp>

#include <gtest/gtest.h>

#include <support/fibers.hpp>
#include <support/process.hpp>
#include <support/scarce_backend.hpp>
#include <support/tracked.hpp>
#include <support/watchdog.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace ramie {
namespace {

using test::with_workers;

class Jobs : public ::testing::TestWithParam<std::tuple<unsigned, queue_kind>> {
 protected:
  [[nodiscard]] static options chosen() {
    options all = with_workers(std::get<0>(GetParam()));
    all.queue = std::get<1>(GetParam());
    return all;
  }
  template <class Function>
  static void run(Function&& function) {
    const test::watchdog hung(100, "jobs");
    ramie::run(chosen(), std::forward<Function>(function));
  }
};
INSTANTIATE_TEST_SUITE_P(Job, Jobs,
                         ::testing::Combine(::testing::Values(1U, 2U, 4U),
                                            ::testing::Values(queue_kind::split, queue_kind::exchange,
                                                              queue_kind::bwos_fifo)),
                         [](const auto& info) {
                           return std::string(name_of(std::get<1>(info.param))) + "_" +
                                  std::to_string(std::get<0>(info.param));
                         });

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
  if (test::sanitized) GTEST_SKIP() << "sanitizers keep what is freed";
  struct node {
    std::atomic<int>& ran;
    int depth;
    void operator()(job::context& here) const {
      ran.fetch_add(1, std::memory_order_relaxed);
      for (int i = 0; i < 2 && depth > 0; ++i) here.run_child(node{ran, depth - 1});
    }
  };
  run([] {
    // Two children a job, sixteen levels: eight times are a million jobs.
    std::size_t after_two = 0;
    for (int round = 0; round < 8; ++round) {
      std::atomic<int> ran{0};
      job::handle root = job::create(node{ran, 16});
      job::run(root);
      job::wait(root);
      ASSERT_EQ(ran, (1 << 17) - 1);
      if (round == 1) after_two = test::resident();
    }
    EXPECT_LT(test::resident(), after_two + (std::size_t{16} << 20U));
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

TEST_P(Jobs, Exceptions_LeaveTheWait) {
  run([] {
    job::handle root = job::create([] { throw std::runtime_error("of the root"); });
    job::run(root);
    EXPECT_EQ(test::message_of<std::runtime_error>([&] { job::wait(root); }), "of the root");
    EXPECT_FALSE(root);
  });
}

TEST_P(Jobs, Exceptions_GoUpToWhoeverWaits) {
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

TEST_P(Jobs, Exceptions_OfAChildThatIsWaitedFor_DoNotReachItsParent) {
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
    job::handle whole = job::create([&] { order.push_back(0); });
    job::handle first = job::create([&] { order.push_back(1); });
    job::handle second = job::create_child(whole, [&] { order.push_back(2); });
    job::handle third = job::create_child(whole, [&] { order.push_back(3); });
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

// What a job's function has captured may wait for anything when it is destroyed, also for what comes next here.
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

// The note of an exception belongs to whoever waits as soon as the job is done, however late the waiter looks.
TEST_P(Jobs, Stress_Exceptions_AndWaitersThatComeLate) {
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

TEST_P(Jobs, AChainThatIsDropped_TakesNoStack) {
  run([] {
    constexpr int length = test::sanitized ? 5'000 : 100'000;
    std::vector<job::handle> chain;
    chain.reserve(length);
    for (int i = 0; i < length; ++i) chain.push_back(job::create([kept = test::tracked("link")] { ADD_FAILURE(); }));
    for (int i = length - 1; i > 0; --i) job::add_continuation(chain[i - 1], std::move(chain[i]));
    chain.clear();
    EXPECT_EQ(test::tracked::alive, 0);
  });
}

TEST_P(Jobs, ParentsAndContinuations_OfAnotherRuntime_AreRefused) {
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

TEST_P(Jobs, Misuse_IsNamed) {
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

TEST_P(Jobs, WithoutAnyStack_TheWaitSaysSo) {
  const test::watchdog hung(100, "jobs without stacks");
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

// A tree that the seed decides: jobs block, throw, add siblings, continue and wait. Its sum is known beforehand.
class tree {
 public:
  explicit tree(std::uint64_t seed) : m_seed(seed) {}

  std::uint64_t run() {
    job::handle root = job::create([this](job::context& here) { node(here, m_seed, 6); });
    job::run(root);
    try {
      job::wait(root);
    } catch (const std::runtime_error&) {
      ++m_caught;
    }
    return m_sum;
  }
  static std::uint64_t expected(std::uint64_t seed, int depth, bool& throws) {
    random_source random(seed);
    std::uint64_t sum = seed % 1000;
    const unsigned children = depth > 0 ? random.below(6) : 0;
    throws = random.below(500) == 0 || throws;
    for (unsigned i = 0; i < children; ++i) sum += expected(random.next(), depth - 1, throws);
    return sum;
  }
  [[nodiscard]] int caught() const { return m_caught; }

 private:
  void node(job::context& here, std::uint64_t seed, int depth) {
    random_source random(seed);
    m_sum += seed % 1000;
    const unsigned children = depth > 0 ? random.below(6) : 0;
    const bool throws = random.below(500) == 0;
    random_source taste(seed ^ 0x9E3779B97F4A7C15U);
    for (unsigned i = 0; i < children; ++i) {
      const std::uint64_t next = random.next();
      const auto child = [this, next, depth](job::context& there) { node(there, next, depth - 1); };
      switch (taste.below(5)) {
        case 0: {
          job::handle waited = here.create_child(child);
          job::run(waited);
          job::wait(waited);  // what it throws leaves this one, too
          break;
        }
        case 1: {
          job::handle before = here.create_child([] { yield(); });
          job::add_continuation(before, here.create_child(child));
          job::run(std::move(before));
          break;
        }
        case 2: yield(); [[fallthrough]];
        default: here.run_child(child);
      }
    }
    if (throws) throw std::runtime_error("as the seed wants it");
  }

  const std::uint64_t m_seed;
  std::atomic<std::uint64_t> m_sum{0};
  std::atomic<int> m_caught{0};
};

TEST_P(Jobs, Stress_TreesOfAllKinds) {
  for (const std::uint64_t seed : test::seeds(test::sanitized ? 20 : 100)) {
    const test::watchdog hung(100, "a tree of jobs, seed " + std::to_string(seed));
    bool throws = false;
    const std::uint64_t sum = tree::expected(seed, 6, throws);
    ramie::run(chosen(), [&] {
      tree jobs(seed);
      const std::uint64_t found = jobs.run();
      // A job that throws in a wait leaves its later children out.
      if (throws) return;
      EXPECT_EQ(found, sum) << "seed " << seed;
      EXPECT_EQ(jobs.caught(), 0) << "seed " << seed;
    });
  }
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

TEST(JobsObserved, WithoutAnyStack_TheWaitSaysSo) {
  const test::watchdog hung(100, "observed jobs without stacks");
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

TEST(JobsFromThreads, RunOnTheRuntimeOfTheProcess) {
  const test::watchdog hung(100, "jobs from a thread");
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

}  // namespace
}  // namespace ramie
