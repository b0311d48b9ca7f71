#include "suites.hpp"

#include "balanced/suite.hpp"
#include "bfs/suite.hpp"
#include "mergesort/suite.hpp"
#include "million/suite.hpp"
#include "switch/suite.hpp"

namespace bench {

std::vector<suite> all_suites() {
  return {switch_suite(), balanced_suite(), bfs_suite(), mergesort_suite(), million_suite()};
}

}  // namespace bench
