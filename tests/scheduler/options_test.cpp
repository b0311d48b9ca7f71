// Every choice that options and spawn_options offer.
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <ramie/scheduler/search_pace.hpp>
#include <ramie/stack/guard.hpp>
#include <ramie/stack/registry.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <sched.h>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

namespace ramie {
namespace {

using test::watchdog;
using test::with_workers;

// For the hierarchical one: three levels, with more workers than CPUs as well as with fewer.
constexpr const char* small_machine = "pack:2 l3:2 core:1 pu:1";

using choice = std::tuple<queue_kind, victim_policy, backoff_policy, unsigned>;
class Policies : public ::testing::TestWithParam<choice> {};
INSTANTIATE_TEST_SUITE_P(
    All, Policies,
    ::testing::Combine(::testing::ValuesIn(queue::all_kinds), ::testing::ValuesIn(all_victim_policies),
                       ::testing::Values(backoff_policy::none, backoff_policy::fixed, backoff_policy::exponential),
                       ::testing::Values(2U, 5U)));

TEST(Options, VictimPolicies_EachHasANameOfItsOwn_ThatFindsIt) {
  for (const victim_policy each : all_victim_policies) {
    EXPECT_FALSE(name_of(each).empty());
    EXPECT_EQ(victim_policy_of(name_of(each)), each);
  }
  EXPECT_EQ(victim_policy_of("no_such_policy"), std::nullopt);
  EXPECT_EQ(victim_policy_of(""), std::nullopt);
}

// All work begins on one worker, a tenth of it is heavy.
TEST_P(Policies, ImbalancedLoad_IsDoneOnce) {
  const watchdog limit("imbalanced load");
  options chosen;
  std::tie(chosen.queue, chosen.victim, chosen.backoff, chosen.workers) = GetParam();
  chosen.topology = small_machine;
  std::vector<std::atomic<int>> done(300);
  run(chosen, [&] {
    counter left;
    for (std::size_t i = 0; i < done.size(); ++i) {
      spawn_with_counter(left, [&done, i] {
        if (i % 10 == 0) test::compute(std::chrono::microseconds(100));
        if (i % 3 == 0) yield();
        ++done[i];
      });
    }
    wait_for_counter(left);
  });
  for (const auto& each : done) EXPECT_EQ(each, 1);
}

#if !RAMIE_ASAN && !RAMIE_TSAN  // whose frames are larger

// Where a fiber waits, it makes the stacks of those that come next, and gives back those of the ones before, on its
// own.
TEST(Options, TheSmallestStack_LeavesAPageToTheFunctionThatWaits) {
  const watchdog limit("the smallest stacks");
  options chosen = with_workers(1);
  chosen.stack_size = 16_KiB;
  chosen.retained_stacks = 1;
  std::atomic<int> done{0};
  run(chosen, [&] {
    for (int round = 0; round < 3; ++round) {
      counter gate(1);
      counter left;
      for (int i = 0; i < 500; ++i) {
        spawn_with_counter(left, [&done, &gate] {
          volatile char own[4096] = {};
          own[0] = 1;
          wait_for_counter(gate);
          done += own[0];
        });
      }
      for (int i = 0; i < 100; ++i) yield();  // they begin, and wait
      gate.decrement();
      wait_for_counter(left);
    }
  });
  EXPECT_EQ(done, 1500);
}
#endif

// Most of it goes through the injector, a crowd at a time, and again from tasks that come from there.
TEST(Options, QueuesThatAreMuchTooSmall_LoseNothing) {
  const watchdog limit("queues that are much too small");
  for (const queue_kind kind : queue::all_kinds) {
    for (const unsigned workers : {1U, 3U}) {
      options chosen = with_workers(workers);
      chosen.queue = kind;
      chosen.queue_settings.capacity = 2;
      chosen.queue_settings.blocks = {2, 1, queue::grant::early};
      std::vector<std::atomic<int>> done(1000);
      run(chosen, [&] {
        counter left;
        for (std::size_t i = 0; i < done.size(); i += 2) {
          spawn_with_counter(left, [&, i] {
            spawn_with_counter(left, [&, i] { ++done[i]; });
            ++done[i + 1];
          });
        }
        wait_for_counter(left);
      });
      for (const auto& each : done) ASSERT_EQ(each, 1) << queue::name_of(kind) << ", workers: " << workers;
    }
  }
}

TEST(Options, AllPoliciesSteal) {
  for (const victim_policy policy : all_victim_policies) {
    options chosen = with_workers(3);
    chosen.victim = policy;
    chosen.topology = small_machine;
    runtime home(chosen);
    home.spawn([] {
          std::atomic<bool> stolen{false};
          const unsigned mine = this_fiber::worker_index();
          spawn([&, mine] { stolen = this_fiber::worker_index() != mine; }).detach();
          while (!stolen) {  // does not give way: another must come
          }
        })
        .detach();
    home.run();
    std::uint64_t steals = 0;
    for (const worker_statistics& each : home.statistics()) steals += each.steals;
    EXPECT_GT(steals, 0U) << static_cast<int>(policy);
  }
}

// Worker 2 alone has work, and the other two, near each other and far from it, have nothing to do but to find it. Spun
// for as well as slept for, with a threshold that no search reaches.
TEST(Options, Hierarchical_WorkOfAFarWorkerIsFoundSoon_HoweverLargeTheThreshold) {
  for (const unsigned spin : {0U, 100U}) {
    options chosen = with_workers(3);
    chosen.victim = victim_policy::hierarchical;
    chosen.topology = "pack:2 l3:1 core:2 pu:1";
    chosen.steal_threshold = 1'000'000'000;
    chosen.spin = std::chrono::microseconds(spin);
    const watchdog limit("only a far worker has work");
    runtime home(chosen);
    for (int repetition = 0; repetition < 20; ++repetition) {
      std::atomic<unsigned> started{0};
      std::atomic<bool> found{false};
      for (int i = 0; i < 3; ++i) {
        home.spawn([&] {
              ++started;
              while (started < 3) std::this_thread::yield();  // so each is on a worker of its own
              if (this_fiber::worker_index() != 2) return;
              std::this_thread::sleep_for(std::chrono::milliseconds(repetition % 2));  // the others search, or sleep
              spawn([&] { found = true; }).detach();
              while (!found) std::this_thread::yield();
            })
            .detach();
      }
      home.run();
      EXPECT_TRUE(found);
    }
  }
}

TEST(Options, Hierarchical_OfThisMachine) {
  options chosen = with_workers(4);
  chosen.victim = victim_policy::hierarchical;
  EXPECT_EQ(run(chosen, [] { return spawn([] { return 7; }).join(); }), 7);
}

TEST(Options, ATopologyThatHwlocRefuses_IsABadOption) {
  options chosen = with_workers(1);
  chosen.victim = victim_policy::hierarchical;
  chosen.topology = "two packages";
  try {
    const runtime home(chosen);
    ADD_FAILURE() << "accepted";
  } catch (const bad_option& problem) {
    EXPECT_NE(std::string(problem.what()).find("options.topology is \"two packages\"; it must be"), std::string::npos)
        << problem.what();
  }
  chosen.victim = victim_policy::random_start;  // does not read it
  EXPECT_NO_THROW(runtime{chosen});
}

// A thief that looks for the longest time that there is has some of it left after a look.
TEST(Options, Spin_MayBeAsLongAsAClockGoes) {
  for (const auto limit :
       {std::chrono::nanoseconds::max(), std::chrono::nanoseconds(std::chrono::hours(24 * 365 * 250))}) {
    detail::search_pace<> pace(limit, backoff_policy::none, 1);
    pace.begin();
    EXPECT_TRUE(pace.another_round()) << limit.count();
  }
  detail::search_pace<> none(std::chrono::nanoseconds::zero(), backoff_policy::none, 1);
  none.begin();
  EXPECT_FALSE(none.another_round());
}

TEST(Options, StealingOff_KeepsWorkWhereItWasSpawned) {
  for (const queue_kind kind : queue::all_kinds) {
    if (kind == queue_kind::global) continue;  // it is everybody's
    options chosen = with_workers(4);
    chosen.stealing = false;
    chosen.queue = kind;
    std::set<unsigned> used;
    std::mutex lock;
    run(chosen, [&] {
      counter left;
      for (int i = 0; i < 200; ++i) {  // fewer than a lane holds: the rest of more would go through the injector
        spawn_with_counter(left, [&] {
          for (int j = 0; j < 3; ++j) {
            yield();
            const std::lock_guard guard(lock);
            used.insert(this_fiber::worker_index());
          }
        });
      }
      wait_for_counter(left);
    });
    EXPECT_EQ(used.size(), 1U);
  }
}

TEST(Options, StealingOff_WorkFromOutsideReachesEveryWorkerThatIsFree) {
  options chosen = with_workers(2);
  chosen.stealing = false;
  const watchdog limit("stealing off, from outside");
  runtime home(chosen);
  home.start();
  for (test::rounds race(200); race.next();) {
    std::atomic<int> met{0};
    std::vector<join_handle<void>> both;
    for (int i = 0; i < 2; ++i) {
      both.push_back(home.spawn([&] {
        ++met;
        while (met < 2) {  // each holds its worker until the other is there
        }
      }));
    }
    for (auto& each : both) each.join();
    if (race.begun() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));  // both asleep again
  }
}

cpu_set_t affinity_now() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof set, &set);
  return set;
}

