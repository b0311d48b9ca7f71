#include "c/objects.hpp"

#include <ramie/parallel/fork_join.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/this_fiber.hpp>

namespace ramie::c {
namespace {

int spawned(const char* name, ramie_fiber** fiber, const call& what, auto&& spawn) {
  return guarded([&] {
    expect(reinterpret_cast<const void*>(what.function), name, the_function);
    join_handle<void*> handle = spawn();
    if (fiber != nullptr) {
      *fiber = as_fiber(handle.release());
    } else {
      handle.detach();
    }
  });
}

// The task that runs on the calling thread; null on one that runs no fiber.
const task* task_here() {
  const fiber* const running = ramie::detail::running_fiber();
  return running != nullptr ? running->current_task : nullptr;
}

}  // namespace

int join_into(join_handle<void*>& handle, void** result) noexcept {
  try {
    void* const returned = handle.join();
    if (result != nullptr) *result = returned;
    return RAMIE_OK;
  } catch (...) {
    return handle.joinable() ? failed() : escaped();  // a refused join leaves the handle as it was
  }
}

}  // namespace ramie::c

namespace c = ramie::c;

int ramie_spawn(ramie_fiber** fiber, const ramie_spawn_options* options, ramie_function function, void* argument) {
  const c::call what{function, argument};
  return c::spawned("ramie_spawn", fiber, what, [&] {
    return c::spawn_with_options(options, [&](const auto&... how) { return ramie::spawn(how..., what); });
  });
}

int ramie_runtime_spawn(ramie_runtime* runtime, ramie_fiber** fiber, const ramie_spawn_options* options,
                        ramie_function function, void* argument) {
  const c::call what{function, argument};
  return c::spawned("ramie_runtime_spawn", fiber, what, [&] {
    c::expect(runtime, "ramie_runtime_spawn", c::the_runtime);
    return c::spawn_with_options(options, [&](const auto&... how) { return runtime->held.spawn(how..., what); });
  });
}

int ramie_join(ramie_fiber* fiber, void** result) {
  if (fiber == nullptr) return c::guarded([] { c::expect(nullptr, "ramie_join", c::the_fiber); });
  ramie::join_handle<void*> handle(c::task_of(fiber));
  const int error = c::join_into(handle, result);
  static_cast<void>(handle.release());  // the caller's again, where the join was refused
  return error;
}

int ramie_detach(ramie_fiber* fiber) {
  return c::guarded([&] {
    c::expect(fiber, "ramie_detach", c::the_fiber);
    ramie::join_handle<void*>(c::task_of(fiber)).detach();
  });
}

bool ramie_fiber_done(const ramie_fiber* fiber) {
  c::require(fiber, "ramie_fiber_done", c::the_fiber);
  return c::task_of(fiber).is_done();
}

std::uint64_t ramie_fiber_id(const ramie_fiber* fiber) {
  c::require(fiber, "ramie_fiber_id", c::the_fiber);
  return c::task_of(fiber).id();
}

const char* ramie_fiber_name(const ramie_fiber* fiber) {
  c::require(fiber, "ramie_fiber_name", c::the_fiber);
  return c::task_of(fiber).name().data();  // it ends in 0, also where it is empty
}

int ramie_yield() {
  return c::guarded([] { ramie::yield(); });
}

std::uint64_t ramie_this_fiber_id() {
  const ramie::task* const mine = c::task_here();
  return mine != nullptr ? mine->id() : 0;
}

const char* ramie_this_fiber_name() {
  const ramie::task* const mine = c::task_here();
  return mine != nullptr ? mine->name().data() : nullptr;
}

int ramie_this_fiber_worker() {
  return c::task_here() != nullptr ? static_cast<int>(ramie::this_fiber::worker_index()) : -1;
}

int ramie_fork_join(ramie_function first, void* first_argument, void** first_result, ramie_function second,
                    void* second_argument, void** second_result) {
  const int refused = c::guarded([&] {
    c::expect(reinterpret_cast<const void*>(first), "ramie_fork_join", c::the_function);
    c::expect(reinterpret_cast<const void*>(second), "ramie_fork_join", c::the_function);
    if (c::task_here() == nullptr) ramie::detail::not_a_fiber("ramie_fork_join()");
  });
  if (refused != RAMIE_OK) [[unlikely]]
    return refused;
  try {
    const auto [of_first, of_second] =
        ramie::fork_join(c::call{first, first_argument}, c::call{second, second_argument});
    if (first_result != nullptr) *first_result = of_first;
    if (second_result != nullptr) *second_result = of_second;
    return RAMIE_OK;
  } catch (...) {
    return c::escaped();
  }
}
