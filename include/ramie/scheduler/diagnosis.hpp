// What the process says when something goes wrong: who overflowed a stack, what the failing thread was doing.
#pragma once

namespace ramie::diagnosis {

/// Once a process, by the first runtime: handlers for stack overflow, for failed assertions, for fork(). Ends the
/// process if shadow stacks are active for it, which the switch does not support.
void prepare_process();

}  // namespace ramie::diagnosis
