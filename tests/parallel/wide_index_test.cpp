// Compiled with the compiler's extensions: only then is __int128 an integer to the standard library.
#include <ramie/ramie.hpp>

#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <concepts>
#include <iterator>
#include <ranges>
#include <vector>

namespace ramie {
namespace {

__extension__ using wide = __int128;
__extension__ using unsigned_wide = unsigned __int128;
static_assert(std::integral<wide>);

TEST(WideIndex, AnyIndexAndAnyNumberOfThem) {
  const test::watchdog limit("loops of 128 bits");
  run({.workers = 2}, [] {
    const wide far = wide{1} << 100;
    for (const wide first : {wide{0}, far, -far, wide{-3}, (wide{1} << 64) - 3}) {
      std::vector<std::atomic<int>> ran(1000);
      parallel_for(first, first + 1000, [&](wide i) { ++ran.at(static_cast<std::size_t>(i - first)); });
      for (const auto& each : ran) ASSERT_EQ(each, 1);
    }
    std::atomic<int> ran{0};
    parallel_for(unsigned_wide{1} << 90, (unsigned_wide{1} << 90) + 10, [&](unsigned_wide) { ++ran; });
    parallel_for(far, wide{0}, [&](wide) { ++ran; });
    EXPECT_EQ(ran, 10);
    std::vector<int> v(10);
    EXPECT_EQ(ramie::for_each_n(v.begin(), wide{10}, [&](int& each) { each = 1; }), v.end());
    EXPECT_EQ(ramie::reduce(v), 10);
    EXPECT_EQ(ramie::reduce(std::views::iota(far, far + 10), wide{0}), 10 * far + 45);
  });
}

// No such loop would end, and its elements could not be counted.
TEST(WideIndex, MoreThan64BitsOfElements_AreMisuse) {
  run({.workers = 1}, [] {
    const auto never = [](auto) { ADD_FAILURE(); };
    EXPECT_THROW(parallel_for(wide{0}, wide{1} << 64, never), misuse);
    EXPECT_THROW(parallel_for(-(wide{1} << 126), wide{1} << 126, never), misuse);
    EXPECT_THROW(static_cast<void>(ramie::reduce(std::views::iota(wide{0}, wide{1} << 64), wide{0})), misuse);
    const std::vector<int> v(1);
    EXPECT_THROW(ramie::for_each_n(v.begin(), wide{1} << 64, never), misuse);
  });
}

}  // namespace
}  // namespace ramie
