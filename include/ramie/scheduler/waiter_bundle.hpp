// Up to 64 waiters for the same thing, as they are handed to the wake path: see queue/injector.hpp.
#pragma once

#include <ramie/queue/bundle.hpp>
#include <ramie/scheduler/work_item.hpp>

#include <cstddef>

namespace ramie {

using waiter_bundle = queue::bundle<work_item>;
inline constexpr std::size_t waiter_bundle_capacity = queue::bundle_capacity;

namespace detail {

/// Calls wake(waiter) for all waiters in the bundles that begin with `first`. A bundle lies on the stack of one of its
/// waiters, so it is read before the first of them is woken.
template <class Provider, class Wake>
void wake_each(queue::bundle<work_item, Provider>& first, Wake&& wake) {
  for (queue::bundle<work_item, Provider>* each = &first; each != nullptr;) {
    const queue::bundle<work_item, Provider> now = *each;
    for (std::size_t i = 0; i < now.count; ++i) wake(*now.items[i]);
    each = now.next;
  }
}

}  // namespace detail

}  // namespace ramie
