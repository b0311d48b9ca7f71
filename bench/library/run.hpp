// A runtime made for one repetition.
#pragma once

#include <ramie/ramie.hpp>

#include <atomic>
#include <chrono>
#include <utility>

#include "framework/timed.hpp"
#include "library/convert.hpp"

namespace bench {

/// In a fiber: returns when every worker is awake, or after two milliseconds.
inline void wake_workers(unsigned workers) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
  std::atomic<unsigned> awake{0};
  ramie::counter ended;
  for (unsigned w = 0; w < workers; ++w) {
    // Not a yield: the worker must stay where it is until the others have taken theirs.
    ramie::spawn_with_counter(ended, [&] {
      awake.fetch_add(1);
      while (awake.load() < workers && std::chrono::steady_clock::now() < give_up) {
      }
    });
  }
  ramie::wait_for_counter(ended);
}

/// Runs `body`, which returns a timed, as a fiber of a new runtime whose workers are awake when it begins, and adds
/// what the runtime counted meanwhile to the result.
template <class Body>
timed in_runtime(const ramie::options& o, Body&& body) {
  ramie::runtime runtime(o);
  runtime.start();
  statistics before;
  timed result = runtime
                     .spawn([&] {
                       wake_workers(runtime.worker_count());
                       add_statistics(before, runtime.statistics());
                       timed run = std::forward<Body>(body)();
                       // Here: while the thread outside wakes up, the workers have nothing to do and search in vain.
                       add_statistics(run.stats, runtime.statistics());
                       return run;
                     })
                     .join();
  for (const auto& [name, count] : before) result.stats[name] -= count;
  runtime.stop();
  return result;
}

}  // namespace bench
