// A fork on its parent's stack, as the scheduler sees it: see fork_list.hpp.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/scheduler/fork_list.hpp>
#include <ramie/scheduler/task.hpp>

namespace ramie::detail {

struct fork_frame {
  using maker = task& (*)(fork_frame&, runtime&) noexcept;

  explicit fork_frame(maker makes) : make_task(makes) {}
  fork_frame(const fork_frame&) = delete;
  fork_frame& operator=(const fork_frame&) = delete;

  native_provider::atomic<fork_frame*> older;
  const maker make_task;  // in memory of the frame's own, so that it cannot fail; once, by whoever takes the fork
};

}  // namespace ramie::detail
