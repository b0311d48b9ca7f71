// How near the CPUs of two workers are to each other: of this machine, or of one that a text describes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ramie::topology {

/// How far two workers are apart, the nearest first.
enum class distance : std::uint8_t {
  same_cache,  ///< one last-level cache (a core complex); where no cache is known, one core
  same_node,   ///< one NUMA node and one package
  far,
};

/// Worker i stands for the i-th CPU, and where there are more workers than CPUs it begins again at the first. Constant
/// once it is made: any thread may ask.
class hierarchy {
 public:
  /// Of this machine, for these CPUs as the kernel numbers them: allowed_cpus(), in which order workers are pinned.
  /// If hwloc cannot read the machine, or lacks one of the CPUs, all of them are the same_cache: it does not fail.
  /// Reads some hundred files of /sys: milliseconds. Throws std::bad_alloc.
  [[nodiscard]] static hierarchy of_this_machine(const std::vector<unsigned>& cpus);

  /// Of an imagined machine, for all its CPUs. `text` is a synthetic description of hwloc (see "Synthetic topologies"
  /// in its manual, or lstopo --input): levels from the outside in, each with the number of its objects in one of the
  /// level before, the last one pu. "pack:2 l3:2 core:4 pu:1" has 16 CPUs, four on each of its four caches.
  /// At most 4096 CPUs. Throws bad_option with what is allowed if hwloc refuses the text. About a millisecond for 256
  /// CPUs, half a second for 4096.
  [[nodiscard]] static hierarchy described(const std::string& text);

  /// Of two workers. A worker is same_cache to itself.
  [[nodiscard]] distance between(unsigned one, unsigned other) const {
    const place& a = m_places[one % m_places.size()];
    const place& b = m_places[other % m_places.size()];
    if (a.cache == b.cache) return distance::same_cache;
    return a.node == b.node ? distance::same_node : distance::far;
  }
  [[nodiscard]] std::size_t cpus() const { return m_places.size(); }

 private:
  struct place {
    unsigned cache = 0;  // numbers that are equal where the thing is the same
    unsigned node = 0;
  };
  explicit hierarchy(std::vector<place> places) : m_places(std::move(places)) {}
  class reader;

  std::vector<place> m_places;  // never empty
};

}  // namespace ramie::topology
