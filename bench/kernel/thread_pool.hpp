// A thread pool of C as the suites use it: a pool a repetition, and both parts of a fork. The programs are templates
// over the pool: ramie's (ramie/c/threadpool.h), or the locked one of the suite `ablation`. Options say which.
#pragma once

#include <ramie/c/threadpool_options.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "ablation/locked_pool/locked_pool.h"
#include "framework/options.hpp"
#include "framework/timed.hpp"
#include "kernel/rendezvous.hpp"

namespace bench {

// ---- One name for the functions of both ----

[[nodiscard]] inline thread_pool* new_pool(const thread_pool_options& chosen) { return thread_pool_new_with(&chosen); }
[[nodiscard]] inline locked_pool* new_pool(const locked_pool_options& chosen) { return locked_pool_new(&chosen); }

inline void end_pool(thread_pool* pool) { thread_pool_shutdown_and_destroy(pool); }
inline void end_pool(locked_pool* pool) { locked_pool_shutdown_and_destroy(pool); }
struct pool_end {
  void operator()(auto* pool) const { end_pool(pool); }
};

[[nodiscard]] inline future* submit_task(thread_pool* pool, fork_join_task_t task, void* data) {
  return thread_pool_submit(pool, task, data);
}
[[nodiscard]] inline locked_future* submit_task(locked_pool* pool, locked_pool_task_t task, void* data) {
  return locked_pool_submit(pool, task, data);
}

inline void get_and_free(future* of) {
  future_get(of);
  future_free(of);
}
inline void get_and_free(locked_future* of) {
  locked_future_get(of);
  locked_future_free(of);
}

template <class Pool>
using future_of = std::remove_pointer_t<decltype(submit_task(std::declval<Pool*>(), nullptr, nullptr))>;

// ---- For the suites ----

/// ramie's pool as the command line says.
[[nodiscard]] inline thread_pool_options pool_options(const options& o, unsigned workers) {
  thread_pool_options chosen = THREAD_POOL_OPTIONS_INIT;
  chosen.nthreads = static_cast<int>(workers);
  chosen.pin = o.pin;
  if (o.spin_ns) chosen.spin_ns = static_cast<std::int64_t>(*o.spin_ns);
  return chosen;
}

/// Function(Pool*) as a task. It must live until the future has been got. Null: no memory.
template <class Pool, class Function>
[[nodiscard]] future_of<Pool>* submit(Pool* pool, const Function& function) {
  const auto call = [](Pool* in, void* data) -> void* {
    (*static_cast<const Function*>(data))(in);
    return nullptr;
  };
  return submit_task(pool, call, const_cast<Function*>(&function));
}

/// The second as a task, the first by a call. Both take the pool.
template <class Pool, class First, class Second>
void fork_in(Pool* pool, const First& first, const Second& second) {
  future_of<Pool>* const half = submit(pool, second);
  first(pool);
  if (half == nullptr) return second(pool);
  get_and_free(half);
}

/// In a task: returns when every worker is awake, or after two milliseconds.
template <class Pool>
void wake_workers(Pool* pool, unsigned workers) {
  rendezvous all_awake(workers);
  const auto meet = [&](Pool*) {
    all_awake.arrive();
    static_cast<void>(all_awake.spin(std::chrono::milliseconds(2)));
  };
  std::vector<future_of<Pool>*> others;
  for (unsigned w = 1; w < workers; ++w) others.push_back(submit(pool, meet));
  meet(pool);
  for (future_of<Pool>* const each : others) {
    if (each != nullptr) get_and_free(each);
  }
}

/// Runs `body`, which takes the pool and returns a timed, as a task of a new pool, whose workers are awake when it
/// begins. Throws std::system_error if there is no such pool.
template <class Options, class Body>
timed in_thread_pool(const Options& chosen, const Body& body) {
  using pool_type = std::remove_pointer_t<decltype(new_pool(chosen))>;
  const std::unique_ptr<pool_type, pool_end> pool(new_pool(chosen));
  timed result;
  const auto root = [&](pool_type* in) {
    wake_workers(in, static_cast<unsigned>(chosen.nthreads));
    result = body(in);
  };
  future_of<pool_type>* const all = pool == nullptr ? nullptr : submit(pool.get(), root);
  if (all == nullptr) throw std::system_error(errno, std::generic_category(), "a thread pool");
  get_and_free(all);
  return result;
}

}  // namespace bench
