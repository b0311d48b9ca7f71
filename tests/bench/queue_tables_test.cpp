// The thesis's tables that the suite `queues` prints.
#include "queues/tables.hpp"

#include <gtest/gtest.h>

#include "queues/problem.hpp"

namespace {

bench::row_result row(std::string name, std::string queue, double median, bench::statistics stats) {
  bench::row_result r;
  r.suite = "queues";
  r.row = std::move(name);
  r.runtime = "ramie";
  r.queue = std::move(queue);
  r.values = {.median = median, .min = median, .max = median, .runs = 5};
  r.verified = true;
  r.stats = std::move(stats);
  return r;
}

// The median is one of the repetitions, a statistic the mean of all: they do not add up.
TEST(QueueTables, Table51_IsOfMeans_SoThatOwnerAndStealsAddUpToTheTotal) {
  const std::string text = bench::queues::queue_tables({
      row("throughput_4b_5t_1m", "bwos_lifo", 150, {{"owner_per_s", 100}, {"thieves_per_s", 10}}),
      row("throughput_4b_5t_1m", "abp", 300, {{"owner_per_s", 84}, {"thieves_per_s", 15}}),
  });
  EXPECT_EQ(text,
            "  throughput against bwos_lifo             total      steals       owner\n"
            "    abp                                  -10.0 %     +50.0 %     -16.0 %\n"
            "    (table 5.1, of means as there; row throughput_4b_5t_1m)\n");
}

TEST(QueueTables, Fairness_IsOfMeansInEachColumn) {
  const std::string text = bench::queues::queue_tables({row("wait_p99", "split", 7,
                                                            {{"wait_median_us", 1},
                                                             {"wait_hundredth_us", 2},
                                                             {"wait_thousandth_us", 3},
                                                             {"wait_most_us", 4},
                                                             {"wait_mean_us", 5},
                                                             {"wait_variance_us", 6},
                                                             {"starved", 8},
                                                             {"cpu_ns_an_item", 9}})});
  EXPECT_EQ(text,
            "  wait of an item, us         median      99 %    99.9 %   longest"
            "        mean      variance   starved   CPU ns/item\n"
            "    split                          1         2         3         4"
            "           5             6         8             9\n");
}

TEST(QueueTables, TheRowOfWaits_HasItsValueAmongTheStatistics) {
  bench::queues::outcome seen;
  for (std::uint64_t ns = 1; ns <= 100'000; ++ns) seen.owner.waits.add(ns);
  const bench::sample found = bench::queues::samples_of_waits(seen).front();
  ASSERT_TRUE(found.stats.contains("wait_hundredth_us"));
  EXPECT_EQ(found.stats.at("wait_hundredth_us"), found.value);
  EXPECT_NEAR(found.value, 99, 8);
}

}  // namespace
