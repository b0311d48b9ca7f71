// Not for users.
//
// A fork on its parent's stack, as the scheduler sees it: see fork_list.hpp.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/scheduler/fork_list.hpp>
#include <ramie/scheduler/task.hpp>

#include <type_traits>

namespace ramie::detail {

struct fork_frame {
  using maker = task& (*)(fork_frame&, runtime&) noexcept;

  fork_frame(fork_frame* below, maker makes) : older(below), make_task(makes) {}
  fork_frame(const fork_frame&) = delete;
  fork_frame& operator=(const fork_frame&) = delete;

  native_provider::atomic<fork_frame*> older;
  const maker make_task;  // in the frame's own memory, so that it cannot fail; called once, by the taker of the fork
};

/// &of, computed where it is asked for. gcc would compute it once, and keep it in a register across the calls in
/// between for the sake of a path that is seldom taken.
template <class Frame>
[[gnu::always_inline]] inline Frame& recomputed(Frame& of) noexcept {
#if defined(__clang__)
  return of;
#else
  static_assert(std::is_base_of_v<fork_frame, Frame>);
  fork_frame* here = nullptr;
  asm volatile("lea %[of], %[here]" : [here] "=r"(here) : [of] "m"(static_cast<fork_frame&>(of)));
  return static_cast<Frame&>(*here);
#endif
}

}  // namespace ramie::detail
