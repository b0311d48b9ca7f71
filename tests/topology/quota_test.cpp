#include <ramie/topology/quota.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

namespace ramie::topology {
namespace {

namespace fs = std::filesystem;

// A root directory of our own with the files that a kernel would show.
class CgroupQuota : public ::testing::Test {
 protected:
  CgroupQuota() {
    std::string pattern = (fs::temp_directory_path() / "ramie-quota-XXXXXX").string();
    m_root = ::mkdtemp(pattern.data());
  }
  ~CgroupQuota() override { fs::remove_all(m_root); }

  void file(const std::string& path, const std::string& content) {
    const fs::path full = m_root / path;
    fs::create_directories(full.parent_path());
    std::ofstream(full) << content;
  }
  void version2(const std::string& cgroup, const std::string& mount_root = "/") {
    file("proc/self/cgroup", "0::" + cgroup + "\n");
    file("proc/self/mountinfo",
         "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
         "30 22 0:26 " +
             mount_root + " /sys/fs/cgroup rw,nosuid shared:4 master:5 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void version1(const std::string& cgroup, const std::string& mount_root = "/") {
    file("proc/self/cgroup", "5:memory:/else\n4:cpu,cpuacct:" + cgroup + "\n1:name=systemd:/else\n0::/else\n");
    file("proc/self/mountinfo",
         "31 22 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
         "32 22 0:28 " +
             mount_root + " /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n");
  }
  [[nodiscard]] std::optional<double> quota() const { return cgroup_cpu_quota(m_root); }

 private:
  fs::path m_root;
};

TEST_F(CgroupQuota, NothingToReadIsNoLimit) { EXPECT_EQ(quota(), std::nullopt); }

TEST_F(CgroupQuota, Version2QuotaOverPeriod) {
  version2("/app");
  file("sys/fs/cgroup/app/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota(), 1.5);
}

TEST_F(CgroupQuota, Version2MaxIsNoLimit) {
  version2("/app");
  file("sys/fs/cgroup/app/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(CgroupQuota, Version2MissingPeriodIsTheKernelsDefault) {
  version2("/app");
  file("sys/fs/cgroup/app/cpu.max", "200000\n");
  EXPECT_EQ(quota(), 2.0);
}

TEST_F(CgroupQuota, TheLeastOfAllAncestorsCounts) {
  version2("/slice/service/child");
  file("sys/fs/cgroup/slice/cpu.max", "300000 100000\n");
  file("sys/fs/cgroup/slice/service/cpu.max", "25000 10000\n");
  file("sys/fs/cgroup/slice/service/child/cpu.max", "max 100000\n");
  EXPECT_EQ(quota(), 2.5);
  file("sys/fs/cgroup/slice/cpu.max", "50000 100000\n");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(CgroupQuota, TheMountPointItselfCounts_AsInAContainerWithItsOwnNamespace) {
  version2("/");
  file("sys/fs/cgroup/cpu.max", "400000 100000\n");
  EXPECT_EQ(quota(), 4.0);
}

TEST_F(CgroupQuota, PathsAreRelativeToTheMountsRoot) {
  version2("/docker/abc/inner", "/docker/abc");
  file("sys/fs/cgroup/cpu.max", "max 100000\n");
  file("sys/fs/cgroup/inner/cpu.max", "100000 100000\n");
  EXPECT_EQ(quota(), 1.0);
}

TEST_F(CgroupQuota, AProcessOutsideTheMountsRootUsesTheMountPoint_NeverWhatLiesAbove) {
  version2("/../../other");
  file("sys/fs/cgroup/cpu.max", "300000 100000\n");
  file("sys/other/cpu.max", "100000 100000\n");
  file("other/cpu.max", "100000 100000\n");
  EXPECT_EQ(quota(), 3.0);
  version2("/elsewhere", "/docker/abc");
  EXPECT_EQ(quota(), 3.0);
}

TEST_F(CgroupQuota, ASiblingWithTheSameBeginningIsNotAnAncestor) {
  version2("/docker/abcdef", "/docker/abc");
  file("sys/fs/cgroup/def/cpu.max", "100000 100000\n");
  EXPECT_EQ(quota(), std::nullopt);
}

TEST_F(CgroupQuota, Version1QuotaOverPeriod) {
  version1("/app");
  file("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "350000\n");
  file("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 3.5);
}

TEST_F(CgroupQuota, Version1MinusOneIsNoLimit_AndAncestorsStillCount) {
  version1("/a/b");
  file("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
  file("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), std::nullopt);
  file("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "50000\n");
  file("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota(), 0.5);
}

TEST_F(CgroupQuota, OnAHybridSystemBothVersionsCount) {
  file("proc/self/cgroup", "2:cpu:/one\n0::/two\n");
  file("proc/self/mountinfo",
       "32 22 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
       "33 22 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  file("sys/fs/cgroup/cpu/one/cpu.cfs_quota_us", "300000");
  file("sys/fs/cgroup/cpu/one/cpu.cfs_period_us", "100000");
  EXPECT_EQ(quota(), 3.0);
  file("sys/fs/cgroup/unified/two/cpu.max", "200000 100000");
  EXPECT_EQ(quota(), 2.0);
}

TEST_F(CgroupQuota, EscapedMountPointsAreUnderstood) {
  file("proc/self/cgroup", "0::/\n");
  file("proc/self/mountinfo", "30 22 0:26 / /my\\040groups\\134x rw - cgroup2 none rw\n");
  file("my groups\\x/cpu.max", "700000 100000\n");
  EXPECT_EQ(quota(), 7.0);
}

TEST_F(CgroupQuota, GarbageIsNoLimit) {
  for (const std::string garbage :
       {"", "\n", "banana", "100000 0", "0 100000", "-5 100000", "-1", "max", "\x01\x02\xff"}) {
    version2("/app");
    file("sys/fs/cgroup/app/cpu.max", garbage);
    EXPECT_EQ(quota(), std::nullopt) << garbage;
    version1("/app");
    file("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", garbage);
    file("sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "0");
    EXPECT_EQ(quota(), std::nullopt) << garbage;
  }
}

TEST_F(CgroupQuota, GarbageInTheProcFilesIsNoLimit) {
  for (const std::string garbage : {"", "\n\n", "::::", "0", "0:", "0::", "0::relative", " - ", "1 2 3 - cgroup2",
                                    "30 22 0:26 / /sys/fs/cgroup rw - ", "\\777 - cgroup2 x y"}) {
    file("proc/self/cgroup", garbage);
    file("proc/self/mountinfo", garbage);
    EXPECT_EQ(quota(), std::nullopt) << garbage;
    file("proc/self/cgroup", "0::/app\n");
    EXPECT_EQ(quota(), std::nullopt) << garbage;
  }
}

TEST(CgroupQuotaHere, IsPositiveOrAbsent) {
  const std::optional<double> here = cgroup_cpu_quota();
  EXPECT_TRUE(!here || *here > 0);
}

}  // namespace
}  // namespace ramie::topology
