// The provider of a simulated machine: every operation is a step that the simulator schedules, on one kernel thread.
// The whole library is compiled with it (RAMIE_PROVIDER_HEADER). See ramie/base/provider.hpp for what a provider is.
//
// Steps are interleaved, never reordered. Where the run's memory is weak, a load may find an old value, as far as
// orders and fences allow it; else this machine is sequentially consistent, and orders and fences mean nothing.
#pragma once

#include <simulation/simulator/operations.hpp>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

namespace ramie::sim {

template <class T>
class atomic {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  using order = std::memory_order;

 public:
  constexpr atomic() { created(); }
  constexpr explicit(false) atomic(T value) : m_value(value) { created(); }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  [[nodiscard]] T load(order wanted = std::memory_order_seq_cst, where at = where::current()) const {
    return look(operation::load, wanted, at);
  }
  void store(T value, order wanted = std::memory_order_seq_cst, where at = where::current()) {
    put(value, in_manner(wanted, take_turn(operation::store, this, at)));
  }
  T exchange(T value, order wanted = std::memory_order_seq_cst, where at = where::current()) {
    return change(operation::exchange, at, wanted, wanted, [value](T) { return std::optional<T>(value); });
  }
  T fetch_add(T amount, order wanted = std::memory_order_seq_cst, where at = where::current()) {
    return change(operation::add, at, wanted, wanted,
                  [amount](T before) { return std::optional<T>(static_cast<T>(before + amount)); });
  }
  T fetch_sub(T amount, order wanted = std::memory_order_seq_cst, where at = where::current()) {
    return change(operation::add, at, wanted, wanted,
                  [amount](T before) { return std::optional<T>(static_cast<T>(before - amount)); });
  }
  bool compare_exchange_strong(T& expected, T value, order success, order failure, where at = where::current()) {
    const T wanted = expected;
    expected = change(operation::compare_exchange, at, success, failure,
                      [&](T found) { return found == wanted ? std::optional<T>(value) : std::nullopt; });
    return expected == wanted;
  }
  bool compare_exchange_strong(T& expected, T value, order success, where at = where::current()) {
    const order failure = success == std::memory_order_acq_rel   ? std::memory_order_acquire
                          : success == std::memory_order_release ? std::memory_order_relaxed
                                                                 : success;
    return compare_exchange_strong(expected, value, success, failure, at);
  }
  // Fails only where the value differs: what a spurious failure does to a loop, another thread's success does too.
  bool compare_exchange_weak(T& expected, T value, order success, order failure, where at = where::current()) {
    return compare_exchange_strong(expected, value, success, failure, at);
  }
  bool compare_exchange_weak(T& expected, T value, order success, where at = where::current()) {
    return compare_exchange_strong(expected, value, success, at);
  }

 private:
  friend struct provider;

  constexpr void created() {
    if (std::is_constant_evaluated()) return;
    if (weak::weak_memory* const memory = weak_memory()) memory->create(weak_thread(), this, bits(m_value));
  }
  static T of_bits(std::uint64_t all) {
    T made;
    std::memcpy(&made, &all, sizeof made);
    return made;
  }
  static order in_manner(order wanted, manner how) {
    return how == manner::weaker ? std::memory_order_relaxed : wanted;
  }

  T look(operation what, order wanted, where at) const {
    wanted = in_manner(wanted, take_turn(what, this, at));
    T found = m_value;
    if (weak::weak_memory* const memory = weak_memory()) {
      found = of_bits(memory->load(weak_thread(), this, bits(m_value), wanted));
    }
    accessed(bits(found), bits(found));
    return found;
  }
  void put(T value, order wanted) {
    const T before = m_value;
    if (weak::weak_memory* const memory = weak_memory()) {
      m_value = of_bits(memory->store(weak_thread(), this, bits(before), bits(value), wanted));
    } else {
      m_value = value;
    }
    accessed(bits(before), bits(value));
  }

