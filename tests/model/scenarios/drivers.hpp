// Drivers whose completions others take, and deadlines, beside workers that are busy, change their threads, nap or
// sleep in the list.
#pragma once

#include <model/scenarios/scenario.hpp>

#include <vector>

namespace ramie::model {

/// Steps that workers can be made without, to see that scenarios notice.
enum class without : std::uint8_t {
  nothing,
  // Sleeping and naps.
  watch,                   // the timekeeper does not watch the others' drivers
  watch_before_look,       // it begins to after its last look
  look_at_drivers,         // S3 and X3 leave the drivers out
  end_of_watch_first,      // a timekeeper watches on when another one may have begun to
  another_timekeeper,      // S3 and X3: a timekeeper that has found work leaves timers, or drivers, without another
  end_of_search,           // X1: a napping worker is still counted as one that searches
  look_before_nap,         // X3
  retraction_before_poll,  // what completes is made ready while its worker is in the list of sleepers
  // The look of busy workers at others' drivers.
  count_of_polls,  // a worker that polls its driver does not say so
  reap_when_due,   // a look that has found something is not followed by a poll in the loop
  next_driver,     // each look is at the same driver
  look_at_others,  // where its own driver wants each poll
  turn_of_reap,    // a worker takes completions beside another one that does
  // Threads.
  detach,             // a driver is not detached from the thread that its worker leaves
  hand_over_last,     // ... or when another thread may have the worker already
  poll_after_attach,  // a thread that has a new worker does not look first of all
  turn_of_attach,     // the driver is attached while another worker takes its completions
  turn_of_detach,     // ... or detached
  attach_again,       // a worker whose driver could not be attached does not try again
  // Deadlines.
  end_of_sleep,          // no sleep ends by time
  second_look_at_heaps,  // S3
  timers_of_others,      // a worker ends the waits of its own heap alone
  own_timers,            // ... or of others' alone
  one_timekeeper,        // K1: there is one already
  interrupt_of_keeper,   // P5: a deadline that comes earlier
  owed_timekeeper,       // P5: where there is no timekeeper
  end_of_keeping         // K2
};

struct driver_scenario {
  std::string name;
  std::function<void(without)> body;
  limits within = {};
};

[[nodiscard]] std::vector<driver_scenario> sleeping_drivers();
[[nodiscard]] std::vector<driver_scenario> busy_looks();
[[nodiscard]] std::vector<driver_scenario> attached_drivers();
[[nodiscard]] std::vector<driver_scenario> sleeping_until();
/// All of them.
[[nodiscard]] const std::vector<driver_scenario>& driver_scenarios();

}  // namespace ramie::model
