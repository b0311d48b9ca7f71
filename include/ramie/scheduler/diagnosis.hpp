// Not for users.
//
// Messages of a process in which something goes wrong: the task whose stack has overflowed, and the work of the thread
// that fails.
#pragma once

namespace ramie::diagnosis {

/// Once a process, by the first runtime: handlers for stack overflow, for failed assertions, for fork(). Ends the
/// process if shadow stacks are active for it, which the switch does not support.
void prepare_process();

/// Whether this process is the child of a fiber, made by fork(), and has begun no runtime of its own: then the calling
/// thread may wait for ever. Any thread.
[[nodiscard]] bool child_of_a_fiber() noexcept;
/// A runtime begins here.
void own_runtime_begins() noexcept;

}  // namespace ramie::diagnosis
