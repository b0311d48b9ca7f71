// The suite `imbalanced`: every tenth fiber is a hundred times as long as the others; all are spawned by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/options.hpp"
#include "framework/plan_builder.hpp"

namespace bench::imbalanced {

inline constexpr row_of_time row_stealing{"imbalanced", "us"};
inline constexpr row_of_time row_no_stealing{"imbalanced_stealing_off", "us"};

struct size {
  std::size_t fibers;
  std::uint64_t heavy;  ///< iterations of busy_loop() of the fibers 0, 10, 20, …
  std::uint64_t light;  ///< and of all others

  [[nodiscard]] std::uint64_t iterations(std::size_t fiber) const { return fiber % 10 == 0 ? heavy : light; }
};

[[nodiscard]] size size_at(scale s);

/// The i-th fiber writes busy_loop(i, iterations(i)) into the i-th place. Zeroed before, so that a fiber that never ran
/// is seen.
using results = std::vector<std::uint64_t>;

/// Judges `run` by the results; they are computed in another way, see busy_loop_result().
[[nodiscard]] timed judged(timed run, const size& n, const results& found);

/// How long each worker was inside busy_loop(). A worker writes only its own place, which shares its cache line with no
/// other's.
class worker_cycles {
 public:
  explicit worker_cycles(unsigned workers) : m_places(workers) {}
  void add(unsigned worker, std::uint64_t cycles) { m_places[worker].cycles += cycles; }
  /// worker_cycles_0, worker_cycles_1, …, and worker_cycles_spread: (largest - smallest) / mean. When the workers rest.
  void add_to(statistics& stats) const;

 private:
  struct alignas(64) place {
    std::uint64_t cycles = 0;
  };
  std::vector<place> m_places;
};

/// The fibers of each of `workers` threads, so that all have as equal work as can be: the heavy ones first, each fiber
/// to the thread that has least.
[[nodiscard]] std::vector<std::vector<std::size_t>> equal_shares(const size& n, unsigned workers);

}  // namespace bench::imbalanced
