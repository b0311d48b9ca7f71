#include <ramie/stack/arena.hpp>
#include <ramie/stack/registry.hpp>

#include <gtest/gtest.h>

#include <stack/child.hpp>
#include <support/eventually.hpp>
#include <support/on_processor.hpp>

#include <atomic>
#include <chrono>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ramie::stack {
namespace {

TEST(StackRegistry, FindsEveryStackFromAnyOfItsAddresses) {
  arena stacks({.size = 64_KiB, .guard_size = 8_KiB, .first_segment = 1_MiB});
  std::vector<memory> some(100);
  ASSERT_EQ(stacks.acquire(some), 100U);
  for (const memory& each : some) {
    found where;
    ASSERT_TRUE(find(each.bottom, where));
    EXPECT_EQ(where.stack, each);
    EXPECT_EQ(where.size, 65'536U);
    EXPECT_FALSE(where.in_guard);
    ASSERT_TRUE(find(each.top - 1, where));
    EXPECT_EQ(where.stack, each);
    EXPECT_FALSE(where.in_guard);
    for (const std::size_t below : {std::size_t{1}, page_size, 2 * page_size}) {
      ASSERT_TRUE(find(each.bottom - below, where));
      EXPECT_EQ(where.stack, each);
      EXPECT_TRUE(where.in_guard);
    }
  }
}

TEST(StackRegistry, ForeignAddressesAreNotFound) {
  arena stacks;
  memory one;
  stacks.acquire({&one, 1});
  found where;
  int local = 0;
  EXPECT_FALSE(find(&local, where));
  EXPECT_FALSE(find(nullptr, where));
  EXPECT_FALSE(find(reinterpret_cast<void*>(~std::uintptr_t{0}), where));
}

TEST(StackRegistry, AnArenasStacksAreForgottenWithIt) {
  memory one;
  found where;
  {
    arena stacks;
    stacks.acquire({&one, 1});
    ASSERT_TRUE(find(one.bottom, where));
  }
  EXPECT_FALSE(find(one.bottom, where));
}

TEST(StackRegistry, AFullTableLeavesSegmentsUnregisteredAndEntriesAreReused) {
  const detail::segment_range far{reinterpret_cast<std::byte*>(page_size), 1, page_size, 0, 0};
  std::vector<std::size_t> entries;
  std::size_t entry = 0;
  while ((entry = detail::register_segment(far)) < detail::registry_capacity) entries.push_back(entry);
  EXPECT_LE(entries.size(), detail::registry_capacity);
  {
    arena stacks;
    memory one;
    found where;
    EXPECT_EQ(stacks.acquire({&one, 1}), 1U);
    EXPECT_FALSE(find(one.bottom, where));
  }
  const std::size_t freed = entries.back();
  detail::unregister_segment(freed);
  EXPECT_EQ(detail::register_segment(far), freed);
  for (const std::size_t each : entries) detail::unregister_segment(each);
}

TEST(StackRegistry, AnEntryThatChangesItsShapeIsNeverSeenHalfChanged) {
  // One entry, one beginning, two shapes that differ in all the rest. Addresses that nobody maps: find() reads none.
  std::byte* const begin = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40U);
  const detail::segment_range narrow{begin, 1, (64_KiB).count(), (4_KiB).count(), 0};
  const detail::segment_range wide{begin, 4, (1_MiB).count(), (128_KiB).count(), 0};
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    const ramie::test::on_processor there(0);
    while (!stop.load(std::memory_order_relaxed)) {
      for (const detail::segment_range& each : {narrow, wide}) {
        detail::unregister_segment(detail::register_segment(each));
      }
    }
  });
  // Looks for a while, and until it has often seen another shape than before: only then the two were really at it.
  const ramie::test::on_processor here(1);
  constexpr std::size_t enough = 20;
  std::size_t changes = 0;
  std::size_t last = 0;
  const ramie::test::waiting_time left;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while ((changes < enough || std::chrono::steady_clock::now() < end) && !left.over() && !HasFailure()) {
    for (int i = 0; i < 1000; ++i) {
      found where;
      if (!find(begin, where)) continue;
      const auto guard = static_cast<std::size_t>(where.stack.bottom - begin);
      if (std::exchange(last, where.size) != where.size) ++changes;
      EXPECT_TRUE((where.size == narrow.slot_size && guard == narrow.guard_size) ||
                  (where.size == wide.slot_size && guard == wide.guard_size))
          << where.size << " bytes with a guard of " << guard;
    }
  }
  stop = true;
  changer.join();
  EXPECT_GE(changes, enough) << "the race was hardly run";
}

TEST(StackRegistry, LookUpsNeverMixTwoSegmentsWhileArenasComeAndGo) {
  // Two shapes whose fields differ in everything; a mixture gives a slot that contradicts itself.
  arena lasting({.size = 32_KiB});
  memory known;
  lasting.acquire({&known, 1});
  std::atomic<std::byte*> hint{nullptr};
  std::atomic<bool> stop{false};

  std::atomic<std::size_t> seen{0};
  constexpr std::size_t enough = 2000;
  const ramie::test::waiting_time left;

  std::vector<std::thread> changers;
  for (const bool wide : {false, true}) {
    changers.emplace_back([&, wide] {
      for (int round = 0; round < 500 || seen.load(std::memory_order_relaxed) < enough; ++round) {
        if (left.over()) return;
        arena brief(wide ? config{.size = 1_MiB, .guard_size = 64_KiB, .first_segment = 4_MiB}
                         : config{.size = 64_KiB, .guard_size = 4_KiB, .first_segment = 1_MiB});
        memory one;
        brief.acquire({&one, 1});
        hint.store(one.bottom + 100, std::memory_order_relaxed);
        if (round % 4 == 0) std::this_thread::yield();
      }
    });
  }
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed)) {
        found where;
        EXPECT_TRUE(find(known.bottom, where)) << "a lasting stack was lost";
        EXPECT_EQ(where.stack, known);
        std::byte* const address = hint.load(std::memory_order_relaxed);
        if (!find(address, where)) continue;
        seen.fetch_add(1, std::memory_order_relaxed);
        const std::size_t guard = where.size == (64_KiB).count() ? (4_KiB).count() : (64_KiB).count();
        EXPECT_TRUE(where.size == (64_KiB).count() || where.size == (1_MiB).count()) << where.size;
        EXPECT_LE(where.stack.bottom - guard, address);
        EXPECT_LT(address, where.stack.bottom - guard + where.size);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(where.stack.bottom - guard) % where.size, 0U);
        EXPECT_LE(where.stack.size(), where.size - guard);
        EXPECT_GE(where.stack.size(), where.size - guard - 960);
      }
    });
  }
  for (std::thread& each : changers) each.join();
  stop = true;
  for (std::thread& each : readers) each.join();
  EXPECT_GE(seen.load(), enough) << "the race was hardly run";
}

TEST(StackRegistry, InAChildMadeByFork_IsFree) {
  const detail::segment_range nowhere{.begin = nullptr, .slots = 1, .slot_size = page_size, .guard_size = 0};
  const auto register_one = [&] { detail::unregister_segment(detail::register_segment(nowhere)); };
  std::atomic<bool> over{false};
  std::thread registers([&] {
    while (!over) register_one();
  });
  for (int i = 0; i < 300; ++i) {
    const test::outcome child = test::in_child([&] {
      ::alarm(60);
      register_one();
      return 11;
    });
    EXPECT_TRUE(child.exited_with(11)) << child.status << child.text;
    if (HasFailure()) break;
  }
  over = true;
  registers.join();
}

}  // namespace
}  // namespace ramie::stack
