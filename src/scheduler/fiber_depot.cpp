
#include <ramie/base/error.hpp>
#include <ramie/context/valgrind.hpp>

#include "scheduler/fiber_depot.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <string>

namespace ramie::detail {

#if RAMIE_TSAN
namespace {
// Of all runtimes: TSan counts its fibers in the process.
native_provider::atomic<std::size_t> g_tsan_fibers{0};

void count_tsan_fibers(std::size_t added) {
  constexpr std::size_t limit = context::tool_state::max_fibers;
  if (g_tsan_fibers.fetch_add(added) + added <= limit) return;
  g_tsan_fibers.fetch_sub(added);
  throw spawn_error("ThreadSanitizer allows about " + std::to_string(limit) +
                    " fibers at once; run fewer, or build without -fsanitize=thread");
}
}  // namespace
#endif

fiber_depot::~fiber_depot() {
  // The arena unmaps all at once.
  for (magazine<fiber> free = m_free.take(); free.count != 0; free = m_free.take()) {
    while (fiber* const each = free.pop()) destroy(*each);
  }
}

magazine<fiber> fiber_depot::refill() {
  const magazine<fiber> recycled = m_free.take();
  if (recycled.count == 0) return make_fibers();
  recycled.first->around = nullptr;
  recycled.first->locals = nullptr;
  return recycled;
}

void fiber_depot::give_back(magazine<fiber> free) {
  if (m_free.count() + free.count > m_retained) {
    destroy_fibers(free);
  } else {
    m_free.give(free);
  }
}

magazine<fiber> fiber_depot::make_fibers() {
#if RAMIE_TSAN
  constexpr std::size_t most = 4;
#else
  constexpr std::size_t most = magazine_size;
#endif
  // As many as were made before: a worker that wants one stack, of a large size perhaps, takes the address space of
  // one.
  const std::size_t batch = std::clamp<std::size_t>(m_made.load(std::memory_order_relaxed), 1, most);
#if RAMIE_TSAN
  count_tsan_fibers(batch);
#endif
  std::array<stack::memory, most> stacks;
  std::size_t count = 0;
#if RAMIE_TSAN
  const struct giving_back {
    const std::size_t wanted;
    const std::size_t& made;
    ~giving_back() { g_tsan_fibers.fetch_sub(wanted - made); }
  } unused{batch, count};
#endif
  count = m_arena.acquire(std::span(stacks).first(batch));
  m_made.fetch_add(count, std::memory_order_relaxed);
  magazine<fiber> made;
  for (std::size_t i = count; i-- > 0;) {  // so that they are used in ascending order
    fiber* const each = new (fiber::at_top_of(stacks[i])) fiber(m_home, stacks[i], m_stack_class);
    each->execution.tools.attach_stack(stacks[i].bottom, each);
    each->valgrind_number = context::register_with_valgrind(stacks[i].bottom, each);
    made.push(each);
  }
  return made;
}

void fiber_depot::destroy(fiber& free) {
  free.execution.tools.detach_stack();
  context::unregister_with_valgrind(free.valgrind_number);
  free.~fiber();
#if RAMIE_TSAN
  g_tsan_fibers.fetch_sub(1);
#endif
}

// Gives the stacks back, too.
void fiber_depot::destroy_fibers(magazine<fiber> free) {
  std::array<stack::memory, magazine_size> stacks;
  std::size_t count = 0;
  while (fiber* const each = free.pop()) {
    stacks[count++] = each->memory();
    destroy(*each);
    if (count == stacks.size() || free.count == 0) {
      m_arena.release(std::span(stacks).first(count));
      count = 0;
    }
  }
}

}  // namespace ramie::detail
