// The behaviour at each limit. In child processes, because a process at its limits is no place for a test runner.
#include "child.hpp"

#include <ramie/base/config.hpp>
#include <ramie/base/error.hpp>
#include <ramie/stack/arena.hpp>
#include <ramie/stack/guard.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <vector>

namespace ramie::stack {
namespace {

constexpr std::size_t batch = 512;

std::size_t max_map_count() {
  std::size_t value = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> value;
  return value;
}

// A sanitizer's own allocator needs mappings too, and ends the process when the kernel refuses it one.
#define SKIP_WHERE_THE_TOOL_NEEDS_MAPPINGS(limit)                                                        \
  if (RAMIE_ASAN != 0 || RAMIE_TSAN != 0) GTEST_SKIP() << "the sanitizer cannot go on without mappings"; \
  if ((limit) > 1'000'000) GTEST_SKIP() << "vm.max_map_count is " << (limit) << ": this would take too long"

std::size_t address_space_now() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * page_size;
}

// Acquires until it is refused, or `most` are there; returns how many that was and says why.
std::vector<memory> acquire_until_refused(arena& from, std::size_t most) {
  std::vector<memory> all(most);
  std::size_t have = 0;
  try {
    while (have < most) have += from.acquire(std::span(all).subspan(have, std::min(batch, most - have)));
  } catch (const spawn_error& error) {
    test::say(error.what());
  }
  all.resize(have);
  return all;
}

TEST(StackLimits, MprotectGuardsEndAtMaxMapCount_AndTheErrorSaysSo) {
  const std::size_t limit = max_map_count();
  SKIP_WHERE_THE_TOOL_NEEDS_MAPPINGS(limit);
  const auto child = test::in_child([limit] {
    arena stacks({.size = 16_KiB, .force_guard = guard_kind::mprotect});
    std::vector<memory> all = acquire_until_refused(stacks, limit);
    if (all.size() < limit / 2 - 1000 || all.size() > limit / 2) return 1;
    for (const memory& each : all) {
      if (readable(each.bottom - 8)) return 2;
    }
    // The remaining ones can go on, and the others' slots are not lost.
    if (stacks.counts().in_use != all.size() || stacks.guards() != guard_kind::mprotect) return 3;
    stacks.release(std::span(all).last(1000));
    std::vector<memory> again(1000);
    if (stacks.acquire(again) != 1000) return 4;
    for (const memory& each : again) {
      if (readable(each.bottom - 8)) return 5;
    }
    return 0;
  });
  EXPECT_TRUE(child.exited_with(0)) << child.status;
  EXPECT_TRUE(child.says("vm.max_map_count is " + std::to_string(limit))) << child.text;
  EXPECT_TRUE(child.says("sysctl -w vm.max_map_count=")) << child.text;
}

TEST(StackLimits, SlotsWhoseGuardWasRefusedAreUsedWhenThereIsRoomAgain) {
  const std::size_t limit = max_map_count();
  SKIP_WHERE_THE_TOOL_NEEDS_MAPPINGS(limit);
  const auto child = test::in_child([limit] {
    constexpr std::size_t wanted = 1024;
    arena stacks({.size = 16_KiB, .force_guard = guard_kind::mprotect, .max_stacks = wanted, .first_segment = 16_MiB});
    std::vector<memory> first;
    {
      arena greedy({.size = 16_KiB, .force_guard = guard_kind::mprotect});
      static_cast<void>(acquire_until_refused(greedy, limit / 2 - 600));
      first = acquire_until_refused(stacks, wanted);
      if (first.empty() || first.size() >= wanted) return 1;
    }
    const std::vector<memory> second = acquire_until_refused(stacks, wanted - first.size());
    if (first.size() + second.size() != wanted) return 2;
    for (const memory& each : second) {
      if (readable(each.bottom - 8)) return 3;
    }
    return stacks.counts().reserved == wanted ? 0 : 4;
  });
  EXPECT_TRUE(child.exited_with(0)) << child.status << child.text;
}

TEST(StackLimits, BeyondMaxMapCountStacksAreUnguardedOnlyWhereAllowed) {
  const std::size_t limit = max_map_count();
  if (limit > 1'000'000) GTEST_SKIP() << "vm.max_map_count is " << limit << ": this would take too long";
  const auto child = test::in_child([limit] {
    arena stacks({.size = 16_KiB, .guard = guard_policy::allow_unguarded, .force_guard = guard_kind::mprotect});
    const std::size_t wanted = limit / 2 + 2000;
    const std::vector<memory> all = acquire_until_refused(stacks, wanted);
    if (all.size() != wanted) return 1;
    std::size_t bare = 0;
    for (const memory& each : all) bare += readable(each.bottom - 8) ? 1 : 0;
    if (bare < 1000 || bare > 3500 || stacks.counts().unguarded != bare) return 2;
    return stacks.guards() == guard_kind::none ? 0 : 3;
  });
  EXPECT_TRUE(child.exited_with(0)) << child.status << child.text;
  EXPECT_EQ(child.text, "");
}

TEST(StackLimits, AnAddressSpaceLimitIsUsedUpAndThenNamed) {
  const auto child = test::in_child([] {
    const std::size_t room = std::size_t{200} << 20U;
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = address_space_now() + room;
    if (::setrlimit(RLIMIT_AS, &limit) != 0) return 1;
    arena stacks;
    const std::vector<memory> all = acquire_until_refused(stacks, 10'000);
    // 200 MiB are 800 stacks; shrinking segments use most of it.
    return all.size() >= 700 && all.size() <= 800 ? 0 : 2;
  });
  EXPECT_TRUE(child.exited_with(0)) << child.status;
  EXPECT_TRUE(child.says("RLIMIT_AS allows the process")) << child.text;
  EXPECT_TRUE(child.says("ulimit -v")) << child.text;
}

TEST(StackLimits, TheEndOfTheAddressSpaceIsNamed) {
  // 47 bits of addresses are 2048 stacks of 64 GiB. Sanitizers' shadows leave room for fewer.
  const auto child = test::in_child([] {
    arena stacks({.size = 64_GiB});
    const std::vector<memory> all = acquire_until_refused(stacks, 2048);
    // Without the destructor: under AddressSanitizer it looks through every stack for poisoned frames.
    ::_exit(!all.empty() && all.size() < 2048 ? 0 : 1);
    return 2;
  });
  EXPECT_TRUE(child.exited_with(0)) << child.status;
  EXPECT_TRUE(child.says("address space")) << child.text;
}

TEST(StackLimits, AForcedGuardThatDoesNotWorkIsRefused) {
  if (works(guard_kind::guard_install)) {
    EXPECT_NO_THROW(arena({.force_guard = guard_kind::guard_install}));
  } else {
    EXPECT_THROW(arena({.force_guard = guard_kind::guard_install}), spawn_error);
  }
}

TEST(StackLimits, LockedMemoryFallsBackToMprotect) {
  // MADV_GUARD_INSTALL says EINVAL to a locked mapping, though the probe has succeeded on another.
  if (!works(guard_kind::guard_install)) GTEST_SKIP() << "MADV_GUARD_INSTALL needs Linux 6.13";
  const auto child = test::in_child([] {
    rlimit limit{};
    ::getrlimit(RLIMIT_MEMLOCK, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_MEMLOCK, &limit);
    if (!works(guard_kind::guard_install)) return 1;
    arena stacks({.size = 64_KiB, .max_stacks = 1, .first_segment = 64_KiB});
    if (::syscall(SYS_mlockall, MCL_FUTURE) != 0) return 77;  // sanitizers make mlockall() do nothing
    memory one;
    try {
      stacks.acquire({&one, 1});
    } catch (const spawn_error& error) {
      test::say(error.what());
      return 78;
    }
    if (readable(one.bottom - 8)) return 2;
    return stacks.guards() == guard_kind::mprotect ? 0 : 3;
  });
  if (child.exited_with(77) || child.exited_with(78)) GTEST_SKIP() << "RLIMIT_MEMLOCK forbids it: " << child.text;
  EXPECT_TRUE(child.exited_with(0)) << child.status << child.text;
}

}  // namespace
}  // namespace ramie::stack
