// Numbers in their natural order: every type, size and pattern, with and without what the processor and Highway offer.
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <parallel/sort_inputs.hpp>
#include <parallel/vector_sort.hpp>
#include <support/fibers.hpp>
#include <support/repetitions.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace ramie {
namespace {

using detail::sorting::vector_instructions;
using test::fingerprint;
using test::watchdog;
using test::with_workers;

enum class offered { all, no_highway, no_avx2, no_avx512, nothing };

class SortNumbers : public ::testing::TestWithParam<std::tuple<unsigned, offered>> {
 protected:
  void SetUp() override {
    const auto what = std::get<1>(GetParam());
    vector_instructions::allow_highway(what != offered::no_highway && what != offered::nothing);
    vector_instructions::allow_avx2(what != offered::no_avx2 && what != offered::nothing);
    vector_instructions::allow_avx512(what != offered::no_avx512 && what != offered::nothing);
  }
  void TearDown() override {
    vector_instructions::allow_highway(true);
    vector_instructions::allow_avx2(true);
    vector_instructions::allow_avx512(true);
  }
  static options chosen() { return with_workers(std::get<0>(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(Workers, SortNumbers,
                         ::testing::Combine(::testing::Values(1U, 2U, 5U), ::testing::Values(offered::all)));
INSTANTIATE_TEST_SUITE_P(Instructions, SortNumbers,
                         ::testing::Combine(::testing::Values(2U),
                                            ::testing::Values(offered::no_highway, offered::no_avx2, offered::no_avx512,
                                                              offered::nothing)));

void expect_each(const std::vector<std::size_t>& sizes,
                 test::function_ref<bool(const test::pattern&, std::size_t)> sorts) {
  // Under a sanitizer every third pattern is enough of the large sizes, every day.
  const bool in_part = test::sanitized && !test::nightly();
  for (std::size_t i = 0; i < test::patterns().size(); ++i) {
    const test::pattern& how = test::patterns()[i];
    for (const std::size_t size : sizes) {
      if (in_part && size > 10'000 && i % 3 != 0) continue;
      ASSERT_TRUE(sorts(how, size)) << how.name << ", " << size << " elements";
    }
  }
}

template <class T, class Compare>
void expect_sorted(Compare less, const std::vector<std::size_t>& sizes = {0, 1, 2, 25, 257, 5000, 40'000}) {
  expect_each(sizes, [&](const test::pattern& how, std::size_t size) {
    std::vector<T> v = test::numbers<T>(how, size, size + 1);
    return test::is_sorted_by([&](std::vector<T>& each) { ramie::sort(each, less); }, v, less);
  });
}

TEST_P(SortNumbers, Int64) {
  test::in_runtime(chosen(), [] { expect_sorted<std::int64_t>(std::less<>(), test::sizes()); });
}
TEST_P(SortNumbers, Uint64) {
  test::in_runtime(chosen(), [] { expect_sorted<std::uint64_t>(std::ranges::less()); });
}
TEST_P(SortNumbers, Int64Descending) {
  test::in_runtime(chosen(), [] { expect_sorted<std::int64_t>(std::greater<>()); });
}
TEST_P(SortNumbers, Int32) {
  test::in_runtime(chosen(), [] { expect_sorted<std::int32_t>(std::less<std::int32_t>(), test::sizes()); });
}
TEST_P(SortNumbers, Uint32Descending) {
  test::in_runtime(chosen(), [] { expect_sorted<std::uint32_t>(std::ranges::greater()); });
}
TEST_P(SortNumbers, Double) {
  test::in_runtime(chosen(), [] { expect_sorted<double>(std::less<>(), test::sizes()); });
}
TEST_P(SortNumbers, FloatDescending) {
  test::in_runtime(chosen(), [] { expect_sorted<float>(std::greater<float>()); });
}
TEST_P(SortNumbers, Int16) {
  test::in_runtime(chosen(), [] { expect_sorted<std::int16_t>(std::less<>()); });
}
TEST_P(SortNumbers, Uint16Descending) {
  test::in_runtime(chosen(), [] { expect_sorted<std::uint16_t>(std::greater<>()); });
}
TEST_P(SortNumbers, Int8) {
  test::in_runtime(chosen(), [] { expect_sorted<signed char>(std::less<>()); });
}
TEST_P(SortNumbers, CharDescending) {
  test::in_runtime(chosen(), [] { expect_sorted<char>(std::greater<>()); });
}
TEST_P(SortNumbers, LongLong) {
  test::in_runtime(chosen(), [] { expect_sorted<long long>(std::less<>()); });
}

// Every kind of floating-point number, many times each, between others.
template <class T>
std::vector<T> strange_numbers(std::size_t count) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const T infinity = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T nan_with_payload = std::bit_cast<T>(static_cast<bits>(std::bit_cast<bits>(nan) | 5));
  const T kinds[] = {T{0},
                     -T{0},
                     infinity,
                     -infinity,
                     nan,
                     -nan,
                     nan_with_payload,
                     std::numeric_limits<T>::denorm_min(),
                     -std::numeric_limits<T>::denorm_min(),
                     std::numeric_limits<T>::max(),
                     std::numeric_limits<T>::lowest()};
  random_source random(count + 1);
  std::vector<T> made(count);
  for (T& each : made) {
    each = random.below(2) == 0 ? kinds[random.below(std::size(kinds))] : static_cast<T>(random.next()) / T{3};
  }
  return made;
}

// It tells any two bit patterns apart, so it leaves one order.
template <class T>
void expect_total_order() {
  for (const std::size_t size : test::sizes()) {
    std::vector<T> v = strange_numbers<T>(size);
    const auto comes_before = [](T a, T b) { return std::strong_order(a, b) < 0; };
    const auto comes_behind = [](T a, T b) { return std::strong_order(a, b) > 0; };
    ASSERT_TRUE(test::is_sorted_by([](std::vector<T>& each) { ramie::sort(each); }, v, comes_before)) << size;
    ASSERT_TRUE(test::is_sorted_by([](std::vector<T>& each) { ramie::sort(each, std::greater<>()); }, v, comes_behind))
        << size;
  }
}

TEST_P(SortNumbers, NaNsInfinitiesAndZerosOfBothSigns_ComeInTheTotalOrder_WithAllTheirBits) {
  test::in_runtime(chosen(), [] {
    expect_total_order<float>();
    expect_total_order<double>();
  });
}

TEST_P(SortNumbers, PartOfAnArray_LeavesTheRestAlone) {
  test::in_runtime(chosen(), [] {
    for (const std::size_t size : test::sizes()) {
      for (const std::size_t offset : {1U, 8U}) {
        std::vector<std::int32_t> v = test::numbers<std::int32_t>(test::patterns().front(), size + 16, size + 1);
        const std::vector<std::int32_t> before = v;
        const auto begin = static_cast<std::ptrdiff_t>(offset);
        const auto end = begin + static_cast<std::ptrdiff_t>(size);
        ramie::sort(v.begin() + begin, v.begin() + end);
        ASSERT_TRUE(std::equal(v.begin(), v.begin() + begin, before.begin())) << size << " from " << offset;
        ASSERT_TRUE(std::equal(v.begin() + end, v.end(), before.begin() + end)) << size << " from " << offset;
        ASSERT_TRUE(std::is_sorted(v.begin() + begin, v.begin() + end)) << size << " from " << offset;
        ASSERT_EQ(fingerprint(v), fingerprint(before)) << size << " from " << offset;
      }
    }
  });
}

TEST_P(SortNumbers, Storm_OfSeedsSizesAndPatterns) {
  const watchdog limit("storm of sorts");
  for (const std::uint64_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::in_runtime(chosen(), [&] {
      random_source random(seed);
      for (int round = 0; round < 10; ++round) {
        const test::pattern& how = test::patterns()[random.below(static_cast<std::uint32_t>(test::patterns().size()))];
        const std::size_t size = random.below(test::sanitized ? 60'000 : 300'000);
        std::vector<std::int64_t> v = test::numbers<std::int64_t>(how, size, random.next());
        ASSERT_TRUE(test::is_sorted_by([](auto& each) { ramie::sort(each); }, v))
            << how.name << ", " << size << " elements";
      }
    });
  }
}

// Blocks of the same arrays are permuted by several workers, and buckets gathered.
TEST(SortNumbersStorm, SeveralSortsAtOnce) {
  const watchdog limit("several sorts at once");
  test::in_runtime(with_workers(4), [] {
    std::vector<join_handle<bool>> sorts;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      sorts.push_back(spawn([seed] {
        std::vector<std::int32_t> v =
            test::numbers<std::int32_t>(test::patterns().front(), test::sanitized ? 50'000 : 500'000, seed);
        return test::is_sorted_by([](auto& each) { ramie::sort(each); }, v);
      }));
    }
    for (auto& each : sorts) EXPECT_TRUE(each.join());
  });
}

TEST(SortFromOutside, AThreadThatRunsNoFiber_IsMisuseWithoutARuntime_HoweverFewElements) {
  std::vector<int> v{2, 1};
  EXPECT_THROW(ramie::sort(v), misuse);
  std::vector<int> none;
  EXPECT_THROW(ramie::sort(none), misuse);
}

// Most lie in a narrow range, at one end of all integers, and one lies at the other end.
TEST(SortOutliers, AtTheOtherEndOfAllIntegers_AreFound) {
  test::in_runtime(with_workers(2), [] {
    const auto check = [](auto zero, auto compare) {
      using number = decltype(zero);
      using limits = std::numeric_limits<number>;
      for (const auto& [crowd, outlier] :
           {std::pair(limits::min(), limits::max()), std::pair(limits::max(), limits::min())}) {
        for (const unsigned width : {1U, 2U, 100U, 5000U}) {
          random_source random(width);
          std::vector<number> v(test::sanitized ? 30'000 : 100'000);
          for (number& each : v) {
            const auto distance = static_cast<number>(random.below(width));
            each = static_cast<number>(crowd < outlier ? crowd + distance : crowd - distance);
          }
          v[v.size() / 2] = outlier;
          ASSERT_TRUE(test::is_sorted_by([&](auto& each) { ramie::sort(each, compare); }, v, compare))
              << sizeof(number) << " bytes, " << width;
        }
      }
    };
    check(std::uint32_t{}, std::less<>());
    check(std::uint32_t{}, std::greater<>());
    check(std::int32_t{}, std::less<>());
    check(std::uint64_t{}, std::less<>());
    check(std::uint64_t{}, std::greater<>());
    check(std::int64_t{}, std::greater<>());
  });
}

TEST(SortGrain, OfAnySize) {
  test::in_runtime(with_workers(3), [] {
    for (const std::size_t grain : {std::size_t{1}, ~std::size_t{0}, ~std::size_t{0} / 2, std::size_t{1} << 62U}) {
      for (const std::size_t size : {30U, 40'000U}) {
        const auto input = test::numbers<std::uint64_t>(test::patterns().front(), size, 1);
        const auto by_function = [](std::uint64_t a, std::uint64_t b) { return a < b; };
        auto v = input;
        ramie::sort({.grain = grain}, v);
        EXPECT_TRUE(std::is_sorted(v.begin(), v.end())) << grain;
        v = input;
        test::erased_sort({.grain = grain}, v, by_function);
        EXPECT_TRUE(std::is_sorted(v.begin(), v.end())) << grain;
        v = input;
        test::erased_stable_sort({.grain = grain}, v, by_function);
        EXPECT_TRUE(std::is_sorted(v.begin(), v.end())) << grain;
      }
    }
  });
}

TEST(SortArray, ByItsNameAndItsEnd) {
  test::in_runtime(with_workers(2), [] {
    int array[] = {3, 1, 2};
    ramie::sort(array, array + 3);
    EXPECT_TRUE(std::is_sorted(array, array + 3));
    int again[] = {3, 1, 2};
    ramie::stable_sort({.grain = 1}, again, again + 3);
    EXPECT_TRUE(std::is_sorted(again, again + 3));
    EXPECT_EQ(ramie::reduce(array, array + 3), 6);
  });
}

TEST(SortFromOutside, AThread_SortsOnTheProcessRuntime) {
  const watchdog limit("a sort from a thread");
  scheduler_init(2);
  counter sorted(1);
  spawn([&] { wait_for_counter(sorted); }).detach();
  std::vector<int> v = test::numbers<int>(test::patterns().front(), 100'000, 1);
  std::jthread outside([&] {
    ramie::sort(v);
    sorted.decrement();
  });
  scheduler_run();
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
}

TEST(SortStop, BeforeTheBeginning_LeavesEverythingAsItIs) {
  test::in_runtime(with_workers(2), [] {
    std::stop_source source;
    source.request_stop();
    const std::vector<double> before = test::numbers<double>(test::patterns().front(), 100'000, 1);
    std::vector<double> v = before;
    EXPECT_THROW(ramie::sort({.stop = source.get_token()}, v), stopped);
    EXPECT_EQ(v, before);
    std::vector<std::int16_t> small = test::numbers<std::int16_t>(test::patterns().front(), 100'000, 1);
    EXPECT_THROW(ramie::sort({.stop = source.get_token()}, small), stopped);
  });
}

// Wherever the request comes: the keys are in another form for most of the time, and must not stay so.
TEST(SortStop, InTheMiddle_LeavesAllElementsInSomeOrder) {
  const watchdog limit("sorts that are stopped");
  const test::waiting_time left;
  int times = 0;
  for (int run = 0; run < 40 || (times == 0 && !left.over()); run += test::sanitized ? 4 : 1) {
    const int delay = run % 40;
    test::in_runtime(with_workers(2), [&] {
      std::stop_source source;
      const std::vector<double> before = strange_numbers<double>(test::sanitized ? 100'000 : 400'000);
      std::vector<double> v = before;
      auto stopping = spawn([&] {
        test::compute(std::chrono::microseconds(delay * (test::sanitized ? 2000 : 100)));
        source.request_stop();
      });
      try {
        ramie::sort({.stop = source.get_token()}, v, std::greater<>());
      } catch (const stopped&) {
        ++times;
      }
      stopping.join();
      EXPECT_EQ(fingerprint(v), fingerprint(before)) << "after " << delay;
    });
  }
  EXPECT_GT(times, 0);
}

// The stack of a fiber that asks for little.
TEST(SortStack, SixteenKibibytesOfStack_AreEnough) {
  test::in_runtime(with_workers(2), [] {
    test::have_fibers_made();
    spawn({.stack_size = test::little_stack}, [] {
      for (const test::pattern& how : test::patterns()) {
        std::vector<std::int64_t> v = test::numbers<std::int64_t>(how, test::sanitized ? 50'000 : 300'000, 1);
        ramie::sort(v);
        ASSERT_TRUE(std::is_sorted(v.begin(), v.end())) << how.name;
      }
    }).join();
  });
}

}  // namespace
}  // namespace ramie
