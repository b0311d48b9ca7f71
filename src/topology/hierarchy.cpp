#include <ramie/topology/hierarchy.hpp>

#include <ramie/base/error.hpp>

#include <algorithm>
#include <hwloc.h>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <tuple>

#if HWLOC_API_VERSION < 0x00020500
#error "ramie needs hwloc 2.5 or later (libhwloc-dev of Debian 12 is 2.9)"
#endif

namespace ramie::topology {
namespace {

// As many as workers. Beyond that hwloc takes minutes: its time grows with the square of the number.
constexpr std::uint64_t most_described_cpus = 4096;

// The product of the levels' numbers, without what stands in brackets: attributes, and memory beside the levels. Of a
// text that is no description, anything.
std::uint64_t cpus_of(const std::string& text) {
  std::uint64_t product = 1;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (depth != 0 || text[i] != ':') continue;
    std::uint64_t number = 0;
    for (++i; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
      number = std::min(number * 10 + static_cast<std::uint64_t>(text[i] - '0'), most_described_cpus + 1);
    product = std::min(product * number, most_described_cpus + 1);
    --i;
  }
  return product;
}

}  // namespace

// One topology of hwloc's, while its places are read.
class hierarchy::reader {
 public:
  reader() {
    if (hwloc_topology_init(&m_topology) != 0) throw std::bad_alloc();
  }
  ~reader() { hwloc_topology_destroy(m_topology); }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  bool load_this_machine() {
    // CPUs that the cgroup forbids too: which ones count is the caller's business. And the calling thread stays where
    // it is: hwloc would visit every CPU to ask it.
    constexpr unsigned long flags =
        HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | static_cast<unsigned long>(HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
    return hwloc_topology_set_flags(m_topology, flags) == 0 && hwloc_topology_load(m_topology) == 0;
  }
  bool load(const std::string& description) {
    return hwloc_topology_set_synthetic(m_topology, description.c_str()) == 0 && hwloc_topology_load(m_topology) == 0;
  }

  /// Nothing: there is no such CPU.
  std::optional<place> of_cpu(unsigned number) { return of(hwloc_get_pu_obj_by_os_index(m_topology, number)); }
  std::optional<place> nth(unsigned index) { return of(hwloc_get_obj_by_type(m_topology, HWLOC_OBJ_PU, index)); }

 private:
  std::optional<place> of(hwloc_obj_t cpu) {
    if (cpu == nullptr) return {};
    hwloc_obj_t shared = cpu;
    hwloc_obj_t package = nullptr;
    for (hwloc_obj_t at = cpu->parent; at != nullptr; at = at->parent) {
      if (hwloc_obj_type_is_dcache(at->type) != 0 || (at->type == HWLOC_OBJ_CORE && shared == cpu)) shared = at;
      if (at->type == HWLOC_OBJ_PACKAGE) package = at;
    }
    const int node = cpu->nodeset != nullptr ? hwloc_bitmap_first(cpu->nodeset) : -1;
    const hwloc_uint64_t of_package = package != nullptr ? package->gp_index : 0;
    return place{number(m_caches, shared->gp_index), number(m_nodes, std::tuple(node, of_package))};
  }
  template <class Map, class Key>
  static unsigned number(Map& known, const Key& key) {
    return known.try_emplace(key, static_cast<unsigned>(known.size())).first->second;
  }

  hwloc_topology_t m_topology = nullptr;
  std::map<hwloc_uint64_t, unsigned> m_caches;
  std::map<std::tuple<int, hwloc_uint64_t>, unsigned> m_nodes;
};

hierarchy hierarchy::of_this_machine(const std::vector<unsigned>& cpus) {
  const std::vector<place> one_level(std::max<std::size_t>(cpus.size(), 1));
  reader from;
  if (!from.load_this_machine()) return hierarchy(one_level);
  std::vector<place> places;
  for (const unsigned cpu : cpus) {
    const std::optional<place> found = from.of_cpu(cpu);
    if (!found) return hierarchy(one_level);
    places.push_back(*found);
  }
  return hierarchy(places.empty() ? one_level : places);
}

hierarchy hierarchy::described(const std::string& text) {
  reader from;
  std::vector<place> places;
  if (cpus_of(text) <= most_described_cpus && from.load(text)) {
    while (const std::optional<place> next = from.nth(static_cast<unsigned>(places.size()))) places.push_back(*next);
  }
  if (places.empty()) {
    throw bad_option("options.topology is \"" + text +
                     "\"; it must be empty for this machine, or a synthetic description of hwloc: levels from the "
                     "outside in, each with a number, the last one pu, for example \"pack:2 l3:2 core:4 pu:1\" (at "
                     "most " +
                     std::to_string(most_described_cpus) + " CPUs)");
  }
  return hierarchy(std::move(places));
}

}  // namespace ramie::topology
