#include <ramie/parallel/transform.hpp>
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <parallel/ways.hpp>
#include <support/fibers.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace ramie {
namespace {

class Transform : public test::in_each_way {};
INSTANTIATE_TEST_SUITE_P(Ways, Transform, ::testing::ValuesIn(test::all_ways({1, 2, 5})),
                         ::testing::PrintToStringParamName());

TEST_P(Transform, OfOneRange_AndOfTwo) {
  test::in_runtime(GetParam().chosen(), [] {
    for (const std::size_t count : {0U, 1U, 10U, 10'000U}) {
      std::vector<int> numbers(count);
      std::iota(numbers.begin(), numbers.end(), 0);
      std::vector<std::string> texts(count);
      const auto text = [](int x) { return std::to_string(x); };
      EXPECT_EQ(ramie::transform(numbers.begin(), numbers.end(), texts.begin(), text), texts.end());
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(texts[i], std::to_string(i));
      texts.assign(count, "");
      EXPECT_EQ(ramie::transform({.grain = 3}, numbers, texts.begin(), text), texts.end());
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(texts[i], std::to_string(i));

      std::vector<std::size_t> sizes(count);
      ramie::transform(texts, sizes.begin(), &std::string::size);
      EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}),
                std::accumulate(texts.begin(), texts.end(), std::string()).size());

      EXPECT_EQ(ramie::transform(numbers.begin(), numbers.end(), numbers.begin(), numbers.begin(), std::plus<>()),
                numbers.end());  // in place
      ramie::transform({.grain = 3}, numbers.begin(), numbers.end(), sizes.begin(), numbers.begin(),
                       [](int x, std::size_t) { return x + 1; });
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(numbers[i], 2 * static_cast<int>(i) + 1);

      std::vector<std::unique_ptr<int>> owned(count);
      ramie::transform(numbers, owned.begin(), [](int x) { return std::make_unique<int>(x); });
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(*owned[i], numbers[i]);
    }
  });
}

TEST_P(Transform, Exceptions_LeaveIt) {
  test::in_runtime(GetParam().chosen(), [] {
    std::vector<int> numbers(1000, 1);
    EXPECT_THROW(ramie::transform(numbers, numbers.begin(), [](int) -> int { throw 1; }), int);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(ramie::transform({.stop = stop.get_token()}, numbers, numbers.begin(), std::negate<>()), stopped);
    EXPECT_EQ(numbers, std::vector<int>(1000, 1));
  });
}

}  // namespace
}  // namespace ramie
