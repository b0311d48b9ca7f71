#include "suites.hpp"

#include "ablation/suite.hpp"
#include "balanced/suite.hpp"
#include "bfs/suite.hpp"
#include "contention/suite.hpp"
#include "fib/suite.hpp"
#include "heat/suite.hpp"
#include "imbalanced/suite.hpp"
#include "jobs/suite.hpp"
#include "loops/suite.hpp"
#include "mergesort/suite.hpp"
#include "migration/suite.hpp"
#include "million/suite.hpp"
#include "nqueens/suite.hpp"
#include "queues/suite.hpp"
#include "quicksort/suite.hpp"
#include "scaling/suite.hpp"
#include "simpson/suite.hpp"
#include "skynet/suite.hpp"
#include "sort/suite.hpp"
#include "switch/suite.hpp"
#include "waiting/suite.hpp"

namespace bench {

std::vector<suite> all_suites() {
  return {switch_suite(),     waiting_suite(), queues_suite(),    balanced_suite(), imbalanced_suite(),
          contention_suite(), fib_suite(),     nqueens_suite(),   skynet_suite(),   simpson_suite(),
          loops_suite(),      jobs_suite(),    heat_suite(),      bfs_suite(),      mergesort_suite(),
          quicksort_suite(),  sort_suite(),    migration_suite(), million_suite(),  ablation_suite(),
          scaling_suite()};
}

}  // namespace bench
