#include <ramie/topology/quota.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace ramie::topology {
namespace {

namespace fs = std::filesystem;

// A cgroup file system that is mounted somewhere.
struct mount {
  bool version2 = false;
  std::string root;  // which cgroup its mount point shows
  std::string point;
};

// Where this process is within one hierarchy.
struct membership {
  bool version2 = false;
  std::string path;
};

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == word) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// mountinfo writes blanks, tabs, newlines and backslashes as \ and three octal digits.
std::string unescaped(const std::string& text) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

// proc(5): 36 35 98:0 /root /point rw,noatime optional... - type source options
std::vector<mount> cgroup_mounts(const fs::path& root) {
  std::vector<mount> result;
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line.substr(0, dash));
    std::istringstream after(line.substr(dash + 3));
    std::string skip, mount_root, point, type, options;
    before >> skip >> skip >> skip >> mount_root >> point;
    after >> type >> skip >> options;
    if (point.empty()) continue;
    if (type == "cgroup2") {
      result.push_back({true, unescaped(mount_root), unescaped(point)});
    } else if (type == "cgroup" && has_word(options, "cpu")) {
      result.push_back({false, unescaped(mount_root), unescaped(point)});
    }
  }
  return result;
}

// cgroups(7): 4:cpu,cpuacct:/path for version 1, 0::/path for version 2.
std::vector<membership> memberships(const fs::path& root) {
  std::vector<membership> result;
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    if (first == std::string::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (line.substr(0, first) == "0" && controllers.empty()) {
      result.push_back({true, line.substr(second + 1)});
    } else if (has_word(controllers, "cpu")) {
      result.push_back({false, line.substr(second + 1)});
    }
  }
  return result;
}

std::optional<double> ratio(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return {};  // -1: no limit
  return quota / period;
}

std::optional<double> limit_in(const fs::path& directory, bool version2) {
  double quota = 0;
  double period = 0;
  if (version2) {
    std::ifstream file(directory / "cpu.max");
    if (!(file >> quota)) return {};  // missing, or "max"
    if (!(file >> period)) period = 100'000;
    return ratio(quota, period);
  }
  std::ifstream quota_file(directory / "cpu.cfs_quota_us");
  std::ifstream period_file(directory / "cpu.cfs_period_us");
  if (!(quota_file >> quota) || !(period_file >> period)) return {};
  return ratio(quota, period);
}

// The part of `path` below `mount_root`; nothing if it does not lie there (the process is outside the cgroup that the
// mount shows, as with the `/../..` of another cgroup namespace).
std::optional<fs::path> below(const std::string& path, const std::string& mount_root) {
  const fs::path relative = fs::path(path).lexically_relative(mount_root);
  if (relative.empty() || std::any_of(relative.begin(), relative.end(), [](const fs::path& p) { return p == ".."; })) {
    return {};
  }
  return relative == "." ? fs::path() : relative;
}

void take_least(std::optional<double>& least, std::optional<double> other) {
  if (other && (!least || *other < *least)) least = other;
}

}  // namespace

std::optional<double> cgroup_cpu_quota(const fs::path& root) {
  std::optional<double> least;
  const std::vector<mount> mounts = cgroup_mounts(root);
  for (const membership& member : memberships(root)) {
    // The mount that shows our cgroup most closely; else any, for in a container its top is likely to be ours.
    const mount* best = nullptr;
    std::optional<fs::path> inside;
    for (const mount& each : mounts) {
      if (each.version2 != member.version2) continue;
      const std::optional<fs::path> here = below(member.path, each.root);
      if (best == nullptr || (here && (!inside || each.root.size() > best->root.size()))) {
        best = &each;
        inside = here;
      }
    }
    if (best == nullptr) continue;
    const fs::path top = root / fs::path(best->point).relative_path();
    fs::path at = inside.value_or(fs::path());
    while (true) {
      take_least(least, limit_in(top / at, member.version2));
      if (at.empty()) break;
      at = at.parent_path();
    }
  }
  return least;
}

}  // namespace ramie::topology
