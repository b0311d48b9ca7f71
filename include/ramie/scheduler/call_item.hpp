// Not for users.
//
// Calls: work without a handle, a name or a stack of its own. The seam on which the job system stands.
//
// A call is queued, stolen and woken for as a task is, and counts for the end of a run. It runs as a plain function on
// a fiber's stack, and while the next thing to do is a call again, that runs on the same stack: no switch in between,
// and nothing of what a task needs. It may block as any function on a fiber; other work then gets another fiber.
#pragma once

#include <ramie/base/provider.hpp>
#include <ramie/scheduler/work_item.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace ramie {
class runtime;
}

namespace ramie::detail {

enum class call_purpose : std::uint8_t {
  run,
  refuse,  ///< there was no stack to run on: not to run, but to be done with, for the reason in the frame
  drop,    ///< the runtime ends, and never ran it: not to run, for no reason
  end,     ///< for the maker alone: the scheduler never asks for it
};

/// State that a call leaves to the next call on the same stack.
struct call_frame {
  runtime& home;
  call_purpose purpose = call_purpose::run;
  std::exception_ptr reason = nullptr;

  /// Set by a maker of calls that puts work off. Called before work of another kind follows. The worker holds that work
  /// in hand meanwhile, so the function must not block.
  void (*before_other_work)(call_frame&) noexcept = nullptr;
  /// For the maker: the work that it puts off. Zero in a new frame.
  alignas(void*) std::array<std::byte, 24> of_maker{};
};

struct call_item : work_item {
  using function = void (*)(call_item&, call_frame&) noexcept;
  explicit call_item(function called) : work_item(work_kind::call), call(called) {}

  // For its maker, where there would be nothing but padding.
  std::array<std::uint8_t, 2> bytes_of_maker{};
  native_provider::atomic<std::uint32_t> word_of_maker{0};

  /// On a fiber's stack, once, if the frame's purpose is `run`. The item may be gone when it returns.
  function call;
};

}  // namespace ramie::detail
