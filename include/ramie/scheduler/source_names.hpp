// The names of the source: one runtime a process, set up, filled, and run until it is empty.
#pragma once

#include <ramie/scheduler/options.hpp>

namespace ramie {

/// Makes the process's runtime with `workers` workers (0: as many as the CPUs allow). From then on spawn() works on
/// threads that run no fiber. Throws misuse if there is one already, and what runtime's constructor throws.
///
/// Nothing runs yet. But a thread that waits before scheduler_run() (in an algorithm, join(), wait_for_counter(),
/// job::wait()) starts the workers, on threads of their own, and with that all that was spawned.
void scheduler_init(unsigned workers);
void scheduler_init(const options& chosen);

/// Runs what was spawned, on the calling thread and workers - 1 more, until no fiber is left; where the workers were
/// started already, waits until then. Then the runtime is gone. Throws misuse without scheduler_init(), and as
/// runtime::run().
void scheduler_run();

}  // namespace ramie