TEST(Options, Pin_KeepsEachWorkerOnOneProcessor_AndGivesTheCallersAffinityBack) {
  const cpu_set_t before = affinity_now();
  options chosen = with_workers(2);
  chosen.pin = true;
  run(chosen, [&] {
    counter left;
    for (int i = 0; i < 100; ++i) {
      spawn_with_counter(left, [] {
        const cpu_set_t mine = affinity_now();
        EXPECT_EQ(CPU_COUNT(&mine), 1);
        EXPECT_TRUE(CPU_ISSET(::sched_getcpu(), &mine));
        yield();
      });
    }
    wait_for_counter(left);
  });
  const cpu_set_t after = affinity_now();
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(Options, DefaultWorkers_AreAtMostTheProcessorsAllowed) {
  const cpu_set_t allowed = affinity_now();
  const runtime home;
  EXPECT_GE(home.worker_count(), 1U);
  EXPECT_LE(home.worker_count(), static_cast<unsigned>(CPU_COUNT(&allowed)));
}

// Bytes below the calling fiber's stack that may not be touched.
std::size_t guard_here() {
  stack::found mine;
  if (!stack::find(__builtin_frame_address(0), mine)) return 0;  // ASan has variables elsewhere
  std::size_t pages = 0;
  while (pages < 100 && !stack::readable(mine.stack.bottom - (pages + 1) * stack::page_size)) ++pages;
  return pages * stack::page_size;
}

TEST(Options, GuardSize_LiesBelowEachStack) {
  // Not of the first stack of all, which has whatever is mapped below it.
  run(with_workers(1), [] { spawn([] { EXPECT_EQ(guard_here(), (40_KiB).count()); }).join(); });
  options chosen = with_workers(1);
  chosen.guard_size = bytes(100'000);
  run(chosen, [] {
    spawn([] { EXPECT_EQ(guard_here(), 25 * stack::page_size); }).join();
    for (const bytes size : {16_KiB, 128_KiB, 1_MiB}) {
      counter gate(1);
      bool begun = false;
      auto first = spawn(spawn_options{.stack_size = size}, [&] {
        begun = true;
        wait_for_counter(gate);
      });
      while (!begun) yield();
      auto second = spawn(spawn_options{.stack_size = size}, [size] {
        EXPECT_EQ(guard_here(), std::min<std::size_t>(25 * stack::page_size, size.count() / 4)) << size.count();
      });
      second.join();
      gate.decrement();
      first.join();
    }
  });
  chosen.guard_size = 252_KiB;
  const std::string said = test::message_of<bad_option>([&] { runtime home(chosen); });
  EXPECT_NE(said.find("guard_size is 258048 bytes"), std::string::npos) << said;
}

[[gnu::noinline]] int use_stack(int kib) {
  volatile char page[1024];
  page[0] = static_cast<char>(kib);
  return kib == 0 ? page[0] : use_stack(kib - 1) + page[0] - page[0];
}

TEST(SpawnOptions, StackSize_IsThereToBeUsed) {
  run(with_workers(2), [] {
    // Sanitized frames are several times larger.
    const int part = test::sanitized ? 8 : 2;
    auto small = spawn(spawn_options{.stack_size = 64_KiB}, [=] { return use_stack(64 / part - 4); });
    auto large = spawn(spawn_options{.stack_size = 4_MiB}, [=] { return use_stack(4096 / part); });
    auto odd = spawn(spawn_options{.stack_size = 300_KiB}, [=] { return use_stack(290 / part); });
    small.join();
    large.join();
    odd.join();
    std::vector<join_handle<int>> many;
    for (int i = 0; i < 50; ++i) {
      const bytes size(std::size_t{test::sanitized ? 64U : 16U} << (static_cast<unsigned>(i) % 6 + 10U));
      many.push_back(spawn(spawn_options{.stack_size = size}, [i] { return yield(), i; }));
    }
    for (int i = 0; i < 50; ++i) EXPECT_EQ(many[static_cast<std::size_t>(i)].join(), i);
  });
}

TEST(SpawnOptions, Name_IsCopiedAndKept) {
  run([] {
    std::string name = "short-lived";
    auto named = spawn(spawn_options{.name = name}, [] {
      yield();
      return std::string(this_fiber::name());
    });
    name = "overwritten";
    EXPECT_EQ(named.name(), "short-lived");
    EXPECT_EQ(named.join(), "short-lived");
    auto unnamed = spawn([] { return std::string(this_fiber::name()); });
    EXPECT_EQ(unnamed.join(), "");
  });
}

TEST(SpawnOptions, Ids_AreUniqueAndKnownToBothSides) {
  runtime home(with_workers(4));
  std::mutex lock;
  std::vector<std::uint64_t> ids;
  const auto note = [&] {
    const std::uint64_t mine = this_fiber::id();
    yield();
    EXPECT_EQ(this_fiber::id(), mine);
    const std::lock_guard guard(lock);
    ids.push_back(mine);
  };
  for (int i = 0; i < 50; ++i) {
    home.spawn([&] {
          note();
          auto child = spawn([&] { note(); });
          const std::uint64_t id = child.id();
          child.join();
          const std::lock_guard guard(lock);
          EXPECT_NE(std::find(ids.begin(), ids.end(), id), ids.end());
        })
        .detach();
  }
  home.run();
  EXPECT_EQ(ids.size(), 100U);
  const std::set<std::uint64_t> unique(ids.begin(), ids.end());
  EXPECT_EQ(unique.size(), ids.size());
  EXPECT_FALSE(unique.contains(0));
}

}  // namespace
}  // namespace ramie
