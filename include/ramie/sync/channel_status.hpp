// How operations of channels end.
#pragma once

#include <cstdint>

namespace ramie {

/// What an operation of a channel has done. `done` alone has moved an item: after every other one it is where it was.
enum class channel_status : std::uint8_t {
  done,       ///< the item was sent, or received
  closed,     ///< the channel is closed; of a receive: and empty, for ever
  full,       ///< try_send(): there is no room, and nobody receives
  empty,      ///< try_receive(): there is nothing, and nobody sends
  timed_out,  ///< the deadline came first
  cancelled,  ///< a stop was requested first
};

}  // namespace ramie
