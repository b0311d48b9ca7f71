// The provider of a model: gives the shipped headers atomics, plain cells, fences and futexes of the simulated machine.
// See include/ramie/base/provider.hpp for what a provider is.
#pragma once

#include <model/checker/machine.hpp>

#include <ramie/base/futex_lock.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

namespace ramie::model {

using where = std::source_location;

/// std::atomic of a model. Any thread of a check.
template <class T>
class atomic {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);

 public:
  atomic(T value = T{}, where at = where::current())  // NOLINT(google-explicit-constructor): as std::atomic
      : m_location(machine::current().create(bits(value), at)) {}
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;
  ~atomic() { machine::current().destroy(m_location, {}); }

  [[nodiscard]] T load(std::memory_order order = std::memory_order_seq_cst, where at = where::current()) const {
    mutation::apply(operation::load, at, order);
    return value(machine::current().load(m_location, order, at));
  }

  void store(T desired, std::memory_order order = std::memory_order_seq_cst, where at = where::current()) {
    mutation::apply(operation::store, at, order);
    machine::current().store(m_location, bits(desired), order, at);
  }

  T exchange(T desired, std::memory_order order = std::memory_order_seq_cst, where at = where::current()) {
    return change([desired](T) { return desired; }, order, at);
  }
  T fetch_add(T amount, std::memory_order order = std::memory_order_seq_cst, where at = where::current()) {
    return change([amount](T before) { return static_cast<T>(before + amount); }, order, at);
  }
  T fetch_sub(T amount, std::memory_order order = std::memory_order_seq_cst, where at = where::current()) {
    return change([amount](T before) { return static_cast<T>(before - amount); }, order, at);
  }
  T fetch_or(T mask, std::memory_order order = std::memory_order_seq_cst, where at = where::current()) {
    return change([mask](T before) { return static_cast<T>(before | mask); }, order, at);
  }
  T fetch_and(T mask, std::memory_order order = std::memory_order_seq_cst, where at = where::current()) {
    return change([mask](T before) { return static_cast<T>(before & mask); }, order, at);
  }

  bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure,
                               where at = where::current()) {
    return compare_exchange(expected, desired, success, failure, false, at);
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order order = std::memory_order_seq_cst,
                               where at = where::current()) {
    return compare_exchange(expected, desired, order, of_failure(order), false, at);
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure,
                             where at = where::current()) {
    return compare_exchange(expected, desired, success, failure, true, at);
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order order = std::memory_order_seq_cst,
                             where at = where::current()) {
    return compare_exchange(expected, desired, order, of_failure(order), true, at);
  }

  [[nodiscard]] location_id location() const { return m_location; }

 private:
  static std::uint64_t bits(T value) {
    std::uint64_t all = 0;
    std::memcpy(&all, &value, sizeof(T));
    return all;
  }
  static T value(std::uint64_t bits) {
    T made;
    std::memcpy(&made, &bits, sizeof(T));
    return made;
  }
  static std::memory_order of_failure(std::memory_order order) {
    if (order == std::memory_order_acq_rel) return std::memory_order_acquire;
    return order == std::memory_order_release ? std::memory_order_relaxed : order;
  }
  // The two halves of a read-modify-write's order: the load's and the store's.
  static std::memory_order of_store(std::memory_order order) {
    if (order == std::memory_order_acq_rel) return std::memory_order_release;
    return order == std::memory_order_acquire ? std::memory_order_relaxed : order;
  }

  template <class Change>
  T change(Change next, std::memory_order order, where at) {
    machine& here = machine::current();
    if (mutation::apply(operation::update, at, order) == mutant::fault::torn) {
      const T before = value(here.load(m_location, of_failure(order), at));
      here.store(m_location, bits(next(before)), of_store(order), at);
      return before;
    }
    return value(
        here.update(m_location, [&next](std::uint64_t before) { return bits(next(value(before))); }, order, at));
  }

  bool compare_exchange(T& expected, T desired, std::memory_order success, std::memory_order failure, bool weak,
                        where at) {
    machine& here = machine::current();
    if (mutation::apply(operation::compare_exchange, at, success, &failure) == mutant::fault::torn) {
      const T found = value(here.load(m_location, of_failure(success), at));
      if (bits(found) == bits(expected)) {
        here.store(m_location, bits(desired), of_store(success), at);
        return true;
      }
      expected = found;
      return false;
    }
    const auto found = here.compare_exchange(m_location, bits(expected), bits(desired), success, failure, weak, at);
    if (found) expected = value(*found);
    return !found;
  }

  location_id m_location;
};

/// A cell of plain memory: two accesses of which one is a write, and neither happens before the other, fail the check.
template <class T>
class plain {
 public:
  plain(T value = T{}, where at = where::current())  // NOLINT(google-explicit-constructor): as a T
      : m_value(std::move(value)) {
    machine::current().plain_write(m_record, at);
  }
  plain(const plain& other) : plain(other.read(site{})) {}
  plain& operator=(const plain& other) { return *this = other.read(site{}); }
  plain& operator=(T value) {
    write(site{}) = std::move(value);
    return *this;
  }
  ~plain() { machine::current().plain_write(m_record, {}); }

