// A function over the pieces of a span.
#include <ramie/job/parallel_for.hpp>
#include <ramie/ramie.hpp>

#include <gtest/gtest.h>

#include <support/fibers.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

namespace ramie {
namespace {

class JobFor : public ::testing::TestWithParam<unsigned> {
 protected:
  template <class Function>
  static void run(Function&& function) {
    ramie::run(test::with_workers(GetParam()), std::forward<Function>(function));
  }
};
INSTANTIATE_TEST_SUITE_P(Job, JobFor, ::testing::Values(1U, 2U, 4U));

TEST_P(JobFor, EachElement_IsInOnePiece) {
  run([] {
    for (const std::size_t count : {0U, 1U, 2U, 3U, 1000U, 100'000U}) {
      std::vector<int> items(count, 0);
      job::handle all = job::parallel_for(std::span(items), [](std::span<int> some) {
        for (int& each : some) ++each;
      });
      job::run(all);
      job::wait(all);
      EXPECT_EQ(std::ranges::count(items, 1), static_cast<std::ptrdiff_t>(count));
    }
  });
}

TEST_P(JobFor, Splitters_BoundThePieces) {
  run([] {
    const auto largest_of = [](auto split) {
      std::vector<std::uint64_t> items(10'000);
      std::atomic<std::size_t> largest{0};
      std::atomic<std::size_t> pieces{0};
      job::handle all = job::parallel_for(
          std::span(items),
          [&](std::span<std::uint64_t> some) {
            ++pieces;
            std::size_t seen = largest;
            while (seen < some.size() && !largest.compare_exchange_weak(seen, some.size())) {
            }
          },
          split);
      job::run(all);
      job::wait(all);
      return std::pair(largest.load(), pieces.load());
    };
    EXPECT_EQ(largest_of(job::count_splitter(1)), (std::pair<std::size_t, std::size_t>(1, 10'000)));
    EXPECT_EQ(largest_of(job::count_splitter(0)), (std::pair<std::size_t, std::size_t>(1, 10'000)));
    EXPECT_LE(largest_of(job::count_splitter(100)).first, 100U);
    EXPECT_EQ(largest_of(job::count_splitter(10'000)), (std::pair<std::size_t, std::size_t>(10'000, 1)));
    EXPECT_LE(largest_of(job::data_size_splitter(4096)).first, 512U);
    EXPECT_EQ(largest_of(job::data_size_splitter(1)), (std::pair<std::size_t, std::size_t>(1, 10'000)));
  });
}

TEST_P(JobFor, Const_AndAsAChild) {
  run([] {
    std::vector<int> items(5000);
    std::iota(items.begin(), items.end(), 0);
    std::atomic<long> sum{0};
    job::handle root = job::create([&](job::context& here) {
      for (int i = 0; i < 3; ++i) {
        job::run(job::parallel_for(
            here.self(), std::span<const int>(items),
            [&](std::span<const int> some) { sum += std::accumulate(some.begin(), some.end(), 0L); },
            job::count_splitter(64)));
      }
    });
    job::run(root);
    job::wait(root);
    EXPECT_EQ(sum, 3L * 4999 * 5000 / 2);
  });
}

TEST_P(JobFor, Exceptions_LeaveTheWait_AndTheOtherPiecesRun) {
  run([] {
    std::vector<int> items(1000, 0);
    job::handle all = job::parallel_for(
        std::span(items),
        [&](std::span<int> some) {
          some[0] = 1;
          if (&some[0] == &items[0]) throw std::runtime_error("of a piece");
        },
        job::count_splitter(1));
    job::run(all);
    EXPECT_EQ(test::message_of<std::runtime_error>([&] { job::wait(all); }), "of a piece");
    EXPECT_EQ(std::ranges::count(items, 1), 1000);
  });
}

}  // namespace
}  // namespace ramie
