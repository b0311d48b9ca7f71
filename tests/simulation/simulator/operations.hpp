// The provider's calls to the simulator: a turn before every operation, and sleep.
//
// Outside of a simulated run (static constructors, the test program itself) nothing is simulated: an operation is done
// at once.
#pragma once

#include <simulation/memory/weak_memory.hpp>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <source_location>

namespace ramie::sim {

using where = std::source_location;
using nanoseconds = std::chrono::nanoseconds;

enum class operation : std::uint8_t {
  load,
  store,
  exchange,
  add,
  compare_exchange,
  fence,
  light_fence,
  heavy_fence,
  pause,
  yield_thread,
  now,
  futex_wait,
  futex_wake,
  start_thread,
  join_thread,
  plain_read,
  plain_write,
};
[[nodiscard]] const char* to_string(operation what);

/// Whether the operation is done as it should be, or as a planted fault (fault.hpp) has it.
enum class manner : std::uint8_t { right, faulty, weaker };

/// The calling thread's next step. Others may run first; returns when it is the caller's turn.
manner take_turn(operation what, const void* word, where at);
/// The value that the step just taken found, and the value that it left.
void note(std::uint64_t before, std::uint64_t after);

/// Directly after a step that saw a reason to sleep. False: the time ran out.
bool sleep_on(const void* word, const nanoseconds* timeout);
void wake_sleepers(const void* word, int count, manner how);
[[nodiscard]] std::chrono::steady_clock::time_point virtual_now();

/// The memory of a run in which it is weak, and the caller's thread there; null: what a word holds is what is read.
[[nodiscard]] weak::weak_memory* weak_memory();
[[nodiscard]] weak::slot weak_thread();
/// After each access to the memory: ends the run if it was an error. The values are for the trace.
void accessed(std::uint64_t before, std::uint64_t after);
void check_accessed();

using thread_number = std::uint32_t;
[[nodiscard]] int start_thread(thread_number& made, void* (*function)(void*), void* argument, where at);
void join_thread(thread_number ending, where at);

[[nodiscard]] bool running();
/// 0 where none is running.
[[nodiscard]] thread_number current_thread();
/// The calling simulated thread's object of the type that `key` stands for; made when it is first asked for.
void* local_object(const void* key, void* (*make)(), void (*destroy)(void*));

template <class T>
std::uint64_t bits(T value) {
  std::uint64_t all = 0;
  std::memcpy(&all, &value, sizeof value);
  return all;
}

}  // namespace ramie::sim
