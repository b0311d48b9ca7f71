// A job in a cache line, and the count that says when it is done.
//
//   offset  0  next     8 kind, bits, number of lines   12 count   16 the function that runs it
//          24  parent  32 after                         40 what its function captures
//
// count and after are explained in job_words.hpp. `after` is only finished where somebody has kept the handle.
//
// A worker that runs jobs one after another defers changes of their parent's count: it does not count them down as long
// as they have the same parent, and does not add a job's children as long as it runs just those. The parent, and by how
// much its count is behind, are in deferred_changes in the call_frame. The worker catches up before it does anything
// else but run a child of that parent (begin()). So a waiter is late by one running child at most, and without that
// child the parent is not done anyhow.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/min_max.hpp>
#include <ramie/job/job_words.hpp>
#include <ramie/scheduler/call_item.hpp>
#include <ramie/scheduler/worker.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>

namespace ramie::job::detail {

class job_item;

/// An exception on its way up.
struct error_note final : work_item {
  explicit error_note(std::exception_ptr what) : work_item(work_kind::other), error(std::move(what)) {}
  std::exception_ptr error;
};

class job_item : public ramie::detail::call_item {
 public:
  enum flag : std::uint8_t {
    kept = 1,                // somebody waits, or will
    has_captures = 2,        // its function has captures, which must be destroyed
    only_captures_left = 4,  // it is done, but its captures are left to destroy
    // Why one that is kept was not run, which needs no memory to say:
    was_dropped = 8,     // the runtime has ended
    was_discarded = 16,  // the job that it was to follow was discarded
  };

  job_item(function acts, job_item* of, std::size_t size, bool with_captures)
      : ramie::detail::call_item(acts), parent(of) {
    left().begin();
    if (with_captures) set(has_captures);
    bytes_of_maker[1] = static_cast<std::uint8_t>(
        ramie::detail::min_of<std::size_t>((size + cache_line_size - 1) / cache_line_size, 255));
  }

  [[nodiscard]] bool is(flag asked) const { return (bytes_of_maker[0] & asked) != 0; }
  void set(flag which) { bytes_of_maker[0] |= which; }
  void clear(flag which) { bytes_of_maker[0] &= static_cast<std::uint8_t>(~which); }
  /// The size for free_task_memory().
  [[nodiscard]] std::size_t size() const { return bytes_of_maker[1] * cache_line_size; }

  /// Of its children and its function; see there.
  [[nodiscard]] open_count<> left() { return open_count<>(word_of_maker); }

  /// Whether it has children that are not done. For a caller that may add some.
  [[nodiscard]] bool has_children() { return !left().has_nothing_left(); }

  /// Nobody waits for it, nothing follows it, and nothing is to be destroyed.
  [[nodiscard]] bool leaves_nothing() const {
    return (bytes_of_maker[0] & (kept | has_captures)) == 0 && after.look() == nullptr;
  }

  union {
    job_item* parent;
    error_note* error;  // when it is done
  };

  after_list<work_item> after;

 protected:
  ~job_item() = default;
};
static_assert(sizeof(job_item) == 40);

/// The changes of counts that a worker puts off while it runs jobs one after another.
struct deferred_changes {
  job_item* parent;     // null: none is behind
  std::int64_t amount;  // to be added to its count
  work_item* dropped;   // jobs that are to be dropped
};
[[gnu::always_inline]] inline deferred_changes& deferred_changes_in(ramie::detail::call_frame& frame) {
  static_assert(sizeof(deferred_changes) <= sizeof frame.of_maker && std::is_trivially_copyable_v<deferred_changes>);
  return *std::launder(reinterpret_cast<deferred_changes*>(frame.of_maker.data()));
}

/// The call of a job for any other purpose than to run its function: end, refuse, drop. `destroy` is for the purpose
/// `end`.
void handle_other_purpose(job_item& mine, ramie::detail::call_frame& frame, void (*destroy)(job_item&)) noexcept;
/// The note of an exception, in the job's own list.
void keep_error(job_item& thrower, std::exception_ptr error) noexcept;
/// All that is put off. Runs no function of the user: such a function becomes a call of its own, for it may wait for
/// something that the worker holds in its hand meanwhile.
void catch_up(ramie::detail::call_frame& frame) noexcept;
/// The job is done: releases its followers, and counts it down on its parent.
void complete(job_item& done, ramie::detail::call_frame& frame) noexcept;
/// Where the runtime is observed: as a task, which observers know.
void push_observed(job_item& ready, runtime& home);
/// On a worker: the job could not be pushed.
void discard(job_item& never_pushed) noexcept;

/// On a worker. Throws std::bad_alloc, and it was not pushed then.
[[gnu::always_inline]] inline void push(job_item& ready) {
  worker& here = *worker::current();
  if (ramie::detail::someone_observes()) [[unlikely]]
    return push_observed(ready, here.home());
  here.push_call(ready);
}

[[gnu::always_inline]] inline void begin(const job_item& mine, ramie::detail::call_frame& frame) {
  const job_item* const behind = deferred_changes_in(frame).parent;
  if (behind != nullptr && behind != mine.parent) [[unlikely]]
    catch_up(frame);
}

/// Its function has returned, after it has run `children` that the count does not have. `size`: of the whole job.
[[gnu::always_inline]] inline void end(job_item& mine, ramie::detail::call_frame& frame, std::uint32_t children,
                                       std::size_t size) {
  if (children != 0) {
    // Most likely the children run here next.
    deferred_changes& later = deferred_changes_in(frame);
    if (later.parent != nullptr) catch_up(frame);
    later.parent = &mine;
    later.amount = std::int64_t{children} - open_count<>::open;
    frame.before_other_work = &catch_up;
    return;
  }
  const bool is_done = mine.left().has_nothing_left();
  deferred_changes& later = deferred_changes_in(frame);
  if (is_done && mine.leaves_nothing() && mine.parent == later.parent && later.parent != nullptr) [[likely]] {
    worker::current()->free_task_memory(&mine, size);
    --later.amount;
  } else if (is_done || mine.left().add_up_to_zero(-open_count<>::open)) {
    complete(mine, frame);
  }
}

}  // namespace ramie::job::detail
