// The peers of the suite `waiting` that are compiled in; those of ramie are among the workloads.
#include "waiting/suite.hpp"

#include <gtest/gtest.h>
#include <set>

#include "framework/peers.hpp"
#include "waiting/contenders.hpp"
#include "waiting/problem.hpp"

namespace {

using namespace bench::waiting;

TEST(WaitingSuite, RamieHasEveryRow) {
  bench::options o;
  o.quick = true;
  o.workers = {1, 3};
  const bench::plan made = bench::waiting_suite().make_plan(o, bench::peer_programs(false, ""));
  EXPECT_EQ(made.groups.size(), 16U);
  for (const bench::group& g : made.groups) {
    std::vector<unsigned> workers;
    for (const bench::contender& c : g.contenders) {
      EXPECT_EQ(c.runtime, "ramie");
      EXPECT_EQ(c.rows.at(0).row, g.name);
      workers.push_back(c.workers);
    }
    EXPECT_EQ(workers, o.workers) << g.name;
  }
}

TEST(WaitingSuite, Peers_ThatAreNotBuilt_AreNamed) {
  bench::options o;
  o.quick = true;
  const bench::plan made = bench::waiting_suite().make_plan(o, bench::peer_programs(true, "/nonexistent"));
  std::set<std::string> absent;
  for (const std::string& each : made.absent) absent.insert(each.substr(0, each.find(':')));
  for (const char* program : {"waiting_go", "waiting_tokio", "waiting_crossbeam"}) EXPECT_EQ(absent.count(program), 1U);
}

TEST(WaitingSuite, RowsOfThreads_AreRight) {
  for (const char* row :
       {row_mutex_free, row_mutex_100, row_mutex_100_yield, row_mutex_threads, row_semaphore, row_condvar_broadcast}) {
    for (const unsigned cpus : {1U, 2U}) {
      const bench::timed run = run_std(cpus, row, 250);
      EXPECT_TRUE(run.verified) << row << ": " << run.complaint;
    }
  }
  EXPECT_THROW(static_cast<void>(run_std(1, row_channel_1_1, 1)), std::invalid_argument);
}

#if RAMIE_BENCH_BOOST_FIBER
TEST(WaitingSuite, RowsOfBoostFiber_AreRight) {
  for (const char* row :
       {row_channel_pingpong, row_channel_1_1, row_channel_4_4, row_mutex_free, row_mutex_100, row_mutex_100_yield,
        row_mutex_threads, row_condvar_broadcast, row_timers_fire, row_scope_spawn_join}) {
    const bench::timed run = run_boost_fiber(row, 2'500);
    EXPECT_TRUE(run.verified) << row << ": " << run.complaint;
  }
  EXPECT_THROW(static_cast<void>(run_boost_fiber(row_select_2, 1)), std::invalid_argument);
}
#endif

}  // namespace
