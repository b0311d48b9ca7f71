#include "suites.hpp"

#include "balanced/suite.hpp"
#include "heat/suite.hpp"
#include "million/suite.hpp"
#include "switch/suite.hpp"

namespace bench {

std::vector<suite> all_suites() { return {switch_suite(), balanced_suite(), heat_suite(), million_suite()}; }

}  // namespace bench
