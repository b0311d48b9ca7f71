#include "balanced/contenders.hpp"
#include "balanced/problem.hpp"
#include "fib/contenders.hpp"
#include "library/workload.hpp"
#include "nqueens/contenders.hpp"

namespace bench {

std::vector<workload> all_workloads() {
  return {
      {"balanced", [](const ramie::options& o, scale s) { return balanced::run_ramie(o, balanced::size_at(s)); }},
      {"cutoff20", [](const ramie::options& o, scale s) { return fib::run_ramie(o, fib::cutoff_size_at(s)); }},
      {"no_cutoff", [](const ramie::options& o, scale s) { return fib::run_ramie(o, fib::n_at(s)); }},
      {"depth1", [](const ramie::options& o, scale s) { return nqueens::run_ramie(o, nqueens::depth_size_at(s, 1)); }},
      {"depth2", [](const ramie::options& o, scale s) { return nqueens::run_ramie(o, nqueens::depth_size_at(s, 2)); }},
      {"depth3", [](const ramie::options& o, scale s) { return nqueens::run_ramie(o, nqueens::depth_size_at(s, 3)); }},
      {"every_node", [](const ramie::options& o, scale s) { return nqueens::run_ramie(o, nqueens::queens_at(s)); }},
  };
}

}  // namespace bench
