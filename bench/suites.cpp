#include "suites.hpp"

#include "balanced/suite.hpp"
#include "million/suite.hpp"
#include "scaling/suite.hpp"
#include "switch/suite.hpp"

namespace bench {

std::vector<suite> all_suites() { return {switch_suite(), balanced_suite(), million_suite(), scaling_suite()}; }

}  // namespace bench
