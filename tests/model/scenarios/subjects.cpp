#include <model/scenarios/scenario.hpp>

namespace ramie::model {

const std::vector<subject>& subjects() {
  static const std::vector<subject> all = {chase_lev_subject(), fifo_lane_subject(), locked_subject()};
  return all;
}

}  // namespace ramie::model
