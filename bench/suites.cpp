#include "suites.hpp"

#include "balanced/suite.hpp"
#include "fib/suite.hpp"
#include "million/suite.hpp"
#include "nqueens/suite.hpp"
#include "scaling/suite.hpp"
#include "switch/suite.hpp"

namespace bench {

std::vector<suite> all_suites() {
  return {switch_suite(), balanced_suite(), fib_suite(), nqueens_suite(), million_suite(), scaling_suite()};
}

}  // namespace bench
