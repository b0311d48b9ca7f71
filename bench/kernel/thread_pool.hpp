// The C thread pool (ramie/c/threadpool.h) as the suites use it: a pool a repetition, and both parts of a fork.
#pragma once

#include <ramie/c/threadpool_options.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/options.hpp"
#include "framework/timed.hpp"
#include "kernel/rendezvous.hpp"

namespace bench {

/// ramie's own engine, everything else as the command line says.
[[nodiscard]] inline thread_pool_options own_engine(const options& o, unsigned workers) {
  thread_pool_options chosen = THREAD_POOL_OPTIONS_INIT;
  chosen.nthreads = static_cast<int>(workers);
  chosen.pin = o.pin;
  return chosen;
}

/// Function(thread_pool*) as a task. It must live until the future has been got. Null: no memory.
template <class Function>
[[nodiscard]] future* submit(thread_pool* pool, const Function& function) {
  const auto call = [](thread_pool* in, void* data) -> void* {
    (*static_cast<const Function*>(data))(in);
    return nullptr;
  };
  return thread_pool_submit(pool, call, const_cast<Function*>(&function));
}

inline void get_and_free(future* of) {
  future_get(of);
  future_free(of);
}

/// The second as a task, the first by a call. Both take the pool.
template <class First, class Second>
void fork_in(thread_pool* pool, const First& first, const Second& second) {
  future* const half = submit(pool, second);
  first(pool);
  if (half == nullptr) return second(pool);
  get_and_free(half);
}

/// In a task: returns when every worker is awake, or after two milliseconds.
inline void wake_workers(thread_pool* pool, unsigned workers) {
  rendezvous all_awake(workers);
  const auto meet = [&](thread_pool*) {
    all_awake.arrive();
    static_cast<void>(all_awake.spin(std::chrono::milliseconds(2)));
  };
  std::vector<future*> others;
  for (unsigned w = 1; w < workers; ++w) others.push_back(submit(pool, meet));
  meet(pool);
  for (future* const each : others) {
    if (each != nullptr) get_and_free(each);
  }
}

/// Runs `body`, which takes the pool and returns a timed, as a task of a new pool, whose workers are awake when it
/// begins. Throws std::system_error if there is no such pool.
template <class Body>
timed in_thread_pool(const thread_pool_options& chosen, const Body& body) {
  const std::unique_ptr<thread_pool, decltype([](thread_pool* p) { thread_pool_shutdown_and_destroy(p); })> pool(
      thread_pool_new_with(&chosen));
  timed result;
  const auto root = [&](thread_pool* in) {
    wake_workers(in, static_cast<unsigned>(chosen.nthreads));
    result = body(in);
  };
  future* const all = pool == nullptr ? nullptr : submit(pool.get(), root);
  if (all == nullptr) throw std::system_error(errno, std::generic_category(), "a thread pool");
  get_and_free(all);
  return result;
}

}  // namespace bench
