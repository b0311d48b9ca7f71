// For check_debugger.py: calls stop_here() in a fresh fiber, in a resumed one, in one of swap_context, and in main.
#include <ramie/context/swap_context.hpp>
#include <ramie/context/switch_to.hpp>

#include <cstddef>
#include <cstdlib>

using namespace ramie::context;

extern "C" [[gnu::noinline]] void stop_here() { asm volatile("" ::: "memory"); }

static machine_context thread;
static machine_context fiber;
static saved_registers saved_thread;
static saved_registers saved_fiber;

extern "C" [[gnu::noinline]] void fiber_main(void*, void*) {
  stop_here();
  switch_to(fiber, thread, nullptr);
  stop_here();
  switch_to(fiber, thread, nullptr);
}

extern "C" [[gnu::noinline]] void saved_main() {
  stop_here();
  swap_context(saved_fiber, saved_thread);
}

int main() {
  constexpr std::size_t size = std::size_t{64} << 10;
  auto* const stack = static_cast<char*>(std::aligned_alloc(64, size));
  make_context(fiber, stack + size, fiber_main, nullptr);
  switch_to(thread, fiber, nullptr);
  switch_to(thread, fiber, nullptr);
  make_context(saved_fiber, stack + size, saved_main);
  swap_context(saved_thread, saved_fiber);
  stop_here();
  std::free(stack);
  return 0;
}
