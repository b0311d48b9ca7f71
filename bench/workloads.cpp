#include "balanced/contenders.hpp"
#include "balanced/problem.hpp"
#include "bfs/contenders.hpp"
#include "bfs/problem.hpp"
#include "contention/contenders.hpp"
#include "fib/contenders.hpp"
#include "heat/contenders.hpp"
#include "heat/problem.hpp"
#include "imbalanced/contenders.hpp"
#include "imbalanced/problem.hpp"
#include "jobs/contenders.hpp"
#include "library/workload.hpp"
#include "loops/contenders.hpp"
#include "mergesort/contenders.hpp"
#include "mergesort/problem.hpp"
#include "migration/contenders.hpp"
#include "nqueens/contenders.hpp"
#include "quicksort/contenders.hpp"
#include "simpson/contenders.hpp"
#include "skynet/contenders.hpp"
#include "sort/contenders.hpp"

namespace bench {
namespace {

using settings = ramie::options;

/// A workload from a suite's run_ramie() and what gives its size.
template <class Run, class Size>
workload of(std::string name, Run run, Size size) {
  return {.name = std::move(name), .run = [run, size](const settings& o, scale s) { return run(o, size(s)); }};
}

workload of_depth(unsigned depth) {
  return {.name = "nqueens_depth" + std::to_string(depth), .run = [depth](const settings& o, scale s) {
            return nqueens::run_ramie(o, nqueens::depth_size_at(s, depth));
          }};
}

workload of_loop(std::string name, loops::algorithm which) {
  return {.name = std::move(name), .run = [which](const settings& o, scale s) {
            return loops::run_ramie(o, loops::problem_of(which, array_size_at(s)));
          }};
}

workload of_sort(std::string name, sorting::task how) {
  return {.name = std::move(name), .run = [how](const settings& o, scale s) {
            return sorting::run_ramie(o, sorting::problem_of(how, array_size_at(s)));
          }};
}

jobs::batch shortest_jobs_at(scale s) { return jobs::batch_at(s, 100); }

workload of_mergesort(std::string name, mergesort::merging how) {
  return {.name = std::move(name), .run = [how](const settings& o, scale s) {
            return mergesort::run_ramie(o, how, mergesort::problem_of(mergesort::size_at(s)));
          }};
}

}  // namespace

std::vector<workload> all_workloads() {
  return {
      of("balanced", balanced::run_ramie, balanced::size_at),
      of("imbalanced", imbalanced::run_ramie, imbalanced::size_at),
      {.name = "contention_before",
       .run = [](const settings& o,
                 scale s) { return contention::run_ramie(contention::before(o), imbalanced::size_at(s)); },
       .has_own_options = true},
      {.name = "contention_after",
       .run = [](const settings& o,
                 scale s) { return contention::run_ramie(contention::after(o), imbalanced::size_at(s)); },
       .has_own_options = true},
      of(
          "fib_cutoff20", [](const settings& o, const auto& n) { return fib::run_ramie(o, n); }, fib::cutoff_size_at),
      of(
          "fib_no_cutoff", [](const settings& o, const auto& n) { return fib::run_ramie(o, n); }, fib::n_at),
      of_depth(1),
      of_depth(2),
      of_depth(3),
      of(
          "nqueens_every_node", [](const settings& o, const auto& n) { return nqueens::run_ramie(o, n); },
          nqueens::queens_at),
      of("heat", heat::run_ramie, heat::size_at),
      of("bfs", bfs::run_ramie, [](scale s) -> decltype(auto) { return bfs::problem_of(bfs::size_at(s)); }),
      of_mergesort("mergesort", mergesort::merging::sequential),
      of_mergesort("mergesort_parallel_merge", mergesort::merging::parallel),
      of("quicksort", quicksort::run_ramie,
         [](scale s) -> decltype(auto) { return quicksort::problem_of(quicksort::size_at(s)); }),
      of("quicksort_fork_join", quicksort::run_ramie_fork_join,
         [](scale s) -> decltype(auto) { return quicksort::problem_of(quicksort::size_at(s)); }),
      of_loop("parallel_for", loops::algorithm::parallel_for),
      of_loop("reduce", loops::algorithm::reduce),
      of_loop("inclusive_scan", loops::algorithm::inclusive_scan),
      of_sort("sort", sorting::task::random),
      of_sort("sort_by_function", sorting::task::by_function),
      of_sort("stable_sort", sorting::task::stable),
      of(
          "jobs", [](const settings& o, const auto& b) { return jobs::run_ramie(o, b); }, shortest_jobs_at),
      of("jobs_no_parents", jobs::run_ramie_no_parents, shortest_jobs_at),
      of(
          "jobs_tree", [](const settings& o, const auto& t) { return jobs::run_ramie(o, t); }, jobs::tree_at),
      of("skynet", skynet::run_ramie, skynet::leaves_at),
      of("simpson", simpson::run_ramie,
         [](scale s) -> decltype(auto) { return simpson::problem_of(simpson::size_at(s)); }),
      {.name = "migration",
       .run = [](const settings& o, scale s) { return migration::run_ramie(o, migration::size_at(s)).run; }},
  };
}

}  // namespace bench
