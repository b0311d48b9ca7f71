// The futures of the locked pool: what each layout has of a status, of values, of a way to the pool and to its lock.
//
// The states of a task: queued (in one list), begun (by one worker, the thief), finished. A future that nobody wants
// any more is marked before that, and freed by the worker that finishes it. The lock of the list in which the task was
// queued guards all but the last step.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ablation/locked_pool/parts.hpp"

namespace bench::locked {

using layout = locked_future_layout;

/// A field for each. All is for the holder of the lock, but finished() and finish().
template <class Id>
class status_fields {
 public:
  explicit status_fields(Id) {}

  /// Any thread. Then the result is there, and no worker touches the future any more.
  // [E1] acquire: pairs with [E2], [E3]. Weaker: the result would be read before it is written. A waiter that is going
  // to sleep asks with seq_cst: pairs with [E2]; see wait() in end.hpp.
  [[nodiscard]] bool finished(std::memory_order order = std::memory_order_acquire) const {
    return m_stage.load(order) == stage::finished;
  }
  /// By the worker that ran it, without the lock. Returns whether it is unwanted, and so the caller's.
  // [E2] seq_cst: publishes the result to [E1]; and it is the fence of the source, before which it comes and after
  // which the worker looks for threads that wait. Weaker: one of them sleeps for ever, see wait() in end.hpp.
  [[nodiscard]] bool finish() { return m_stage.exchange(stage::finished) == stage::unwanted; }
  /// The same with the lock, which keeps abandon() out.
  [[nodiscard]] bool finish_locked() {
    const bool unwanted = m_stage.load(std::memory_order_relaxed) == stage::unwanted;
    m_stage.store(stage::finished, std::memory_order_release);  // [E3] as [E2]; a sleeper is woken under the same lock
    return unwanted;
  }
  /// Nobody wants the result. False: too late, it has finished.
  // A read-modify-write, because finish() is no critical section. Acquire: as [E1], the future is about to be reused.
  [[nodiscard]] bool abandon() {
    return m_stage.exchange(stage::unwanted, std::memory_order_acq_rel) != stage::finished;
  }

  [[nodiscard]] bool begun() const { return m_begun; }
  void begin(Id thief) {
    m_thief = thief;
    m_begun = true;
  }
  /// Once it has been begun, also without the lock.
  [[nodiscard]] Id thief() const { return m_thief; }

 private:
  enum class stage : std::uint8_t { wanted, unwanted, finished };
  atomic<stage> m_stage{stage::wanted};
  bool m_begun = false;
  Id m_thief{};
};

/// The same in one word. `number` is the thief's.
template <class Id>
class status_bits {
 public:
  explicit status_bits(Id) {}

  // Orders as in status_fields.
  [[nodiscard]] bool finished(std::memory_order order = std::memory_order_acquire) const {
    return (m_word.load(order) & finished_bit) != 0;
  }
  [[nodiscard]] bool finish() { return (m_word.exchange(finished_bit) & unwanted_bit) != 0; }
  [[nodiscard]] bool finish_locked() {
    const bool unwanted = (now() & unwanted_bit) != 0;
    m_word.store(finished_bit, std::memory_order_release);
    return unwanted;
  }
  [[nodiscard]] bool abandon() {
    return (m_word.fetch_add(unwanted_bit, std::memory_order_acq_rel) & finished_bit) == 0;
  }
  [[nodiscard]] bool begun() const { return (now() & (begun_bit | finished_bit)) != 0; }
  // Relaxed: under the lock, as abandon() is, and the worker itself finishes it.
  void begin(Id thief) {
    m_word.store(now() | begun_bit | static_cast<std::uint32_t>(thief) << number_shift, std::memory_order_relaxed);
  }
  // Of a future that has finished meanwhile it is some worker's, and the caller sees that it has finished next.
  [[nodiscard]] Id thief() const { return static_cast<Id>(now() >> number_shift); }

 private:
  static constexpr std::uint32_t finished_bit = 1;
  static constexpr std::uint32_t begun_bit = 2;
  static constexpr std::uint32_t unwanted_bit = 4;
  static constexpr unsigned number_shift = 3;
  // Relaxed: publishes nothing.
  [[nodiscard]] std::uint32_t now() const { return m_word.load(std::memory_order_relaxed); }

  atomic<std::uint32_t> m_word{0};
};

/// The same, and threads sleep on it. `number` is the list's before it is begun, and the thief's then. Any thread may
/// mark it as unwanted or waited for, without a lock, so every change is a read-modify-write.
template <class Id>
class status_futex {
 public:
  explicit status_futex(Id list) : m_word(static_cast<std::uint32_t>(list) << number_shift) {}

