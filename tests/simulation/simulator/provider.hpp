// The provider of a simulated machine: every operation is a step that the simulator schedules, on one kernel thread.
// The whole library is compiled with it (RAMIE_PROVIDER_HEADER). See ramie/base/provider.hpp for what a provider is.
//
// Steps are interleaved, never reordered: this machine is sequentially consistent, and its orders and fences mean
// nothing. Stale reads are the model checker's business.
#pragma once

#include <simulation/simulator/operations.hpp>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ramie::sim {

template <class T>
class atomic {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  using order = std::memory_order;

 public:
  constexpr atomic() = default;
  constexpr explicit(false) atomic(T value) : m_value(value) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  [[nodiscard]] T load(order = std::memory_order_seq_cst, where at = where::current()) const {
    take_turn(operation::load, this, at);
    const T found = m_value;
    note(bits(found), bits(found));
    return found;
  }
  void store(T value, order = std::memory_order_seq_cst, where at = where::current()) {
    take_turn(operation::store, this, at);
    note(bits(m_value), bits(value));
    m_value = value;
  }
  T exchange(T value, order = std::memory_order_seq_cst, where at = where::current()) {
    return change(operation::exchange, at, [value](T) { return value; });
  }
  T fetch_add(T amount, order = std::memory_order_seq_cst, where at = where::current()) {
    return change(operation::add, at, [amount](T before) { return static_cast<T>(before + amount); });
  }
  T fetch_sub(T amount, order = std::memory_order_seq_cst, where at = where::current()) {
    return change(operation::add, at, [amount](T before) { return static_cast<T>(before - amount); });
  }
  bool compare_exchange_strong(T& expected, T value, order, order, where at = where::current()) {
    const T wanted = expected;
    expected = change(operation::compare_exchange, at, [&](T found) { return found == wanted ? value : found; });
    return expected == wanted;
  }
  bool compare_exchange_strong(T& expected, T value, order, where at = where::current()) {
    return compare_exchange_strong(expected, value, {}, {}, at);
  }
  // Fails only where the value differs: what a spurious failure does to a loop, another thread's success does too.
  bool compare_exchange_weak(T& expected, T value, order, order, where at = where::current()) {
    return compare_exchange_strong(expected, value, {}, {}, at);
  }
  bool compare_exchange_weak(T& expected, T value, order, where at = where::current()) {
    return compare_exchange_strong(expected, value, {}, {}, at);
  }

 private:
  friend struct provider;

  template <class Next>
  T change(operation what, where at, Next next) {
    const manner how = take_turn(what, this, at);
    const T before = m_value;
    const T after = next(before);
    const bool stores = what != operation::compare_exchange || bits(before) != bits(after);
    if (how == manner::faulty && stores) take_turn(operation::store, this, at);  // others may come in between
    note(bits(before), bits(after));
    m_value = after;
    return before;
  }

  T m_value{};
};

/// A cell that is no atomic: others may come before each access, so that a lock which does not keep them out shows.
template <class T>
class plain {
 public:
  plain(T value = T{}) : m_value(std::move(value)) {}  // NOLINT(google-explicit-constructor): as a T
  plain(const plain& other) : m_value(other.read()) {}
  plain& operator=(const plain& other) { return *this = other.read(); }
  plain& operator=(T value) {
    write() = std::move(value);
    return *this;
  }
  ~plain() = default;

  operator const T&() const { return read(); }  // NOLINT(google-explicit-constructor): as a T
  const T& operator->() const
    requires std::is_pointer_v<T>
  {
    return read();
  }

  [[nodiscard]] const T& read(where at = where::current()) const {
    take_turn(operation::plain_read, this, at);
    return m_value;
  }
  [[nodiscard]] T& write(where at = where::current()) {
    take_turn(operation::plain_write, this, at);
    return m_value;
  }

 private:
  T m_value;
};

struct provider {
  template <class T>
  using atomic = sim::atomic<T>;
  template <class T>
  using plain = sim::plain<T>;

  template <class T>
  static const T& reading(const plain<T>& cell, where at = where::current()) {
    return cell.read(at);
  }
  template <class T>
  static T& writing(plain<T>& cell, where at = where::current()) {
    return cell.write(at);
  }

  static void pause(where at = where::current()) { take_turn(operation::pause, nullptr, at); }
  /// Twice is enough to see both outcomes, and what comes after patience is what is to be tested.
  static constexpr int spins(int count) noexcept { return count < 2 ? count : 2; }
  static void yield_thread(where at = where::current()) { take_turn(operation::yield_thread, nullptr, at); }

  // Steps, though they order nothing: between them is where others come.
  static void fence_seq_cst(where at = where::current()) { take_turn(operation::fence, nullptr, at); }
  static void fence_light(where at = where::current()) { take_turn(operation::light_fence, nullptr, at); }
  static constexpr bool light_fences_are_free() noexcept { return true; }
  static bool test_after_light_fence_if_free(const atomic<bool>& flag, where at = where::current()) {
    fence_light(at);
    return flag.load(std::memory_order_relaxed, at);
  }
  static void fence_heavy(where at = where::current()) { take_turn(operation::heavy_fence, nullptr, at); }

  static void futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected, where at = where::current()) {
    if (must_sleep(word, expected, at)) sleep_on(&word, nullptr);
  }
  static bool futex_wait_for(const atomic<std::uint32_t>& word, std::uint32_t expected,
                             std::chrono::nanoseconds timeout, where at = where::current()) {
    if (timeout.count() <= 0) return false;
    return !must_sleep(word, expected, at) || sleep_on(&word, &timeout);
  }
  static void futex_wake(const atomic<std::uint32_t>& word, int count, where at = where::current()) {
    const void* const address = &word;  // the word itself may be gone
    wake_sleepers(address, count, take_turn(operation::futex_wake, address, at));
  }

  static void* allocate(std::size_t size, std::size_t alignment) { return std_provider::allocate(size, alignment); }
  static void deallocate(void* pointer, std::size_t size, std::size_t alignment) noexcept {
    std_provider::deallocate(pointer, size, alignment);
  }

  static std::chrono::steady_clock::time_point now(where at = where::current()) {
    if (!running()) return std_provider::now();
    take_turn(operation::now, nullptr, at);
    return virtual_now();
  }

  using thread = thread_number;
  [[nodiscard]] static int start_thread(thread& made, void* (*function)(void*), void* argument,
                                        where at = where::current()) {
    return sim::start_thread(made, function, argument, at);
  }
  static void join_thread(thread ending, where at = where::current()) { sim::join_thread(ending, at); }

  template <class T>
  static T& of_this_thread() {
    if (!running()) return std_provider::of_this_thread<T>();
    static constexpr char key = 0;
    return *static_cast<T*>(
        local_object(&key, []() -> void* { return new T; }, [](void* object) { delete static_cast<T*>(object); }));
  }

  /// Each thread has one of its own.
  [[nodiscard]] static unsigned current_cpu() noexcept { return current_thread(); }

 private:
  static bool must_sleep(const atomic<std::uint32_t>& word, std::uint32_t expected, where at) {
    const manner how = take_turn(operation::futex_wait, &word, at);
    note(word.m_value, expected);
    return running() && (word.m_value == expected || how == manner::faulty);
  }
};

}  // namespace ramie::sim

namespace ramie {
using native_provider = sim::provider;
}
