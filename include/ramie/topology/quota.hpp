// How many processors' worth of time this process may use.
#pragma once

#include <filesystem>
#include <optional>

namespace ramie::topology {

/// The processors' worth of time that cgroups allow this process, e.g. 1.5; nothing if there is no limit.
///
/// Finds the process's cgroups (/proc/self/cgroup) and where they are mounted (/proc/self/mountinfo), and takes the
/// least of all limits from there up to the mount point: cpu.max of version 2, cpu.cfs_quota_us over
/// cpu.cfs_period_us of version 1, both on a hybrid system. A quota that is missing or makes no sense is no limit.
/// `root` is put before every path, for tests. Any thread; reads a handful of files, about 50 us.
[[nodiscard]] std::optional<double> cgroup_cpu_quota(const std::filesystem::path& root = "/");

}  // namespace ramie::topology
