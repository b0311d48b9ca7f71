#pragma once

#include <ramie/queue/kind.hpp>

#include "queues/problem.hpp"

namespace bench::queues {

/// A queue of the library with items of 4 or 8 bytes.
[[nodiscard]] outcome run_ramie(ramie::queue::kind which, const ramie::queue::settings& chosen, unsigned bytes,
                                const setup& how);
/// The limit: an array, a head and a tail, for one thread. No thieves.
[[nodiscard]] outcome run_plain_ring(const setup& how);

}  // namespace bench::queues
