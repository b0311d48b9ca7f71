// The options of C: values that are refused, and structs of programs that are older or newer than the library.
#include <ramie/c/ramie.h>

#include <gtest/gtest.h>

#include <chrono>
#include <climits>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "c/extensible.hpp"
#include "c/options.hpp"

namespace ramie {
namespace {

void expect_refused(const ramie_options& options, int expected, const char* part) {
  ramie_runtime* home = nullptr;
  EXPECT_EQ(ramie_runtime_new(&options, &home), expected);
  EXPECT_NE(std::strstr(ramie_last_error(), part), nullptr) << ramie_last_error();
  EXPECT_EQ(home, nullptr);
}

TEST(COptions, ValuesThatCannotWork_AreNamedInTheSentence) {
  ramie_options options = RAMIE_OPTIONS_INIT;
  options.workers = 4097;
  expect_refused(options, RAMIE_ERROR_OPTION, "options.workers is 4097");
  options = RAMIE_OPTIONS_INIT;
  options.workers = UINT_MAX;
  expect_refused(options, RAMIE_ERROR_OPTION, "options.workers");
  for (const char* const queue : {"no_such_queue", "", "Split", "split "}) {
    options = RAMIE_OPTIONS_INIT;
    options.queue = queue;
    expect_refused(options, RAMIE_ERROR_OPTION, "options.queue is \"");
    EXPECT_NE(std::strstr(ramie_last_error(), "\"chase_lev\""), nullptr) << ramie_last_error();
  }
  options = RAMIE_OPTIONS_INIT;
  options.victim = "nobody";
  expect_refused(options, RAMIE_ERROR_OPTION, "options.victim is \"nobody\"; it must be one of \"sequential\", ");
  for (const std::int64_t spin : {std::int64_t{-2}, std::int64_t{INT64_MIN}}) {
    options = RAMIE_OPTIONS_INIT;
    options.spin_ns = spin;
    expect_refused(options, RAMIE_ERROR_OPTION, "options.spin_ns is -");
  }
  for (const std::size_t stack : {std::size_t{1}, SIZE_MAX}) {
    options = RAMIE_OPTIONS_INIT;
    options.stack_size = stack;
    expect_refused(options, RAMIE_ERROR_OPTION, "stack_size is ");
  }
  for (const std::size_t guard : {std::size_t{256} << 10U, SIZE_MAX}) {
    options = RAMIE_OPTIONS_INIT;
    options.guard_size = guard;
    expect_refused(options, RAMIE_ERROR_OPTION, "guard_size is ");
  }
  options = RAMIE_OPTIONS_INIT;
  options.profile = "/no/such/folder/profile.html";
  expect_refused(options, RAMIE_ERROR_OPTION, "options.profile");
  options = RAMIE_OPTIONS_INIT;
  options.flags = 8;
  expect_refused(options, RAMIE_ERROR_UNKNOWN_OPTION, "options.flags has bits");
}

TEST(COptions, OfASpawn_AreCheckedToo) {
  ramie_runtime* home = nullptr;
  ramie_fiber* fiber = nullptr;
  ASSERT_EQ(ramie_runtime_new(nullptr, &home), RAMIE_OK);
  const ramie_function nothing = [](void* argument) { return argument; };
  ramie_spawn_options how = RAMIE_SPAWN_OPTIONS_INIT;
  // The next power of two of the largest does not exist.
  for (const std::size_t size : {(std::size_t{64} << 30U) + 1, SIZE_MAX / 2, SIZE_MAX / 2 + 2, SIZE_MAX}) {
    how.stack_size = size;
    EXPECT_EQ(ramie_runtime_spawn(home, &fiber, &how, nothing, nullptr), RAMIE_ERROR_OPTION);
    EXPECT_NE(std::strstr(ramie_last_error(), "spawn_options.stack_size is "), nullptr) << ramie_last_error();
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, std::size_t{23}, std::size_t{4097}, SIZE_MAX}) {
    how = RAMIE_SPAWN_OPTIONS_INIT;
    how.size = size;
    EXPECT_EQ(ramie_runtime_spawn(home, &fiber, &how, nothing, nullptr), RAMIE_ERROR_ARGUMENT) << size;
  }
  EXPECT_EQ(fiber, nullptr);
  ramie_runtime_free(home);
}

TEST(COptions, ASizeThatNoVersionHad_IsRefused) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{71}, std::size_t{4097}, SIZE_MAX}) {
    ramie_options options = RAMIE_OPTIONS_INIT;
    options.size = size;
    expect_refused(options, RAMIE_ERROR_ARGUMENT, "options.size is ");
  }
}

