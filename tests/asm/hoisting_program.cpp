// Shows what thread_slot() is for. A fiber asks for "its" thread's variable, is resumed on another kernel thread, and
// asks again, in one function. With a plain thread_local, the compiler may answer the second time with the address of
// the first: the old thread's variable. With thread_slot() it must not. Prints one line a way:
//
//   <way>: old thread | new thread
//
// check_hoisting.py compiles this with many options and knows which answers are allowed.
#include <ramie/context/execution.hpp>
#include <ramie/context/thread_slot.hpp>

#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

using namespace ramie::context;

thread_local int plain = 0;

struct strand {
  machine_context self;
  machine_context* peer = nullptr;
  const void* first = nullptr;
  const void* second = nullptr;
};

[[gnu::always_inline]] inline const void* address_of_plain() { return &plain; }
[[gnu::noinline]] const void* noinline_address_of_plain() { return &plain; }

template <class Ask>
[[gnu::always_inline]] inline void ask_twice(void* argument, Ask ask) {
  auto& me = *static_cast<strand*>(argument);
  me.first = ask();
  switch_to(me.self, *me.peer, nullptr);
  me.second = ask();
  switch_to(me.self, *me.peer, nullptr);
}

void with_plain(void*, void* argument) { ask_twice(argument, address_of_plain); }
void with_noinline(void*, void* argument) { ask_twice(argument, noinline_address_of_plain); }
void with_slot(void*, void* argument) { ask_twice(argument, thread_slot); }

void resume(strand& one, const void*& of_this_thread) {
  machine_context here;
  set_thread_slot(&plain);
  of_this_thread = &plain;
  one.peer = &here;
  switch_to(here, one.self, nullptr);
}

void show(const char* way, entry_function entry) {
  constexpr std::size_t size = std::size_t{64} << 10;
  auto* const stack = static_cast<char*>(std::aligned_alloc(64, size));
  strand one;
  make_context(one.self, stack + size, entry, &one);
  const void* of_old = nullptr;
  const void* of_new = nullptr;
  // Both threads exist at the same time, so that their variables have different addresses.
  std::thread([&] {
    resume(one, of_old);
    std::thread([&] { resume(one, of_new); }).join();
  }).join();
  if (one.first != of_old || of_old == of_new) std::abort();
  std::printf("%s: %s\n", way, one.second == of_new ? "new thread" : one.second == of_old ? "old thread" : "neither");
  std::free(stack);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int test_everything(long) {
  show("thread_local", with_plain);
  show("thread_local behind noinline", with_noinline);
  show("thread_slot", with_slot);
  return 0;
}

#if !defined(RAMIE_TEST_LIBRARY)
int main() { return test_everything(0); }
#endif
