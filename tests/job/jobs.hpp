// Jobs on one, two and more workers, and on queues of each sort.
#pragma once

#include <ramie/job/job.hpp>
#include <ramie/ramie.hpp>

#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>

namespace ramie::test {

class jobs_test : public ::testing::TestWithParam<std::tuple<unsigned, queue_kind>> {
 protected:
  [[nodiscard]] static options chosen() {
    options all = with_workers(std::get<0>(GetParam()));
    all.queue = std::get<1>(GetParam());
    return all;
  }
  template <class Function>
  static void run(Function&& function) {
    const test::watchdog hung("jobs");
    ramie::run(chosen(), std::forward<Function>(function));
  }
};

inline const auto jobs_everywhere = ::testing::Combine(
    ::testing::Values(1U, 2U, 4U), ::testing::Values(queue_kind::split, queue_kind::exchange, queue_kind::bwos_fifo));
inline std::string name_of_jobs_test(const ::testing::TestParamInfo<jobs_test::ParamType>& info) {
  return std::string(name_of(std::get<1>(info.param))) + "_" + std::to_string(std::get<0>(info.param));
}

}  // namespace ramie::test
