#include "library/kinds.hpp"

#include <stdexcept>

namespace bench {

std::vector<ramie::queue::kind> kinds_to_compare(const options& o) {
  const auto chosen = ramie::queue::kind_of(o.queue);
  if (!chosen) throw std::invalid_argument("the library has no '" + o.queue + "'");
  std::vector<ramie::queue::kind> kinds{*chosen};
  if (o.queue_given) return kinds;
  for (const ramie::queue::kind each : ramie::queue::all_kinds) {
    if (each != *chosen) kinds.push_back(each);
  }
  return kinds;
}

}  // namespace bench
