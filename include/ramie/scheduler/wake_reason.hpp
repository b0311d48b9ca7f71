// How waits end.
#pragma once

#include <cstdint>

namespace ramie {

/// Why a wait has ended.
enum class wake_reason : std::uint8_t {
  woken,      ///< what was waited for is there
  timed_out,  ///< the deadline came first
  cancelled,  ///< a stop was requested first
  closed,     ///< what was waited for will never be there; not yet, for what closes
  shut_down,  ///< the runtime ends; not yet, runtimes wait for their fibers
};

}  // namespace ramie
