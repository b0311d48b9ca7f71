// A simulated thread: a coroutine, and what a kernel thread has of its own.
#pragma once

#include <simulation/simulator/operations.hpp>

#include <ramie/context/exception_state.hpp>
#include <ramie/context/floating_point.hpp>
#include <ramie/context/machine_context.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ramie::sim {

enum class thread_state : std::uint8_t { runnable, asleep, joining, finished };

struct thread {
  thread_number number = 0;
  thread_state state = thread_state::runnable;
  std::int64_t priority = 0;
  weak::slot in_memory = 0;  // where the memory is weak
  void* (*function)(void*) = nullptr;
  void* argument = nullptr;

  // Why it does not run.
  operation doing = operation::load;  // the step that it is about to take, or sleeps in
  where at;
  std::uint64_t since = 0;           // the step at which it stopped running
  const void* sleeps_on = nullptr;   // asleep
  std::optional<nanoseconds> until;  // asleep
  bool timed_out = false;
  thread_number joins = 0;  // joining

  // For the trace: as the observer was told (chronicle.hpp).
  int worker = -1;
  std::uint64_t fiber = 0;
  const char* home = "";

  // While another one runs. It may have been stopped on its own stack or on a fiber's.
  context::machine_context machine;
  context::floating_point_control floating_point;
  context::exception_state exceptions;
  void* slot = nullptr;
  void* carrier_slot = nullptr;
  int error_number = 0;
  // For AddressSanitizer: of the stack on which it was stopped.
  void* fake_stack = nullptr;
  const void* bottom = nullptr;
  std::size_t size = 0;

  std::byte* stack = nullptr;  // its own
  struct local {
    const void* key;
    void* object;
    void (*destroy)(void*);
  };
  std::vector<local> locals;
};

}  // namespace ramie::sim
