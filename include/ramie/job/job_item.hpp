// A job in a cache line, and the count that says when it is done.
//
//   offset  0  next     8 kind, bits, number of lines   12 count   16 the function that runs it
//          24  parent  32 after                         40 what its function captures
//
// count    of what is left before the job is done: its children, and while its function has not returned, `open`. So a
//          job that has children that come and go is not done while it runs, and whoever brings the count to 0 does
//          what is to be done then. The function's own children are added when it returns, all at once.
// after    a list of what follows: continuations, the one that waits, notes of exceptions. `finished` when all has been
//          taken from it; only where somebody has kept the handle.
//
// A worker that runs jobs one after another puts off to count them down as long as they have the same parent:
// call_frame has the parent as its subject, and by how much it is behind. It catches up before it does anything else
// but run a child of that parent (begin()), so nothing that anybody waits for is late by more than a child that is
// running, and without which the parent is not done anyhow.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/scheduler/call_item.hpp>
#include <ramie/scheduler/fast_paths.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace ramie::job::detail {

class job_item;

/// An exception on its way up.
struct error_note final : work_item {
  explicit error_note(std::exception_ptr what) : work_item(work_kind::note), error(std::move(what)) {}
  std::exception_ptr error;
};

class job_item : public call_item {
 public:
  static constexpr std::uint32_t open = std::uint32_t{1} << 30U;

  enum flag : std::uint8_t {
    was_run = 1,
    kept = 2,      // somebody waits, or will
    has_end = 4,   // what its function captures is to be destroyed
    attached = 8,  // a continuation
  };

  job_item(function acts, job_item* of, std::size_t size, bool with_end) : call_item(acts), parent(of) {
    count.store(open, std::memory_order_relaxed);  // published with the job
    bits = with_end ? has_end : 0;
    number = static_cast<std::uint8_t>(std::min<std::size_t>((size + cache_line_size - 1) / cache_line_size, 255));
  }

  [[nodiscard]] bool is(flag asked) const { return (bits & asked) != 0; }
  /// What free_task_memory() is to be told.
  [[nodiscard]] std::size_t size() const { return number * cache_line_size; }

  /// Whoever may, by create_child().
  void add_child() {
    // relaxed: the count is not 0, because the caller's own part is in it, and what the child does is published by its
    // end.
    count.fetch_add(1, std::memory_order_relaxed);
  }
  /// Adds to the count, modulo 2^32. True: the job is done, and the caller goes on to complete().
  [[nodiscard]] bool count_to_zero(std::uint32_t amount) {
    // [J1] acq_rel: release what was done for the job, to whom the count is 0, who acquires it. Weaker: whoever waits
    // does not see what a child has done, or a child's note is lost.
    return count.fetch_add(amount, std::memory_order_acq_rel) + amount == 0;
  }
  /// Its function has returned, and no child is left: nobody else adds any more.
  [[nodiscard]] bool has_nothing_left() const { return count.load(std::memory_order_acquire) == open; }  // [J1]

  [[nodiscard]] bool is_done() const {
    return after.load(std::memory_order_acquire) == finished();  // [J2], pairs with [J3]
  }
  static work_item* finished() { return reinterpret_cast<work_item*>(std::uintptr_t{1}); }

  /// Puts `item` before the others. False: the job is done, and its list was taken.
  [[nodiscard]] bool add_after(work_item& item) {
    work_item* first = after.load(std::memory_order_acquire);
    do {
      if (first == finished()) return false;
      item.next = first;
      // [J4] release: the item; pairs with [J3]. acquire on failure: [J2].
    } while (!after.compare_exchange_weak(first, &item, std::memory_order_release, std::memory_order_acquire));
    return true;
  }

  /// Nobody waits for it, nothing follows it, and nothing is to be destroyed.
  [[nodiscard]] bool leaves_nothing() const { return (bits & (kept | has_end)) == 0 && list() == nullptr; }

  /// While nothing follows but continuations and notes, for good. Their end is in J1.
  [[nodiscard]] work_item* list() const { return after.load(std::memory_order_acquire); }
  [[nodiscard]] work_item* finish() {
    // [J3] acq_rel: release everything, to [J2]; acquire who waits, from [J4].
    return after.exchange(finished(), std::memory_order_acq_rel);
  }

  union {
    job_item* parent;
    error_note* error;  // when it is done
  };

 protected:
  ~job_item() = default;

 private:
  native_provider::atomic<work_item*> after{nullptr};
};
static_assert(sizeof(job_item) == 40);

/// What it is when its function was called for another purpose than to run.
void act_otherwise(job_item& mine, call_frame& frame, void (*destroy)(job_item&)) noexcept;
/// The note of an exception, in the job's own list.
void keep_error(job_item& thrower, std::exception_ptr error) noexcept;
/// All that is put off.
void settle(call_frame& frame) noexcept;
/// The job is done: what follows, and its parent.
void complete(job_item& done, call_frame& frame) noexcept;
/// Where the runtime is observed: as a task, which observers know.
void push_observed(job_item& ready, runtime& home);
/// On a worker: the job could not be pushed.
void discard(job_item& never_pushed) noexcept;

/// On a worker. Throws std::bad_alloc, and it was not pushed then.
[[gnu::always_inline]] inline void push(job_item& ready) {
  ready.bits |= job_item::was_run;
  worker& here = *worker::current();
  if (ramie::detail::someone_observes()) [[unlikely]]
    return push_observed(ready, here.home());
  here.push_call(ready);
}

[[gnu::always_inline]] inline void begin(const job_item& mine, call_frame& frame) {
  if (frame.subject != nullptr && frame.subject != mine.parent) [[unlikely]]
    settle(frame);
}

/// Its function has returned, after it has run `children`. `size`: of the whole job.
[[gnu::always_inline]] inline void end(job_item& mine, call_frame& frame, std::uint32_t children, std::size_t size) {
  const bool is_done = children == 0 && mine.has_nothing_left();
  if (is_done && mine.leaves_nothing() && mine.parent == frame.subject && frame.subject != nullptr) [[likely]] {
    worker::current()->free_task_memory(&mine, size);
    --frame.amount;
  } else if (is_done || mine.count_to_zero(children - job_item::open)) {
    complete(mine, frame);
  }
}

}  // namespace ramie::job::detail
