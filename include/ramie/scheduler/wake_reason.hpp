// How waits end.
#pragma once

#include <cstdint>

namespace ramie {

/// Why a wait has ended.
enum class wake_reason : std::uint8_t {
  woken,      ///< the awaited event has come
  timed_out,  ///< the deadline came first
  cancelled,  ///< a stop was requested first
  closed,     ///< the awaited event will never come; not used yet, for objects that close
  shut_down,  ///< the runtime ends; not used yet, runtimes wait for their fibers
};

}  // namespace ramie
