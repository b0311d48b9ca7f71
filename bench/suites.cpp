#include "suites.hpp"

#include "million/suite.hpp"
#include "switch/suite.hpp"

namespace bench {

std::vector<suite> all_suites() { return {switch_suite(), million_suite()}; }

}  // namespace bench
