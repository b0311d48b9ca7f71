#include "framework/calibrate.hpp"

#include <algorithm>
#include <memory>

namespace bench {

std::uint64_t calibrate(const timed_loop& loop, double target) {
  std::uint64_t operations = 64;
  for (;;) {
    const timed result = loop(operations);
    // A loop that fails is not worth tuning: its repetition will report it.
    if (!result.verified) return operations;
    const double factor = target / std::max(result.seconds, 1e-9);
    const double wanted = static_cast<double>(operations) * factor;
    // From a quarter of the target on, the rate is known well enough to aim.
    if (factor <= 4) return std::max<std::uint64_t>(2, static_cast<std::uint64_t>(wanted));
    operations = static_cast<std::uint64_t>(static_cast<double>(operations) * std::clamp(factor / 2, 2.0, 100.0));
  }
}

contender per_operation(std::string runtime, unsigned workers, std::string queue, std::string row, double target,
                        timed_loop loop) {
  auto operations = std::make_shared<std::uint64_t>(0);
  contender c;
  c.runtime = std::move(runtime);
  c.workers = workers;
  c.queue = std::move(queue);
  c.rows = {{row, "ns"}};
  c.prepare = [operations, target, loop] { *operations = calibrate(loop, target); };
  c.run = [operations, loop, row] {
    timed result = loop(*operations);
    sample s;
    s.row = row;
    s.value = result.seconds * 1e9 / static_cast<double>(result.operations);
    s.verified = result.verified;
    s.complaint = std::move(result.complaint);
    s.stats = std::move(result.stats);
    s.stats["operations"] = static_cast<double>(result.operations);
    return std::vector<sample>{std::move(s)};
  };
  return c;
}

}  // namespace bench
