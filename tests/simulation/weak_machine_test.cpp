// The simulated machine where its memory is weak: litmus tests on its provider, races, repetition.
// tests/model/weak_memory_test.cpp shows that the memory itself does what C++20 allows, and no more.
#include <simulation/scenarios.hpp>
#include <simulation/simulator/run.hpp>
#include <support/threads.hpp>

#include <ramie/base/provider.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ramie {
namespace {

using test::thread;
using shared_word = native_provider::atomic<std::uint32_t>;
using seen_values = std::set<std::pair<std::uint32_t, std::uint32_t>>;

sim::settings weak_machine(std::uint64_t seed) {
  sim::settings chosen;
  chosen.seed = seed;
  chosen.weak_memory = true;
  return chosen;
}

// Two threads, two words; what the functions return, in 400 runs.
template <class First, class Second>
seen_values pairs_of(First first, Second second) {
  seen_values all;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    std::pair<std::uint32_t, std::uint32_t> found;
    sim::run(weak_machine(seed), [&] {
      shared_word x{0}, y{0};
      thread left([&] { found.first = first(x, y); });
      thread right([&] { found.second = second(x, y); });
    });
    all.insert(found);
  }
  return all;
}

constexpr auto relaxed = std::memory_order_relaxed;

template <class Fence, class OtherFence>
seen_values store_buffering(Fence fence, OtherFence other) {
  return pairs_of(
      [=](shared_word& x, shared_word& y) {
        x.store(1, relaxed);
        fence();
        return y.load(relaxed);
      },
      [=](shared_word& x, shared_word& y) {
        y.store(1, relaxed);
        other();
        return x.load(relaxed);
      });
}

const seen_values without_the_old_ones = {{0, 1}, {1, 0}, {1, 1}};
const seen_values all_four = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};

TEST(WeakMachine, StoreBuffering_NeedsAPairOfFences) {
  const auto none = [] {};
  const auto full = [] { native_provider::fence_seq_cst(); };
  const auto light = [] { native_provider::fence_light(); };
  const auto heavy = [] { native_provider::fence_heavy(); };
  EXPECT_EQ(store_buffering(none, none), all_four);
  EXPECT_EQ(store_buffering(full, none), all_four);
  EXPECT_EQ(store_buffering(light, light), all_four);
  EXPECT_EQ(store_buffering(full, full), without_the_old_ones);
  EXPECT_EQ(store_buffering(light, heavy), without_the_old_ones);
}

seen_values message_passing(std::memory_order write, std::memory_order read) {
  return pairs_of(
      [=](shared_word& x, shared_word& y) {
        x.store(1, relaxed);
        y.store(1, write);
        return 0U;
      },
      [=](shared_word& x, shared_word& y) {
        const std::uint32_t ready = y.load(read);
        return 2 * ready + x.load(relaxed);
      });
}

TEST(WeakMachine, MessagePassing_NeedsAReleaseAndAnAcquire) {
  const auto acquire = std::memory_order_acquire, release = std::memory_order_release;
  EXPECT_EQ(message_passing(relaxed, acquire), (seen_values{{0, 0}, {0, 1}, {0, 2}, {0, 3}}));
  EXPECT_EQ(message_passing(release, relaxed), (seen_values{{0, 0}, {0, 1}, {0, 2}, {0, 3}}));
  EXPECT_EQ(message_passing(release, acquire), (seen_values{{0, 0}, {0, 1}, {0, 3}}));
}

// A store of one value, and the thread that sees it. Plain memory beside it is a race, or not.
sim::verdict plain_beside(std::memory_order order) {
  for (std::uint64_t seed = 1;; ++seed) {
    const sim::verdict result = sim::run_apart(weak_machine(seed), [&] {
      shared_word ready{0};
      native_provider::plain<std::uint32_t> letter{0};
      thread writer([&] {
        letter = 42;
        ready.store(1, order);
      });
      thread reader([&] {
        const bool there = ready.load(std::memory_order_acquire) == 1;
        EXPECT_EQ(there ? letter.read() : 42U, 42U);
      });
    });
    if (result.failed || seed == 50) return result;
  }
}

TEST(WeakMachine, ADataRace_EndsTheRun) {
  EXPECT_NE(plain_beside(relaxed).said.find("data race: this reads what another thread writes"), std::string::npos);
  EXPECT_FALSE(plain_beside(std::memory_order_release).failed);
}

TEST(WeakMachine, AWordThatIsUsedBeforeItsConstructionIsSeen_EndsTheRun) {
  sim::verdict result;
  for (std::uint64_t seed = 1; seed <= 50 && !result.failed; ++seed) {
    result = sim::run_apart(weak_machine(seed), [] {
      native_provider::atomic<shared_word*> handed{nullptr};
      std::optional<shared_word> made;
      thread writer([&] {
        made.emplace(7U);
        handed.store(&*made, relaxed);
      });
      thread reader([&] {
        if (shared_word* const there = handed.load(std::memory_order_acquire)) static_cast<void>(there->load(relaxed));
      });
    });
  }
  EXPECT_NE(result.said.find("may not see its construction"), std::string::npos) << result.said;
}

// The kernel looks at the word under its lock: a waker that has changed it is seen, or finds the sleeper.
TEST(WeakMachine, AFutexMissesNoWakeUp_ThoughTheStoreIsRelaxed) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    sim::run(weak_machine(seed), [] {
      shared_word gate{0};
      thread sleeper([&] {
        while (gate.load(relaxed) == 0) native_provider::futex_wait(gate, 0);
      });
      gate.store(1, relaxed);
      native_provider::futex_wake(gate, 1);
    });
  }
}

TEST(WeakMachine, TheSameSeedTakesTheSameSteps_AndReportsSayWhatWasOld) {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto first = sim::run(weak_machine(seed), [&] { scenarios::letters(seed); });
    const auto elsewhere = std::make_unique<char[]>(100 + seed * 1000);  // other addresses
    const auto second = sim::run(weak_machine(seed), [&] { scenarios::letters(seed); });
    EXPECT_EQ(first.hash, second.hash) << "seed " << seed;
    EXPECT_EQ(first.old_reads, second.old_reads) << "seed " << seed;
    hashes.insert(first.hash);
  }
  EXPECT_EQ(hashes.size(), 12U);

  bool told = false;
  for (std::uint64_t seed = 1; seed <= 100 && !told; ++seed) {
    const sim::verdict result = sim::run_apart(weak_machine(seed), [] {
      shared_word some{0};
      thread writer([&] { some.store(1, relaxed); });
      thread reader([&] { EXPECT_EQ(some.load(relaxed), 1U); });
    });
    told = result.said.find(": 0, old") != std::string::npos;
  }
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace ramie
