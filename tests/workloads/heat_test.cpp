// The judge of the heat suite: it must see what is wrong.
#include "heat/problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "library/workload.hpp"

namespace bench::heat {
namespace {

const size small{.side = 128, .steps = 5};

grid computed_by_strips() {
  plate hot(small);
  for (std::size_t step = 0; step < small.steps; ++step) {
    for (std::size_t strip = 0; strip < strips; ++strip) hot.relax_strip(step, strip);
  }
  const auto found = hot.after(small.steps);
  return {found.begin(), found.end()};
}

TEST(HeatBenchmark, RightGrid_IsVerified) {
  const timed run = judged({}, small, computed_by_strips());
  EXPECT_TRUE(run.verified) << run.complaint;
}

TEST(HeatBenchmark, FlippedByte_IsFoundAndNamed) {
  grid cells = computed_by_strips();
  unsigned char bytes[sizeof(double)];
  std::memcpy(bytes, &cells[40 * small.side + 30], sizeof bytes);
  bytes[0] ^= 1U;  // the lowest bit of the number
  std::memcpy(&cells[40 * small.side + 30], bytes, sizeof bytes);
  const timed run = judged({}, small, cells);
  EXPECT_FALSE(run.verified);
  EXPECT_NE(run.complaint.find("row 40, column 30"), std::string::npos) << run.complaint;
}

TEST(HeatBenchmark, StripLeftOut_IsFound) {
  plate hot(small);
  for (std::size_t step = 0; step < small.steps; ++step) {
    for (std::size_t strip = 0; strip < strips; ++strip) {
      if (step != 2 || strip != 16) hot.relax_strip(step, strip);
    }
  }
  EXPECT_FALSE(judged({}, small, hot.after(small.steps)).verified);
}

TEST(HeatBenchmark, GridOfAnotherSize_IsFound) { EXPECT_FALSE(judged({}, small, grid(5)).verified); }

TEST(HeatBenchmark, Heat_Spreads) {
  const grid before = initial(small);
  const grid& after = expected(small);
  EXPECT_NE(before, after);
  EXPECT_TRUE(std::all_of(after.begin(), after.end(), [](double t) { return t >= 0 && t <= 1; }));
}

TEST(HeatBenchmark, IsAWorkload) {
  const auto all = all_workloads();
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const workload& w) { return w.name == "heat"; }));
}

}  // namespace
}  // namespace bench::heat
