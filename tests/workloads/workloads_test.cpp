// Every workload of the benchmarks, small, with one worker and many: the result is right, no fiber is lost, none hangs.
#include <gtest/gtest.h>
#include <ramie/ramie.hpp>

#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "library/workload.hpp"
#include "support/repetitions.hpp"
#include "support/watchdog.hpp"

namespace bench {

static void PrintTo(const workload& w, std::ostream* out) { *out << w.name; }

namespace {

class WorkloadStress : public testing::TestWithParam<std::tuple<workload, unsigned>> {};

TEST_P(WorkloadStress, RightResultEveryTime) {
  const auto& [work, workers] = GetParam();
  for (const std::uint64_t seed : ramie::test::seeds()) {
    SCOPED_TRACE("RAMIE_SEED=" + std::to_string(seed));
    const ramie::test::watchdog limit(work.name + ", RAMIE_SEED=" + std::to_string(seed));
    const timed run = work.run({.workers = workers, .seed = seed}, scale::tiny);
    ASSERT_TRUE(run.verified) << run.complaint;
  }
}

INSTANTIATE_TEST_SUITE_P(, WorkloadStress,
                         testing::Combine(testing::ValuesIn(all_workloads()), testing::Values(1U, 2U, 4U, 16U)),
                         [](const auto& info) {
                           return std::get<0>(info.param).name + "_" + std::to_string(std::get<1>(info.param)) +
                                  "_workers";
                         });

}  // namespace
}  // namespace bench
