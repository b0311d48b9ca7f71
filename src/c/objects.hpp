// The objects behind the opaque types of C.
#pragma once

#include "c/error.hpp"
#include "c/options.hpp"

#include <ramie/c/ramie.h>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/spawn.hpp>
#include <ramie/sync/counter.hpp>

struct ramie_runtime {
  explicit ramie_runtime(const ramie::options& chosen) : held(chosen) {}
  ramie::runtime held;
};

struct ramie_counter {
  explicit ramie_counter(std::int64_t count) : held(count) {}
  ramie::counter held;
};

namespace ramie::c {

/// The function of a fiber of C: a closure of two words, which the task has room for.
struct call {
  ramie_function function;
  void* argument;
  void* operator()() const { return function(argument); }
};

/// A ramie_fiber is the task of the fiber, in other words.
using task_of_c = detail::task_with_result<void*>;

inline ramie_fiber* as_fiber(task_of_c* released) { return reinterpret_cast<ramie_fiber*>(released); }
inline task_of_c& task_of(ramie_fiber* fiber) { return *reinterpret_cast<task_of_c*>(fiber); }
inline const task_of_c& task_of(const ramie_fiber* fiber) { return *reinterpret_cast<const task_of_c*>(fiber); }

/// Spawns by spawn() or spawn(how), each of which returns a join_handle<void*>.
template <class Spawn>
join_handle<void*> spawn_with_options(const ramie_spawn_options* how, Spawn&& spawn) {
  return how == nullptr ? spawn() : spawn(spawn_options_of(*how));
}

/// As ramie_join. The handle is empty afterwards, unless the join was refused.
int join_into(join_handle<void*>& handle, void** result) noexcept;

}  // namespace ramie::c
