#include "balanced/contenders.hpp"
#include "balanced/problem.hpp"
#include "heat/contenders.hpp"
#include "heat/problem.hpp"
#include "library/workload.hpp"

namespace bench {

std::vector<workload> all_workloads() {
  return {
      {"balanced", [](const ramie::options& o, scale s) { return balanced::run_ramie(o, balanced::size_at(s)); }},
      {"heat", [](const ramie::options& o, scale s) { return heat::run_ramie(o, heat::size_at(s)); }},
  };
}

}  // namespace bench
