// A runtime made for one repetition.
#pragma once

#include <ramie/ramie.hpp>

#include <utility>

#include "framework/timed.hpp"
#include "library/convert.hpp"

namespace bench {

/// Runs `body`, which returns a timed, as the first fiber of a new runtime whose workers have been started, and adds
/// the runtime's statistics to the result.
template <class Body>
timed in_runtime(const ramie::options& o, Body&& body) {
  ramie::runtime runtime(o);
  runtime.start();
  timed result = runtime.spawn(std::forward<Body>(body)).join();
  add_statistics(result.stats, runtime.statistics());
  runtime.stop();
  return result;
}

}  // namespace bench
