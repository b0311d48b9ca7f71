// Fibers of one stack size, shared by the workers of a runtime: between their caches and the arena.
#pragma once

#include <ramie/scheduler/fiber.hpp>
#include <ramie/stack/arena.hpp>

#include "scheduler/magazine_depot.hpp"

#include <cstddef>

namespace ramie::detail {

class fiber_depot {
 public:
  /// Keeps up to `retained` free fibers with their memory; gives back the stacks of more.
  fiber_depot(runtime& home, const stack::config& stacks, std::uint8_t stack_class, std::size_t retained)
      : m_home(home), m_arena(stacks), m_retained(retained), m_stack_class(stack_class) {}
  ~fiber_depot();
  fiber_depot(const fiber_depot&) = delete;
  fiber_depot& operator=(const fiber_depot&) = delete;

  /// A magazine of recycled fibers, or of new ones. Throws spawn_error, which names the limit. Blocks the kernel thread
  /// for as long as the arena does.
  magazine<fiber> refill();
  void give_back(magazine<fiber> free);

  [[nodiscard]] const stack::arena& arena() const { return m_arena; }

 private:
  magazine<fiber> make_fibers();
  void destroy_fibers(magazine<fiber> free);
  static void destroy(fiber& free);

  runtime& m_home;
  stack::arena m_arena;
  magazine_depot<fiber> m_free;
  // relaxed: it says how many to make at once, and orders nothing.
  native_provider::atomic<std::size_t> m_made{0};
  std::size_t m_retained;
  std::uint8_t m_stack_class;
};

using fiber_cache = magazine_cache<fiber, fiber_depot>;

}  // namespace ramie::detail
