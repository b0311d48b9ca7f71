// A provider with nothing but what base/provider.hpp promises: whatever compiles with it reaches around nothing.
#pragma once

#include <ramie/base/provider.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace ramie::test {

struct narrow_provider {
  template <class T>
  class atomic {
   public:
    constexpr atomic() = default;
    constexpr explicit(false) atomic(T value) : m_value(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    [[nodiscard]] T load(std::memory_order order = std::memory_order_seq_cst) const { return m_value.load(order); }
    void store(T value, std::memory_order order = std::memory_order_seq_cst) { m_value.store(value, order); }
    T exchange(T value, std::memory_order order = std::memory_order_seq_cst) { return m_value.exchange(value, order); }
    T fetch_add(T value, std::memory_order order = std::memory_order_seq_cst) {
      return m_value.fetch_add(value, order);
    }
    T fetch_sub(T value, std::memory_order order = std::memory_order_seq_cst) {
      return m_value.fetch_sub(value, order);
    }
    bool compare_exchange_strong(T& expected, T value, std::memory_order success, std::memory_order failure) {
      return m_value.compare_exchange_strong(expected, value, success, failure);
    }
    bool compare_exchange_weak(T& expected, T value, std::memory_order success, std::memory_order failure) {
      return m_value.compare_exchange_weak(expected, value, success, failure);
    }
    bool compare_exchange_weak(T& expected, T value, std::memory_order order) {
      return m_value.compare_exchange_weak(expected, value, order);
    }

   private:
    friend narrow_provider;
    std::atomic<T> m_value{};
  };
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

  static void pause() noexcept { std_provider::pause(); }
  static constexpr int spins(int count) noexcept { return count; }
  static void yield_thread() noexcept { std_provider::yield_thread(); }
  [[nodiscard]] static unsigned current_cpu() noexcept { return std_provider::current_cpu(); }
  static void fence_seq_cst() noexcept { std_provider::fence_seq_cst(); }
  static void fence_light() noexcept { std_provider::fence_light(); }
  static bool light_fences_are_free() noexcept { return std_provider::light_fences_are_free(); }
  static bool test_after_light_fence_if_free(const atomic<bool>& flag) noexcept {
    return std_provider::test_after_light_fence_if_free(flag.m_value);
  }
  static void fence_heavy() noexcept { std_provider::fence_heavy(); }
  static void futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    std_provider::futex_wait(word.m_value, expected);
  }
  static bool futex_wait_for(const atomic<std::uint32_t>& word, std::uint32_t expected,
                             std::chrono::nanoseconds timeout) noexcept {
    return std_provider::futex_wait_for(word.m_value, expected, timeout);
  }
  static void futex_wake(const atomic<std::uint32_t>& word, int count) noexcept {
    std_provider::futex_wake(word.m_value, count);
  }
  static void* allocate(std::size_t size, std::size_t alignment) { return std_provider::allocate(size, alignment); }
  static void deallocate(void* pointer, std::size_t size, std::size_t alignment) noexcept {
    std_provider::deallocate(pointer, size, alignment);
  }
  static std::chrono::steady_clock::time_point now() noexcept { return std_provider::now(); }
  using thread = std_provider::thread;
  [[nodiscard]] static int start_thread(thread& made, void* (*function)(void*), void* argument) noexcept {
    return std_provider::start_thread(made, function, argument);
  }
  static void join_thread(thread ending) noexcept { std_provider::join_thread(ending); }
  template <class T>
  static T& of_this_thread() {
    return std_provider::of_this_thread<T>();
  }
};

}  // namespace ramie::test

namespace ramie {
#if RAMIE_OTHER_PROVIDER
using native_provider = test::narrow_provider;
#endif
}  // namespace ramie
