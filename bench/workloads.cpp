#include "balanced/contenders.hpp"
#include "balanced/problem.hpp"
#include "bfs/contenders.hpp"
#include "bfs/problem.hpp"
#include "library/workload.hpp"
#include "mergesort/contenders.hpp"
#include "mergesort/problem.hpp"

namespace bench {

std::vector<workload> all_workloads() {
  using mergesort::merging;
  return {
      {"balanced", [](const ramie::options& o, scale s) { return balanced::run_ramie(o, balanced::size_at(s)); }},
      {"bfs", [](const ramie::options& o, scale s) { return bfs::run_ramie(o, bfs::problem_of(bfs::size_at(s))); }},
      {"mergesort",
       [](const ramie::options& o, scale s) {
         return mergesort::run_ramie(o, merging::sequential, mergesort::problem_of(mergesort::size_at(s)));
       }},
      {"mergesort_parallel_merge",
       [](const ramie::options& o, scale s) {
         return mergesort::run_ramie(o, merging::parallel, mergesort::problem_of(mergesort::size_at(s)));
       }},
  };
}

}  // namespace bench
