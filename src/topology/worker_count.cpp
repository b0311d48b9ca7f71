#include <ramie/topology/affinity.hpp>
#include <ramie/topology/quota.hpp>
#include <ramie/topology/worker_count.hpp>

#include <algorithm>
#include <cmath>

namespace ramie::topology {

unsigned worker_count(std::size_t allowed, std::optional<double> quota) noexcept {
  constexpr std::size_t most = 1U << 20U;
  std::size_t count = std::min(allowed, most);
  if (quota && *quota < static_cast<double>(count)) count = static_cast<std::size_t>(std::ceil(std::max(*quota, 0.0)));
  return static_cast<unsigned>(std::max<std::size_t>(count, 1));
}

unsigned default_worker_count() { return worker_count(allowed_cpus().size(), cgroup_cpu_quota()); }

}  // namespace ramie::topology
