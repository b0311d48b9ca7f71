// The calls that tell the sanitizers of a switch, so that they follow it (Valgrind: valgrind.hpp). All of it is empty
// in a plain build.
//
// ASan keeps a fake stack a fiber and must know the bounds of the real one. TSan takes each fiber for a thread of its
// own; the two calls it needs must stand in the function that contains the switch, with no instrumented call between
// them and it, or its shadow call stack goes out of step (flare#197, boost.fiber#214). Hence always_inline.
#pragma once

#include <ramie/base/config.hpp>

#include <cstddef>

#if RAMIE_ASAN
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if RAMIE_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace ramie::context {

/// The part of an execution that exists for the tools. Members exist only where a tool needs them.
class tool_state {
 public:
#if RAMIE_TSAN
  /// gcc 12's TSan ends at 8,128 fibers over the life of all that are not destroyed: they are pooled with their stacks.
  static constexpr std::size_t max_fibers = 8000;
#endif

  /// A stack [bottom, top) that a fresh execution will run on.
  void attach_stack([[maybe_unused]] void* bottom, [[maybe_unused]] void* top) {
#if RAMIE_ASAN
    m_bottom = bottom;
    m_size = static_cast<std::size_t>(static_cast<char*>(top) - static_cast<char*>(bottom));
#endif
#if RAMIE_TSAN
    m_fiber = __tsan_create_fiber(0);
#endif
  }

  /// The stack goes away; the execution is not running and will not run again.
  void detach_stack() {
#if RAMIE_TSAN
    __tsan_destroy_fiber(m_fiber);
    m_fiber = nullptr;
#endif
  }

  /// This execution is the calling kernel thread itself.
  void attach_this_thread() {
#if RAMIE_ASAN
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &m_bottom, &m_size);
      pthread_attr_destroy(&attributes);
    }
#endif
#if RAMIE_TSAN
    m_fiber = __tsan_get_current_fiber();
#endif
  }

  /// Directly before the switch from this execution to `to`. `last`: this one will not continue from here.
  [[gnu::always_inline]] void leave([[maybe_unused]] tool_state& to, [[maybe_unused]] bool last) {
#if RAMIE_ASAN
    if (last) forget_frames();
    __sanitizer_start_switch_fiber(last ? nullptr : &m_fake_stack, to.m_bottom, to.m_size);
#endif
#if RAMIE_TSAN
    __tsan_switch_to_fiber(to.m_fiber, 0);
#endif
  }

  /// Directly after a switch to this execution.
  [[gnu::always_inline]] void arrive() {
#if RAMIE_ASAN
    void* const fake_stack = m_fake_stack;
    m_fake_stack = nullptr;
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
  }

 private:
#if RAMIE_ASAN
  // The frames that are left for good never return, and the red zones of ASan around their arrays would stay, where the
  // next ones on this stack, or in this memory, have their own. From the stack pointer up: below it all have returned.
  [[gnu::always_inline]] void forget_frames() const {
    const char* here = nullptr;
    asm volatile("mov %%rsp, %[here]" : [here] "=r"(here));
    const auto* const top = static_cast<const char*>(m_bottom) + m_size;
    if (here >= m_bottom && here < top) __asan_unpoison_memory_region(here, static_cast<std::size_t>(top - here));
  }

  void* m_fake_stack = nullptr;
  void* m_bottom = nullptr;
  std::size_t m_size = 0;
#endif
#if RAMIE_TSAN
  void* m_fiber = nullptr;
#endif
};

}  // namespace ramie::context
