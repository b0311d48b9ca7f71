#include <ramie/topology/hierarchy.hpp>

#include <ramie/base/error.hpp>
#include <ramie/topology/affinity.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ramie::topology {
namespace {

/// The distances of one worker to all CPUs, a letter each: c for same_cache, n for same_node, f for far.
std::string from(const hierarchy& machine, unsigned worker) {
  std::string all;
  for (unsigned other = 0; other < machine.cpus(); ++other)
    all += "cnf"[static_cast<unsigned>(machine.between(worker, other))];
  return all;
}

TEST(Hierarchy, ThreeLevels) {
  const hierarchy machine = hierarchy::described("pack:2 l3:2 core:2 pu:1");
  EXPECT_EQ(from(machine, 0), "ccnnffff");
  EXPECT_EQ(from(machine, 3), "nnccffff");
  EXPECT_EQ(from(machine, 4), "ffffccnn");
}

TEST(Hierarchy, TwoLevels_OneCacheAPackage) {
  EXPECT_EQ(from(hierarchy::described("pack:2 l3:1 core:3 pu:1"), 5), "fffccc");
}

TEST(Hierarchy, TwoLevels_SeveralCachesInOnePackage) {
  EXPECT_EQ(from(hierarchy::described("pack:1 l3:2 core:2 pu:1"), 1), "ccnn");
}

TEST(Hierarchy, OneLevel) { EXPECT_EQ(from(hierarchy::described("l3:1 core:4 pu:1"), 2), "cccc"); }

TEST(Hierarchy, NumaNodesOfOnePackage_AreFarFromEachOther) {
  EXPECT_EQ(from(hierarchy::described("pack:1 group:2 [numa] l3:2 core:2 pu:1"), 2), "nnccffff");
}

TEST(Hierarchy, TheLastLevelCacheCounts_NotTheNearestOne) {
  EXPECT_EQ(from(hierarchy::described("pack:1 l3:2 l2:2 core:1 pu:1"), 0), "ccnn");
  EXPECT_EQ(from(hierarchy::described("pack:1 l2:2 l1d:2 core:1 pu:1"), 0), "ccnn");
}

TEST(Hierarchy, WithoutCaches_ThreadsOfOneCoreAreNear) {
  EXPECT_EQ(from(hierarchy::described("pack:2 core:2 pu:2"), 1), "ccnnffff");
}

TEST(Hierarchy, WorkersBeyondTheCpus_BeginAgainAtTheFirst) {
  const hierarchy machine = hierarchy::described("pack:2 l3:1 core:2 pu:1");
  EXPECT_EQ(machine.cpus(), 4U);
  EXPECT_EQ(machine.between(0, 4), distance::same_cache);
  EXPECT_EQ(machine.between(5, 1), distance::same_cache);
  EXPECT_EQ(machine.between(5, 2), distance::far);
  EXPECT_EQ(machine.between(7, 4), distance::far);
}

TEST(Hierarchy, DistanceIsSymmetric_AndNoneToOneself) {
  const hierarchy machine = hierarchy::described("pack:3 l3:2 core:2 pu:2");
  for (unsigned one = 0; one < machine.cpus(); ++one) {
    EXPECT_EQ(machine.between(one, one), distance::same_cache);
    for (unsigned other = 0; other < machine.cpus(); ++other)
      EXPECT_EQ(machine.between(one, other), machine.between(other, one));
  }
}

TEST(Hierarchy, ATextThatHwlocRefuses_IsABadOption_WhichShowsAGoodOne) {
  for (const char* const bad : {"", "pack", "two packages", "pack:0 pu:1", "pack:2 core", "pack:-1", "pu:1 pack:2",
                                "pu:5000", "pack:4000000000 pu:4000000000", "pack:2 pu:99999999999999999999999"}) {
    try {
      static_cast<void>(hierarchy::described(bad));
      ADD_FAILURE() << '"' << bad << "\" was accepted";
    } catch (const bad_option& problem) {
      const std::string said = problem.what();
      EXPECT_NE(said.find('"' + std::string(bad) + '"'), std::string::npos) << said;
      const std::size_t example = said.find("for example \"") + 13;
      const std::string shown = said.substr(example, said.find('"', example) - example);
      EXPECT_EQ(hierarchy::described(shown).cpus(), 16U) << said;
    }
  }
}

TEST(Hierarchy, AttributesAndMemoryInTheText_AreNoCpus) {
  EXPECT_EQ(from(hierarchy::described("pack:2 [numa(memory=9999999)] l3:1(size=9999999) core:2 pu:1"), 0), "ccff");
}

TEST(Hierarchy, ThisMachine_HasAPlaceForEveryAllowedCpu_AndLeavesTheThreadWhereItIs) {
  const std::vector<unsigned> cpus = allowed_cpus();
  const hierarchy machine = hierarchy::of_this_machine(cpus);
  EXPECT_EQ(machine.cpus(), cpus.size());
  for (unsigned one = 0; one < cpus.size(); ++one) EXPECT_EQ(machine.between(one, one), distance::same_cache);
  EXPECT_EQ(allowed_cpus(), cpus);
}

TEST(Hierarchy, ACpuThatHwlocDoesNotKnow_MakesOneLevel) {
  std::vector<unsigned> cpus = allowed_cpus();
  cpus.push_back(900'000);
  EXPECT_EQ(from(hierarchy::of_this_machine(cpus), 0), std::string(cpus.size(), 'c'));
  EXPECT_EQ(hierarchy::of_this_machine({}).between(0, 3), distance::same_cache);
}

}  // namespace
}  // namespace ramie::topology
