// Questions and requests of a fiber about itself.
#pragma once

#include <ramie/scheduler/worker.hpp>

#include <cstdint>
#include <string_view>

namespace ramie {

namespace detail {
[[noreturn, gnu::cold]] void not_a_fiber(const char* call);
// For a fiber whose worker has left its thread; others throw misuse.
[[gnu::cold]] void yield_without_worker();
[[nodiscard, gnu::cold]] unsigned index_without_worker();

/// The worker of the calling fiber; null on a thread that runs no fiber, or one that its worker has left.
[[gnu::always_inline]] inline worker* worker_of_fiber() {
  worker* const here = worker::current();
  return here != nullptr && here->current_fiber() != nullptr ? here : nullptr;
}
}  // namespace detail

/// Lets other fibers run; returns when this one's turn comes again, perhaps on another worker, or at once if there is
/// nothing else. Only from a fiber: throws misuse elsewhere. About 10 ns.
[[gnu::always_inline]] inline void yield() {
  worker* const here = detail::worker_of_fiber();
  if (here == nullptr) [[unlikely]]
    return detail::yield_without_worker();
  here->yield();
}

namespace this_fiber {

/// Unique within the runtime, and not 0 but in a job, which has none. Throws misuse on a thread that is no fiber.
[[nodiscard]] std::uint64_t id();
/// The name it was spawned with, or ""; "call" in a job. Throws misuse on a thread that is no fiber.
[[nodiscard]] std::string_view name();
/// The index, from 0, of the worker that it runs on at this moment; after anything that may block it can be another.
/// Of a fiber whose worker has left its thread, the last one. Throws misuse on a thread that is no fiber.
[[nodiscard, gnu::always_inline]] inline unsigned worker_index() {
  const worker* const here = detail::worker_of_fiber();
  return here != nullptr ? here->index() : detail::index_without_worker();
}
/// How many workers its runtime has. Throws misuse on a thread that is no fiber.
[[nodiscard]] unsigned worker_count();
/// The idle driver (idle_driver.hpp) of the worker that it runs on at this moment, for submissions. Null on a thread
/// that runs no fiber or that its worker has left, where the runtime has drivers of another kind, and where the driver
/// could not attach to the worker's thread. Never remember it across anything that may block: the worker is another
/// then. `Driver` has a static member `kind`, which it gives to idle_driver. Some loads; no virtual call.
template <class Driver>
[[nodiscard, gnu::always_inline]] inline Driver* driver() {
  const worker* const here = detail::worker_of_fiber();
  if (here == nullptr || here->kind_of_driver() != &Driver::kind) return nullptr;
  return static_cast<Driver*>(here->driver());
}

}  // namespace this_fiber
}  // namespace ramie