  // `next` says what is stored instead of what is found, if something is.
  template <class Next>
  T change(operation what, where at, order success, order failure, Next next) {
    const manner how = take_turn(what, this, at);
    weak::weak_memory* const memory = weak_memory();
    if (how == manner::faulty) {
      const T before =
          memory == nullptr ? m_value : of_bits(memory->load(weak_thread(), this, bits(m_value), of_load(success)));
      const std::optional<T> after = next(before);
      if (after) take_turn(operation::store, this, at);  // others may come in between
      if (after) put(*after, of_store(success));
      return before;
    }
    T before = m_value;
    std::optional<T> after;
    if (memory != nullptr) {
      success = in_manner(success, how);
      failure = in_manner(failure, how);
      const auto [found, newest] =
          memory->update(weak_thread(), this, bits(m_value), success, failure, [&](std::uint64_t old) {
            const std::optional<T> stored = next(of_bits(old));
            return stored ? std::optional(bits(*stored)) : std::nullopt;
          });
      before = of_bits(found);
      after = next(before);
      m_value = of_bits(newest);
    } else {
      after = next(before);
      if (after) m_value = *after;
    }
    accessed(bits(before), bits(after.value_or(before)));
    return before;
  }
  // The halves of a torn read-modify-write.
  static order of_load(order both) {
    if (both == std::memory_order_acq_rel) return std::memory_order_acquire;
    return both == std::memory_order_release ? std::memory_order_relaxed : both;
  }
  static order of_store(order both) {
    if (both == std::memory_order_acq_rel) return std::memory_order_release;
    return both == std::memory_order_acquire ? std::memory_order_relaxed : both;
  }

  T m_value{};  // the newest
};

/// A cell that is no atomic: others may come before each access, so that a lock which does not keep them out shows.
/// Where the memory is weak, a data race ends the run.
template <class T>
class plain {
 public:
  constexpr explicit(false) plain(T value = T{}) : m_value(std::move(value)) { created(); }
  plain(const plain& other) : m_value(other.read()) { created(); }
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
    if (weak::weak_memory* const memory = weak_memory()) {
      memory->read_plain(weak_thread(), this);
      check_accessed();
    }
    return m_value;
  }
  [[nodiscard]] T& write(where at = where::current()) {
    take_turn(operation::plain_write, this, at);
    if (weak::weak_memory* const memory = weak_memory()) {
      memory->write_plain(weak_thread(), this);
      check_accessed();
    }
    return m_value;
  }

 private:
  constexpr void created() {
    if (std::is_constant_evaluated()) return;
    if (weak::weak_memory* const memory = weak_memory()) memory->create_plain(weak_thread(), this);
  }

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

  // Steps, also where they order nothing: between them is where others come.
  static void fence_seq_cst(where at = where::current()) {
    if (take_turn(operation::fence, nullptr, at) == manner::weaker) return;
    if (weak::weak_memory* const memory = weak_memory()) memory->fence(weak_thread(), std::memory_order_seq_cst);
  }
  static void fence_light(where at = where::current()) {
    if (take_turn(operation::light_fence, nullptr, at) == manner::weaker) return;
    if (weak::weak_memory* const memory = weak_memory()) memory->light_fence(weak_thread());
  }
  static constexpr bool light_fences_are_free() noexcept { return true; }
  static bool test_after_light_fence_if_free(const atomic<bool>& flag, where at = where::current()) {
    fence_light(at);
    return flag.load(std::memory_order_relaxed, at);
  }
  static void fence_heavy(where at = where::current()) {
    if (take_turn(operation::heavy_fence, nullptr, at) == manner::weaker) return;
    if (weak::weak_memory* const memory = weak_memory()) memory->heavy_fence(weak_thread());
  }

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
    std::uint32_t found = word.m_value;
    if (weak::weak_memory* const memory = weak_memory()) {  // the kernel looks under its lock
      memory->lock_futex(weak_thread(), &word);
      found = static_cast<std::uint32_t>(memory->load(weak_thread(), &word, found, std::memory_order_relaxed));
      memory->unlock_futex(weak_thread(), &word);
    }
    accessed(found, expected);
    return running() && (found == expected || how == manner::faulty);
  }
};

}  // namespace ramie::sim

namespace ramie {
using native_provider = sim::provider;
}
