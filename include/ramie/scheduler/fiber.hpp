// A stack with something running on it.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/context/execution.hpp>
#include <ramie/scheduler/task.hpp>
#include <ramie/scheduler/work_item.hpp>
#include <ramie/stack/memory.hpp>

#include <cstddef>

namespace ramie {

namespace detail {
struct surroundings;
class local_values;
}  // namespace detail

/// Where a fiber is. Kept in debug builds alone, to hold the invariant: a fiber is runnable in one place or in none.
enum class fiber_state : std::uint8_t { free, running, suspended, ready };

/// Lies at the top of its own stack, so a blocked fiber costs one page and nothing else, and is recycled with it. The
/// first cache line is what a switch touches.
class alignas(cache_line_size) fiber final : public work_item {
 public:
  fiber(runtime& home, stack::memory whole, std::uint8_t stack_class)
      : work_item(work_kind::fiber), m_home(home), m_memory(whole), m_stack_class(stack_class) {}

  context::execution execution;
  task* current_task = nullptr;
  unsigned valgrind_number = 0;

  // The second of each is of the first fiber in a magazine that lies in the depot, which makes null of it again: so a
  // fiber is two cache lines.
  union {
    const detail::surroundings* around = nullptr;  // null between tasks, and for most; see surroundings.hpp
    fiber* next_magazine;                          // see magazine.hpp
  };
  union {
    detail::local_values* locals = nullptr;  // null between tasks, and for most; see fiber_local.hpp
    std::size_t magazine_count;
  };

  /// The whole stack, this object included.
  [[nodiscard]] const stack::memory& memory() const { return m_memory; }
  [[nodiscard]] std::uint8_t stack_class() const { return m_stack_class; }
  [[nodiscard]] runtime& home() const { return m_home; }

  /// The fiber at the top of a stack.
  [[nodiscard]] static fiber* at_top_of(const stack::memory& memory) {
    return reinterpret_cast<fiber*>(memory.top - sizeof(fiber));
  }

#if RAMIE_ASSERTIONS
  /// Of ramie::mutex and its like. The fiber's own.
  int owned_locks = 0;

  void change_state(fiber_state from, fiber_state to) {
    const fiber_state was = m_state.exchange(to, std::memory_order_relaxed);
    RAMIE_ASSERT(was == from, "a fiber is runnable in exactly one place or in none");
  }

 private:
  native_provider::atomic<fiber_state> m_state{fiber_state::free};
#else
  void change_state(fiber_state, fiber_state) {}

 private:
#endif
  runtime& m_home;
  stack::memory m_memory;
  std::uint8_t m_stack_class;
};

}  // namespace ramie
