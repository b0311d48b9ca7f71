// Waits where there is no memory for the deadline of the scope around them.
#include <support/fibers.hpp>

#include <ramie/sync/mutex.hpp>
#include <ramie/sync/scope.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#if !RAMIE_ASAN && !RAMIE_TSAN  // they have their own

namespace {
std::atomic<bool> out_of_memory{false};

void* allocate(std::size_t size, std::size_t alignment) {
  void* const memory =
      out_of_memory ? nullptr : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

// gcc inlines some of these, and warns that new and std::free() do not match.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) { return allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
// noinline: gcc takes free() for the wrong partner of an operator new that it has not inlined.
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace ramie {
namespace {

using namespace std::chrono_literals;

// The wait has no deadline of its own, and its function throws nothing: it goes without the scope's.
TEST(ScarceMemory, AShieldedWaitNeedsNoRoomForItsScopesDeadline) {
  run(test::with_workers(1), [] {
    mutex lock;
    lock.lock();
    auto owner = spawn([&] {
      yield();
      out_of_memory = false;
      lock.unlock();
    });
    with_scope({.limits = 1h}, [&](scope&) {
      const auto wait = [&]() noexcept { lock.lock(); };
      out_of_memory = true;  // the worker has had no deadline yet
      wait();
    });
    lock.unlock();
    owner.join();
  });
}

}  // namespace
}  // namespace ramie

#endif