  operator const T&() const { return read(site{}); }  // NOLINT(google-explicit-constructor): as a T
  T const& operator->() const
    requires std::is_pointer_v<T>
  {
    return read(site{});
  }

  [[nodiscard]] const T& read(site at = where::current()) const {
    machine::current().plain_read(m_record, at);
    return m_value;
  }
  [[nodiscard]] T& write(site at = where::current()) {
    machine::current().plain_write(m_record, at);
    return m_value;
  }

 private:
  mutable access_record m_record;
  T m_value;
};

struct provider {
  template <class T>
  using atomic = model::atomic<T>;
  template <class T>
  using plain = model::plain<T>;

  template <class T>
  static const T& reading(const plain<T>& cell, where at = where::current()) {
    return cell.read(at);
  }
  template <class T>
  static T& writing(plain<T>& cell, where at = where::current()) {
    return cell.write(at);
  }

  static void pause(where at = where::current()) { machine::current().pause(at); }
  static void yield_thread(where at = where::current()) { machine::current().pause(at); }
  static constexpr int spins(int /*wanted*/) { return 0; }

  static void fence_seq_cst(where at = where::current()) {
    std::memory_order order = std::memory_order_seq_cst;
    if (mutation::apply(operation::fence, at, order) == mutant::fault::missing) return;
    machine::current().fence(event_kind::fence, order, at);
  }
  static void fence_light(where at = where::current()) {
    fence_of(operation::light_fence, event_kind::light_fence, at);
  }
  static constexpr bool light_fences_are_free() { return true; }
  static bool test_after_light_fence_if_free(const atomic<bool>& flag, where at = where::current()) {
    fence_light(at);
    return flag.load(std::memory_order_relaxed, at);
  }
  static void fence_heavy(where at = where::current()) {
    fence_of(operation::heavy_fence, event_kind::heavy_fence, at);
  }

  static void futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected, where at = where::current()) {
    machine::current().futex_wait(word.location(), expected, at);
  }
  static bool futex_wait_for(const atomic<std::uint32_t>& word, std::uint32_t expected,
                             std::chrono::nanoseconds timeout, where at = where::current()) {
    machine& here = machine::current();
    if (timeout >= here.for_ever()) return here.futex_wait(word.location(), expected, at), true;
    if (here.futex_wait_for(word.location(), expected, at)) return true;
    here.pass(timeout);
    return false;
  }
  static void futex_wake(const atomic<std::uint32_t>& word, int count, where at = where::current()) {
    std::memory_order none = std::memory_order_relaxed;
    if (mutation::apply(operation::wake, at, none) == mutant::fault::missing) return;
    machine::current().futex_wake(word.location(), count, at);
  }

  /// Each thread has a clock of its own, which begins at 0 and stands still but for pass() and waits whose time runs
  /// out: each does in some executions, and no wait for an hour or more in any (check.hpp, waits_never_end_after()).
  static std::chrono::steady_clock::time_point now() {
    return std::chrono::steady_clock::time_point(machine::current().now());
  }
  static void pass(std::chrono::nanoseconds time) { machine::current().pass(time); }

  static void* allocate(std::size_t size, std::size_t alignment) { return allocate_in_arena(size, alignment); }
  static void deallocate(void* /*pointer*/, std::size_t /*size*/, std::size_t /*alignment*/) noexcept {}

 private:
  static void fence_of(operation what, event_kind kind, where at) {
    std::memory_order none = std::memory_order_relaxed;
    if (mutation::apply(what, at, none) != mutant::fault::missing) machine::current().fence(kind, none, at);
  }
};

/// The promises of a lock, and nothing of how: one event to take it, one to give it back. futex_lock is checked by
/// itself; everything that stands on a lock is checked with this one.
class ideal_lock {
 public:
  explicit ideal_lock(site at = where::current()) : m_location(machine::current().create(0, at)) {}
  ideal_lock(const ideal_lock&) = delete;
  ideal_lock& operator=(const ideal_lock&) = delete;
  ~ideal_lock() { machine::current().destroy(m_location, {}); }

  void lock(site at = where::current()) {
    if (is_left_out(at)) return;
    machine::current().update(
        m_location, [](std::uint64_t) { return std::uint64_t{1}; }, std::memory_order_acquire, at,
        predicate{predicate::test::equal, 0});
  }
  [[nodiscard]] bool try_lock(site at = where::current()) {
    if (is_left_out(at)) return true;
    return !machine::current().compare_exchange(m_location, 0, 1, std::memory_order_acquire, std::memory_order_relaxed,
                                                false, at);
  }
  void unlock(site at = where::current()) { machine::current().store(m_location, 0, std::memory_order_release, at); }

 private:
  static bool is_left_out(site at) {
    std::memory_order none = std::memory_order_relaxed;
    return mutation::apply(operation::lock, at, none) == mutant::fault::missing;
  }

  location_id m_location;
};

}  // namespace ramie::model

template <>
struct ramie::detail::lock_of<ramie::model::provider> {
  using type = ramie::model::ideal_lock;
};
