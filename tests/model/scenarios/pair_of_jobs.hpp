// Two jobs, each of which waits until the other one runs: so both workers must run one.
#pragma once

#include <model/checker/check.hpp>

#include <ramie/scheduler/park_word.hpp>

namespace ramie::model {

template <class Job>
struct pair_of_jobs {
  pair_of_jobs() {
    first.body = [this] {
      of_second.unpark();
      of_first.park();
    };
    second.body = [this] {
      of_first.unpark();
      of_second.park();
    };
  }
  Job first, second;
  detail::park_word<provider> of_first, of_second;
};

}  // namespace ramie::model
