#include "balanced/contenders.hpp"
#include "balanced/problem.hpp"
#include "contention/contenders.hpp"
#include "imbalanced/contenders.hpp"
#include "imbalanced/problem.hpp"
#include "library/workload.hpp"
#include "migration/contenders.hpp"

namespace bench {

std::vector<workload> all_workloads() {
  return {
      {"balanced", [](const ramie::options& o, scale s) { return balanced::run_ramie(o, balanced::size_at(s)); }},
      {"imbalanced", [](const ramie::options& o, scale s) { return imbalanced::run_ramie(o, imbalanced::size_at(s)); }},
      {"contention_before",
       [](const ramie::options& o, scale s) {
         return contention::run_ramie(contention::before(o), imbalanced::size_at(s));
       }},
      {"contention_after", [](const ramie::options& o,
                              scale s) { return contention::run_ramie(contention::after(o), imbalanced::size_at(s)); }},
      {"migration",
       [](const ramie::options& o, scale s) { return migration::run_ramie(o, migration::size_at(s)).run; }},
  };
}

}  // namespace bench
