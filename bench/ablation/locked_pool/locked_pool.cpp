// The functions of locked_pool.h: what they are given is checked here, and goes to the engine that the options mean.
#include "ablation/locked_pool/locked_pool.h"

#include <ramie/base/assert.hpp>
#include <ramie/base/exit_watch.hpp>

#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "ablation/locked_pool/pool_with.hpp"

namespace bench::locked {
namespace {

constexpr int most_threads = 4096;
constexpr std::size_t layouts = LOCKED_FUTURE_FUTEX + 1;

bool is_valid(const locked_pool_options& o) {
  return o.nthreads >= 1 && o.nthreads <= most_threads && o.future_layout >= LOCKED_FUTURE_PLAIN &&
         o.future_layout <= LOCKED_FUTURE_FUTEX;
}

constexpr std::size_t index_of(layout which, bool const_fields, bool unsigned_ids) {
  return static_cast<std::size_t>(which) * 4 + (const_fields ? 2 : 0) + (unsigned_ids ? 1 : 0);
}

template <std::size_t... Index>
constexpr std::array<const engine_functions*, sizeof...(Index)> all_engines(std::index_sequence<Index...>) {
  return {&pool_with < static_cast<layout>(Index / 4), Index / 2 % 2 != 0, Index % 2 != 0 > ::functions...};
}

constexpr auto engines = all_engines(std::make_index_sequence<layouts * 4>());

const engine_functions& engine_of(const locked_pool_options& chosen) {
  return *engines[index_of(static_cast<layout>(chosen.future_layout), chosen.const_fields, chosen.unsigned_ids)];
}

void require(const void* given, const char* sentence) {
  if (given == nullptr) [[unlikely]]
    ramie::detail::fail(sentence);
}

}  // namespace

void fail_destroyed_by_task() {
  ramie::detail::fail("locked_pool_shutdown_and_destroy was called by a task of the pool, which it would wait for.",
                      "Call it from a thread that is no worker of the pool.");
}

void fail_ended_thread() noexcept {
  ramie::detail::fail("a task of a thread pool ended its thread (pthread_exit, or pthread_cancel from elsewhere).",
                      "The thread belongs to the pool: return from the task.");
}

void fail_waits_for_below() {
  ramie::detail::fail(
      "locked_future_get was called for a task that cannot go on before the caller ends: it lies below it on the "
      "stack.",
      "Let a task wait only for tasks that it has submitted, and for those that these have submitted.");
}

}  // namespace bench::locked

namespace locked = bench::locked;

locked_pool* locked_pool_new(const locked_pool_options* options) {
  if (options != nullptr && locked::is_valid(*options)) return locked::engine_of(*options).make(*options);
  errno = EINVAL;
  return nullptr;
}

void locked_pool_shutdown_and_destroy(locked_pool* pool) {
  if (pool == nullptr) return;
  // A task that has called exit() does not return to those that may wait for it.
  ramie::detail::continue_exit();
  pool->engine->destroy(*pool);
}

locked_future* locked_pool_submit(locked_pool* pool, locked_pool_task_t task, void* data) {
  locked::require(pool, "locked_pool_submit was given NULL as the pool.");
  locked::require(reinterpret_cast<const void*>(task), "locked_pool_submit was given NULL as the task.");
  return pool->engine->submit(*pool, task, data);
}

void* locked_future_get(locked_future* awaited) {
  locked::require(awaited, "locked_future_get was given NULL as the future.");
  return awaited->engine->get(*awaited);
}

void locked_future_free(locked_future* no_longer_wanted) {
  if (no_longer_wanted != nullptr) no_longer_wanted->engine->free(*no_longer_wanted);
}