  // Orders as in status_fields.
  [[nodiscard]] bool finished(std::memory_order order = std::memory_order_acquire) const {
    return (m_word.load(order) & finished_bit) != 0;
  }
  /// Also wakes the sleepers. By then the word may be gone: only its address counts.
  [[nodiscard]] bool finish() {
    const std::uint32_t before = m_word.exchange(finished_bit);
    if ((before & waited_bit) != 0) ramie::native_provider::futex_wake(m_word, every_sleeper);
    return (before & unwanted_bit) != 0;
  }
  [[nodiscard]] bool abandon() {
    return (m_word.fetch_add(unwanted_bit, std::memory_order_acq_rel) & finished_bit) == 0;
  }
  /// Sleeps until it has finished, or `called` is set.
  // The kernel compares the word and sleeps in one step, so that neither finish() nor call() comes in between.
  void wait(const atomic<bool>& called) {
    for (std::uint32_t seen = m_word.load(std::memory_order_acquire); (seen & finished_bit) == 0;
         seen = m_word.load(std::memory_order_acquire)) {
      // [E6] relaxed: after the load of the word, which acquires what call() has released. Weaker: a thread that has
      // been called sleeps on.
      if (called.load(std::memory_order_relaxed)) return;
      // Relaxed: the mark publishes nothing; finish() reads it from the word that it changes.
      const std::uint32_t marked = seen | waited_bit;
      if (seen != marked && !m_word.compare_exchange_strong(seen, marked, std::memory_order_relaxed)) continue;
      ramie::native_provider::futex_wait(m_word, marked);
    }
  }
  /// After `called` has been set; wakes the sleepers. The future must be there still.
  // Release: pairs with the load before [E6]. The count only makes the word another one for the kernel: it goes round
  // after 32,768 calls, eight for each worker that there can be, between a load and the sleep that follows.
  void call() {
    m_word.fetch_add(one_call, std::memory_order_release);
    ramie::native_provider::futex_wake(m_word, every_sleeper);
  }

  [[nodiscard]] bool begun() const { return (now() & (begun_bit | finished_bit)) != 0; }
  /// Where it is queued; false if it has been begun. Another moment's answer, but for the holder of that list's lock.
  [[nodiscard]] bool queued(Id& list) const {
    const std::uint32_t word = now();
    list = static_cast<Id>(number_in(word));
    return (word & (begun_bit | finished_bit)) == 0;
  }
  // Adds the difference of the numbers and leaves the marks of others as they are; what it borrows comes from the
  // calls. Relaxed: the list's lock orders it before queued() of others that hold it; for the rest it is another
  // moment's answer.
  void begin(Id thief) {
    const std::uint32_t list = number_in(now());
    m_word.fetch_add(((static_cast<std::uint32_t>(thief) - list) << number_shift) + begun_bit,
                     std::memory_order_relaxed);
  }
  [[nodiscard]] Id thief() const { return static_cast<Id>(number_in(now())); }

 private:
  static constexpr std::uint32_t finished_bit = 1;
  static constexpr std::uint32_t begun_bit = 2;
  static constexpr std::uint32_t unwanted_bit = 4;
  static constexpr std::uint32_t waited_bit = 8;
  static constexpr unsigned number_shift = 4;
  static constexpr std::uint32_t number_mask = 0x1FFF;  // up to 4,096 workers, and the pool
  static constexpr std::uint32_t one_call = (number_mask + 1) << number_shift;
  static constexpr int every_sleeper = 1 << 30;
  [[nodiscard]] static std::uint32_t number_in(std::uint32_t word) { return word >> number_shift & number_mask; }
  // Relaxed: publishes nothing.
  [[nodiscard]] std::uint32_t now() const { return m_word.load(std::memory_order_relaxed); }

  atomic<std::uint32_t> m_word;
};

/// [E2], [E3] publish the result to a thread that asks for it after [E1].
struct two_values {
  explicit two_values(void* given) : m_data(given) {}
  [[nodiscard]] void* data() const { return m_data; }
  [[nodiscard]] void* result() const { return m_result; }
  void set_result(void* found) { m_result = found; }

 private:
  void* m_data;
  void* m_result = nullptr;
};

struct one_value {
  explicit one_value(void* given) : m_data_or_result(given) {}
  [[nodiscard]] void* data() const { return m_data_or_result; }
  [[nodiscard]] void* result() const { return m_data_or_result; }
  void set_result(void* found) { m_data_or_result = found; }

 private:
  void* m_data_or_result;
};

struct with_pool {
  ::locked_pool* pool;
};
struct without_pool {
  explicit without_pool(::locked_pool*) {}
};

/// Where the task was queued. Pointers into the pool: not to be followed once the task has finished, but by a worker.
struct with_home {
  task_list* home;
  ending* end;
};
struct without_home {
  without_home(task_list*, ending*) {}
};

template <layout Layout, class Id>
using status_of =
    std::conditional_t<Layout == LOCKED_FUTURE_FUTEX, status_futex<Id>,
                       std::conditional_t<Layout == LOCKED_FUTURE_STATUS_BITS, status_bits<Id>, status_fields<Id>>>;
template <layout Layout>
using values_of = std::conditional_t<Layout == LOCKED_FUTURE_RESULT_IN_DATA, one_value, two_values>;
template <layout Layout>
using way_to_pool = std::conditional_t<Layout == LOCKED_FUTURE_WITHOUT_POOL, without_pool, with_pool>;
template <layout Layout>
using way_home = std::conditional_t<Layout == LOCKED_FUTURE_FUTEX, without_home, with_home>;

template <layout Layout, class Id>
struct task_future : listed, status_of<Layout, Id>, values_of<Layout>, way_to_pool<Layout>, way_home<Layout> {
  task_future(const engine_functions& of, locked_pool_task_t what, void* given, ::locked_pool* in, task_list* queue,
              ending* at, Id number)
      : listed{{&of}, {}},
        status_of<Layout, Id>(number),
        values_of<Layout>(given),
        way_to_pool<Layout>{in},
        way_home<Layout>{queue, at},
        task(what) {}

  locked_pool_task_t task;
};

}  // namespace bench::locked
