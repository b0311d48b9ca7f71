// Everything lock-free code asks of the machine, behind one template parameter.
//
// A queue, an event count or a counter is written once, against a Provider, and runs unchanged on real hardware
// (std_provider, below) and inside a model checker (which supplies atomics with stale reads, plain cells that detect
// races, and futexes that it schedules itself). Nothing in this header may be reached around.
//
// Code that is no template (workers, the runtime, tasks) uses native_provider, at the end of this file. A build of the
// whole library on another machine, say a simulated one, defines RAMIE_PROVIDER_HEADER.
//
// clang-format off
// A Provider has:
//   atomic<T>                     the operations of std::atomic that are used; constructible in constant expressions
//   plain<T>                      a non-atomic cell: T itself here, race-checked in a model
//   reading(cell), writing(cell)  the T in a plain<T>, where it is more than a value to copy: a container
//   pause()                       in a spin loop
//   spins(count)                  how often to look before going to sleep; a model does not try patience
//   yield_thread()                in a spin loop that has lasted: the thread waited for may not be running
//   fence_seq_cst()               a full fence
//   fence_light(), fence_heavy()  an asymmetric pair: between two threads, one light and one heavy fence order as two
//                                 full fences would. Light costs nothing where the kernel has membarrier(2).
//   light_fences_are_free()       the kernel has membarrier(2). An object that uses light fences asks once, when it is
//                                 made. Code that cannot afford to ask at every fence goes by that answer: where it is
//                                 false, the code must not need the fence in test_after_light_fence_if_free()
//   test_after_light_fence_if_free(flag)
//                                 fence_light() and a relaxed load of an atomic<bool>
//   futex_wait(word, expected)    sleeps while word == expected; may wake for no reason
//   futex_wait_for(word, expected, timeout)
//                                 the same; false if the time ran out
//   futex_wake(word, count)       wakes up to count sleepers; the word may be gone, only its address counts
//   allocate(size, alignment), deallocate(pointer, size, alignment)
//   now()                         the steady clock
// For native_provider alone:
//   thread, start_thread(made, function, argument), join_thread(thread)
//                                 starting gives an error number, 0 for none
//   of_this_thread<T>()           the calling thread's own T, made when it is first asked for
//   current_cpu()                 the number of the processor that the calling thread is on, at this moment
// clang-format on
#pragma once

#include <ramie/base/config.hpp>
#include <ramie/base/time.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <pthread.h>

namespace ramie {

namespace detail {
/// True when the process is registered for MEMBARRIER_CMD_PRIVATE_EXPEDITED (Linux 4.14) and has once used it. False
/// until the first call of find_membarrier(); constant from then on. Code that reads it has made that call before.
extern bool membarrier_available;
/// Tries it at the first call in a process. Any thread.
[[nodiscard]] bool find_membarrier() noexcept;
void membarrier_all_threads() noexcept;
void yield_thread() noexcept;
[[nodiscard]] unsigned current_cpu() noexcept;
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;
bool futex_wait_for(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::chrono::nanoseconds timeout) noexcept;
void futex_wake(const std::atomic<std::uint32_t>& word, int count) noexcept;
}  // namespace detail

struct std_provider {
  template <class T>
  using atomic = std::atomic<T>;
  template <class T>
  using plain = T;

  template <class T>
  static const T& reading(const T& cell) noexcept {
    return cell;
  }
  template <class T>
  static T& writing(T& cell) noexcept {
    return cell;
  }

  static void pause() noexcept { __builtin_ia32_pause(); }
  static constexpr int spins(int count) noexcept { return count; }

  static void yield_thread() noexcept { detail::yield_thread(); }

  static void fence_seq_cst() noexcept {
    // A locked read-modify-write of the stack is a full fence and costs a sixth of mfence, which is what clang makes
    // of std::atomic_thread_fence. Hidden from TSan on purpose: gcc's TSan does not model fences, and every
    // happens-before edge in ramie comes from an acquire and a release on the data itself, which TSan does see.
    asm volatile("lock; orl $0, -4(%%rsp)" ::: "memory", "cc");
  }

  static void fence_light() noexcept {
    if (detail::membarrier_available) [[likely]] {
      asm volatile("" ::: "memory");
    } else {
      fence_seq_cst();
    }
  }

  static bool light_fences_are_free() noexcept { return detail::find_membarrier(); }
  static bool test_after_light_fence_if_free(const atomic<bool>& flag) noexcept {
#if !RAMIE_TSAN
    bool set = false;  // one comparison with memory, which compilers do not make of an atomic load
    asm volatile("cmpb $0, %[flag]" : "=@ccne"(set) : [flag] "m"(flag) : "memory");
    return set;
#else
    asm volatile("" ::: "memory");
    return flag.load(std::memory_order_relaxed);
#endif
  }

  /// Any thread. Without membarrier a full fence, matched by the full fence that fence_light() then is.
  static void fence_heavy() noexcept {
    if (detail::find_membarrier()) [[likely]] {
      detail::membarrier_all_threads();
    } else {
      fence_seq_cst();
    }
  }

  static void futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    detail::futex_wait(word, expected);
  }
  static bool futex_wait_for(const atomic<std::uint32_t>& word, std::uint32_t expected,
                             std::chrono::nanoseconds timeout) noexcept {
    return detail::futex_wait_for(word, expected, timeout);
  }
  static void futex_wake(const atomic<std::uint32_t>& word, int count) noexcept { detail::futex_wake(word, count); }

  static void* allocate(std::size_t size, std::size_t alignment) {
    return ::operator new(size, std::align_val_t{alignment});
  }
  static void deallocate(void* pointer, std::size_t size, std::size_t alignment) noexcept {
    ::operator delete(pointer, size, std::align_val_t{alignment});
  }

  static std::chrono::steady_clock::time_point now() noexcept { return std::chrono::steady_clock::now(); }

  using thread = ::pthread_t;
  [[nodiscard]] static int start_thread(thread& made, void* (*function)(void*), void* argument) noexcept {
    return ::pthread_create(&made, nullptr, function, argument);
  }
  static void join_thread(thread ending) noexcept { static_cast<void>(::pthread_join(ending, nullptr)); }

  /// Never on a fiber, which may go on on another thread: see context/thread_slot.hpp.
  template <class T>
  static T& of_this_thread() {
    static thread_local T mine;
    return mine;
  }

  /// 2 ns where glibc has registered rseq(2) (2.35, Linux 4.18), 20 ns elsewhere.
  [[nodiscard]] static unsigned current_cpu() noexcept { return detail::current_cpu(); }
};

}  // namespace ramie

// The provider of all that is no template, and of every template by default. RAMIE_PROVIDER_HEADER, if defined, is the
// file that defines ramie::native_provider instead, as "sim/provider.hpp" with its quotes; it may use std_provider. The
// library and every program that links it must be built with the same one (config.hpp).
#if RAMIE_OTHER_PROVIDER
#include RAMIE_PROVIDER_HEADER
#else
namespace ramie {
using native_provider = std_provider;
}
#endif
