#include "jobs/tables.hpp"

#include <gtest/gtest.h>

namespace {

bench::row_result row(std::string name, std::string runtime, unsigned workers, double median, std::string queue = "") {
  bench::row_result r;
  r.suite = "jobs";
  r.row = std::move(name);
  r.runtime = std::move(runtime);
  r.workers = workers;
  r.queue = std::move(queue);
  r.unit = "ns";
  r.values = {.median = median, .min = median, .max = median, .runs = 5};
  r.verified = true;
  return r;
}

TEST(JobsTables, SpeedUp_IsSerialOverParallel_AndALossIsTold) {
  const std::string text = bench::jobs::speedup_tables({
      row("empty", "ramie", 1, 9, "split"),
      row("work_100", "plain_call", 1, 142),
      row("work_100", "ramie", 1, 192, "split"),
      row("work_100", "ramie", 1, 999, "exchange"),
      row("work_100", "ramie_no_parents", 1, 888),
      row("work_100", "ramie", 2, 106, "split"),
      row("work_1000", "plain_call", 1, 1420),
      row("work_1000", "ramie", 1, 1450, "split"),
      row("tree", "ramie", 1, 50, "split"),
  });
  EXPECT_EQ(text,
            "  ramie, queue split, 1 worker\n"
            "    Workload  Serial Elapsed  Parallel Elapsed  Speedup\n"
            "         100          142 ns            192 ns     0.74  (- 50)\n"
            "        1000         1420 ns           1450 ns     0.98  (- 30)\n"
            "  ramie, queue split, 2 workers\n"
            "    Workload  Serial Elapsed  Parallel Elapsed  Speedup\n"
            "         100          142 ns            106 ns     1.34\n");
}

TEST(JobsTables, RowsThatAreWrongOrAlone_AreLeftOut) {
  auto bad = row("work_100", "ramie", 1, 192, "split");
  bad.verified = false;
  EXPECT_EQ(bench::jobs::speedup_tables({bad, row("work_100", "plain_call", 1, 142)}), "");
  EXPECT_EQ(bench::jobs::speedup_tables({row("work_100", "plain_call", 1, 142)}), "");
}

}  // namespace
