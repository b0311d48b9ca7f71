// How a worker that waits for a task sleeps beside the one that runs it: until the task has ended, or that one has
// submitted something, which may be a part of the task.
//
// The steps are those of scheduler/run_loop.hpp, and the proof is that of the sleep gate (docs/memory-model.md): the
// runner's submit is its producer, P1 to P5, and we are its sleeper, S1 to S4.
#pragma once

namespace ramie::pool {

/// `followers`: the sleep_gate of the worker that is followed. has_reason() -> whether not to sleep; park() sleeps
/// until interrupted; wake_another() is called where there may be something left for others that sleep there. Returns
/// for any reason or none.
template <class Gate, class HasReason, class Park, class WakeAnother>
void sleep_beside(Gate& followers, unsigned self, HasReason&& has_reason, Park&& park, WakeAnother&& wake_another) {
  followers.announce_sleep(self, /*searching=*/false);  // S1, S2
  if (!has_reason()) park();                            // S3, S4
  // Whether it was chosen or has changed its mind, it is searching now.
  static_cast<void>(followers.retract_sleep(self));
  if (followers.stop_searching()) wake_another();  // X1, X2
}

}  // namespace ramie::pool