TEST(COptions, ALongerStructOfANewerProgram_WorksIfWhatIsNewIsZero) {
  for (const std::size_t more : {std::size_t{1}, std::size_t{8}, 4096 - sizeof(ramie_options)}) {
    alignas(ramie_options) std::vector<unsigned char> newer(sizeof(ramie_options) + more, 0);
    ramie_options options = RAMIE_OPTIONS_INIT;
    options.size = newer.size();
    options.workers = 3;
    std::memcpy(newer.data(), &options, sizeof options);
    ramie_runtime* home = nullptr;
    const auto* const given = reinterpret_cast<const ramie_options*>(newer.data());
    ASSERT_EQ(ramie_runtime_new(given, &home), RAMIE_OK) << ramie_last_error();
    EXPECT_EQ(ramie_runtime_worker_count(home), 3U);
    ramie_runtime_free(home);
    home = nullptr;
    newer.back() = 1;
    EXPECT_EQ(ramie_runtime_new(given, &home), RAMIE_ERROR_UNKNOWN_OPTION);
    EXPECT_NE(std::strstr(ramie_last_error(), "use a newer library"), nullptr) << ramie_last_error();
    EXPECT_EQ(home, nullptr);
  }
}

// A struct that has grown once, as ramie_options will.
struct grown {
  std::size_t size;
  std::uint64_t first;
  std::uint64_t later;
};
constexpr std::size_t before_it_grew = offsetof(grown, later);

TEST(COptions, AShorterStructOfAnOlderProgram_HasTheDefaultsOfWhatIsNew) {
  struct {
    std::size_t size;
    std::uint64_t first;
    std::uint64_t not_ours;
  } older{before_it_grew, 5, 77};
  const grown read =
      c::read_extensible<grown>("grown", reinterpret_cast<const grown*>(&older), {sizeof(grown), 1, 2}, before_it_grew);
  EXPECT_EQ(read.first, 5U);
  EXPECT_EQ(read.later, 2U);
  older.size = before_it_grew - 1;
  EXPECT_THROW(c::read_extensible<grown>("grown", reinterpret_cast<const grown*>(&older), {}, before_it_grew),
               c::bad_argument);
}

TEST(COptions, TheLongestSpin_IsTaken) {
  ramie_options options = RAMIE_OPTIONS_INIT;
  options.spin_ns = INT64_MAX;
  options.workers = 2;
  void* result = nullptr;
  const ramie_function same = [](void* argument) { return argument; };
  EXPECT_EQ(ramie_run(&options, same, &options, &result), RAMIE_OK) << ramie_last_error();
  EXPECT_EQ(result, &options);
}

TEST(COptions, AsInC_AreThoseOfCxx) {
  ramie_options options = RAMIE_OPTIONS_INIT;
  const ramie::options usual = c::options_of(&options);
  const ramie::options by_itself;
  EXPECT_EQ(usual.workers, by_itself.workers);
  EXPECT_EQ(usual.stack_size, by_itself.stack_size);
  EXPECT_EQ(usual.retained_stacks, by_itself.retained_stacks);
  EXPECT_EQ(usual.pin, by_itself.pin);
  EXPECT_EQ(usual.seed, by_itself.seed);
  EXPECT_EQ(usual.queue, by_itself.queue);
  EXPECT_EQ(usual.victim, by_itself.victim);
  EXPECT_EQ(usual.fork_stealing, by_itself.fork_stealing);
  EXPECT_EQ(usual.unguarded, by_itself.unguarded);
  EXPECT_EQ(usual.spin, by_itself.spin);
  EXPECT_EQ(usual.profile, by_itself.profile);
  EXPECT_EQ(usual.guard_size, by_itself.guard_size);
  options = {sizeof options,
             7,
             RAMIE_PIN | RAMIE_STEAL_CONTINUATIONS | RAMIE_UNGUARDED_STACKS,
             65536,
             9,
             11,
             0,
             "abp",
             "random",
             "x",
             16384};
  const ramie::options chosen = c::options_of(&options);
  EXPECT_EQ(chosen.workers, 7U);
  EXPECT_EQ(chosen.stack_size, 64_KiB);
  EXPECT_EQ(chosen.retained_stacks, 9U);
  EXPECT_TRUE(chosen.pin);
  EXPECT_EQ(chosen.seed, 11U);
  EXPECT_EQ(chosen.queue, queue_kind::abp);
  EXPECT_EQ(chosen.victim, victim_policy::random);
  EXPECT_EQ(chosen.fork_stealing, fork_stealing::continuation);
  EXPECT_EQ(chosen.unguarded, unguarded_stacks::allow);
  EXPECT_EQ(chosen.spin, std::chrono::nanoseconds(0));
  EXPECT_EQ(chosen.profile, "x");
  EXPECT_EQ(chosen.guard_size, 16_KiB);
}

}  // namespace
}  // namespace ramie
