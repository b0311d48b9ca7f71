// The item of the queues: a task or a call that has not started, or a fiber that can go on.
#pragma once

#include <cstdint>

namespace ramie {

enum class work_kind : std::uint8_t {
  task,    ///< a closure without a stack yet
  fiber,   ///< suspended on its own stack
  call,    ///< a function that runs on any fiber's stack; see call_item.hpp
  thread,  ///< a kernel thread that waits; never in a queue, only in lists of waiters
  other,   ///< no work; never in a queue, only in lists of its maker
};

/// First in every object that can be queued. `next` links it into one list or none: the injector, a list of waiters.
struct work_item {
  explicit work_item(work_kind which) : kind(which) {}

  work_item* next = nullptr;
  work_kind kind;
};

}  // namespace ramie
