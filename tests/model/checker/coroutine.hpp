// A thread of a model, for machine.cpp and operations.cpp.
#pragma once

#include <model/checker/machine.hpp>

#include <cstdlib>
#include <sys/mman.h>

#if RAMIE_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace ramie::model {

struct machine::coroutine {
  static constexpr std::size_t stack_size = std::size_t{256} << 10U;

  coroutine() {
    stack = ::mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) std::abort();
    self.tools.attach_stack(stack, static_cast<char*>(stack) + stack_size);
  }
  ~coroutine() {
    self.tools.detach_stack();
    ::munmap(stack, stack_size);
  }
  coroutine(const coroutine&) = delete;
  coroutine& operator=(const coroutine&) = delete;

  // A fresh execution on a stack whose last one may have been left in the middle: the tools forget its frames.
  void renew() {
#if RAMIE_ASAN
    __asan_unpoison_memory_region(stack, stack_size);
#endif
#if RAMIE_TSAN
    // Each leaves some frames on TSan's own stack of 65,536. Not every time, for a fiber costs a millisecond.
    if (++renewals % 256 != 0) return;
    self.tools.detach_stack();
    self.tools.attach_stack(stack, static_cast<char*>(stack) + stack_size);
#endif
  }
#if RAMIE_TSAN
  unsigned renewals = 0;
#endif

  context::execution self;
  void* stack;
  state now = state::unused;
  std::int16_t executed = 0;
  event wanted;  // in at_new
  const std::function<void()>* body = nullptr;
  std::uint8_t number = 0;
  location_id spins_on = no_location;  // in pause(): goes on when here is news
  location_id spun_on = no_location;   // out of pause(): its next read of this sees news
  event_id spins_since = nobody;       // what is none
  bool will_time_out = false;          // asleep, but not for ever
  unsigned spurious_failures = 0;      // that it may still have
  unsigned threads_started = 0;        // by the body
  std::chrono::nanoseconds clock{};
};

inline event wanted_event(event_kind kind, location_id location, std::memory_order order, site where) {
  event wanted;
  wanted.kind = kind;
  wanted.location = location;
  wanted.order = order;
  wanted.where = where;
  return wanted;
}

}  // namespace ramie::model
