// Not for users.
//
// How an unlock gives its worker's processor away along with the lock.
#pragma once

#include <ramie/sync/wait_list.hpp>

namespace ramie::detail {

/// After the claim of `next`, without a lock: wakes its waiter. Of a fiber of the calling fiber's runtime, at once and
/// here; the caller goes on later. Of others as ever, and the calling fiber yields.
void give_processor_to(wait_node<>& next);

}  // namespace ramie::detail
