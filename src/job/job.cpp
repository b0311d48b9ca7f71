#include <ramie/job/job.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/base/error.hpp>
#include <ramie/base/fork.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/scheduler/cancellation.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/scheduler/this_fiber.hpp>
#include <ramie/scheduler/wait.hpp>
#include <ramie/sync/counter.hpp>

#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_set>
#include <vector>

namespace ramie::job {
namespace detail {
namespace {

void push_to(job_item& ready, runtime& home);

// As scheduler/wait.hpp wants it.
struct end_of_job {
  job_item& of;
  [[nodiscard]] bool set_waiter(work_item& waiter) const { return of.after.add(waiter); }
  [[nodiscard]] bool is_done() const { return of.after.is_finished(); }
};

// Takes the function that destroys what a job's function has captured out of the job's only function pointer.
void destroy_captures(job_item& ended, runtime& home) noexcept {
  if (!ended.is(job_item::has_captures)) return;
  ramie::detail::call_frame last{.home = home, .purpose = ramie::detail::call_purpose::end};
  ended.call(ended, last);
}

void free_memory(job_item& ended, runtime& home) noexcept { home.free_task_memory(&ended, ended.size()); }

// Takes the notes out of a list that nobody changes, and leaves the rest in its order.
work_item* take_notes(work_item*& list) {
  work_item* notes = nullptr;
  for (work_item** at = &list; *at != nullptr;) {
    work_item& each = **at;
    if (each.kind == work_kind::other) {
      *at = each.next;
      each.next = notes;  // the oldest, which is the last in the list, becomes the first
      notes = &each;
    } else {
      at = &each.next;
    }
  }
  return notes;
}

error_note* first_of(work_item* notes) noexcept {
  auto* const first = static_cast<error_note*>(notes);
  if (first == nullptr) return nullptr;
  for (work_item* each = std::exchange(first->next, nullptr); each != nullptr;) {
    auto* const dropped = static_cast<error_note*>(each);
    each = each->next;
    delete dropped;
  }
  return first;
}

// The error of the jobs that were to follow a discarded job. One for all: it is only read.
const std::exception_ptr& why_discarded() {
  static const std::exception_ptr error = std::make_exception_ptr(
      misuse("a job was discarded, and so was not run what follows it: run() every job that has "
             "a continuation, before its handle is destroyed"));
  return error;
}

// And what was to follow it, one after another: a chain of continuations may be long.
void drop(job_item& never_run, runtime& home) noexcept {
  never_run.next = nullptr;
  ramie::detail::call_frame last{.home = home};
  deferred_changes_in(last).dropped = &never_run;
  if (never_run.after.look() != nullptr) last.reason = why_discarded();
  catch_up(last);
}

void push_even_without_memory(job_item& ready, runtime& home) noexcept {
  try {
    push_to(ready, home);
  } catch (const std::bad_alloc&) {
    home.submit_without_memory(ready);
  }
}

[[noreturn]] void fail_unhandled(const error_note& thrown) noexcept {
  std::string what = "something that is no std::exception";
  try {
    std::rethrow_exception(thrown.error);
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): said above
  }
  ramie::detail::fail("an exception left a job that nobody waits for: " + what + ".",
                      "Keep the handle of that job, or of one above it, and call ramie::job::wait() on it.");
}

// A list that nobody else has any more: continuations, and after them waiters.
void release_followers(work_item* list, ramie::detail::call_frame& frame) noexcept {
  work_item* waiting = nullptr;
  while (list != nullptr) {
    work_item& each = *list;
    list = each.next;
    if (each.kind != work_kind::call) {
      each.next = std::exchange(waiting, &each);
    } else if (frame.purpose == ramie::detail::call_purpose::drop) {
      each.next = std::exchange(deferred_changes_in(frame).dropped, &each);
      frame.before_other_work = &catch_up;
    } else {
      push_even_without_memory(static_cast<job_item&>(each), frame.home);
    }
  }
  while (waiting != nullptr) {
    work_item& each = *waiting;
    waiting = each.next;
    wake(each);
  }
}

// A child of `parent` is done. See job_item.hpp for what is put off.
void finish_child(job_item* parent, ramie::detail::call_frame& frame) noexcept {
  if (parent == nullptr) return;
  deferred_changes& later = deferred_changes_in(frame);
  if (later.parent != parent) catch_up(frame);
  later.parent = parent;
  --later.amount;
  frame.before_other_work = &catch_up;
}

void finish_kept(job_item& done, ramie::detail::call_frame& frame) noexcept {
  job_item* const parent = done.parent;
  // Waiters and followers may come before the notes yet, and do not touch them.
  error_note* thrown = nullptr;
  for (work_item* each = done.after.look(); each != nullptr; each = each->next) {
    if (each->kind == work_kind::other) thrown = static_cast<error_note*>(each);  // the last one is the oldest
  }
  work_item* const after_thrown = thrown != nullptr ? thrown->next : nullptr;
  done.error = thrown;
  work_item* list = done.after.finish();
  // From here on the job may be gone, and the note that is thrown.
  work_item* rest = nullptr;
  work_item** end = &rest;
  while (list != nullptr) {
    work_item* const each = list;
    list = each == thrown ? after_thrown : each->next;
    if (each == thrown) continue;
    if (each->kind == work_kind::other) {
      delete static_cast<error_note*>(each);
      continue;
    }
    *end = each;
    end = &each->next;
  }
  *end = nullptr;
  release_followers(rest, frame);
  finish_child(parent, frame);
}

void finish_alone(job_item& done, ramie::detail::call_frame& frame) noexcept {
  job_item* const parent = done.parent;
  work_item* list = done.after.look();
  if (list != nullptr) [[unlikely]] {
    if (error_note* const thrown = first_of(take_notes(list)); thrown != nullptr) {
      if (parent == nullptr) fail_unhandled(*thrown);
      static_cast<void>(parent->after.add(*thrown));  // it is not done: we are a part of it
    }
  }
  free_memory(done, frame.home);
  release_followers(list, frame);
  finish_child(parent, frame);
}

}  // namespace

void complete(job_item& done, ramie::detail::call_frame& frame) noexcept {
  destroy_captures(done, frame.home);
  done.is(job_item::kept) ? finish_kept(done, frame) : finish_alone(done, frame);
}

void catch_up(ramie::detail::call_frame& frame) noexcept {
  deferred_changes& later = deferred_changes_in(frame);
  for (;;) {
    if (later.parent != nullptr) {
      job_item& parent = *std::exchange(later.parent, nullptr);
      const auto behind = static_cast<std::uint32_t>(std::exchange(later.amount, 0));
      if (!parent.left().add_up_to_zero(behind)) continue;
      if (parent.is(job_item::has_captures)) {
        parent.set(job_item::only_captures_left);
        push_even_without_memory(parent, frame.home);
      } else {
        complete(parent, frame);
      }
    } else if (later.dropped != nullptr) {
      auto& dropped = static_cast<job_item&>(*later.dropped);
      later.dropped = dropped.next;
      frame.purpose = ramie::detail::call_purpose::drop;
      dropped.call(dropped, frame);
    } else {
      return;
    }
  }
}

void keep_error(job_item& thrower, std::exception_ptr error) noexcept {
  auto* const note = new (std::nothrow) error_note(std::move(error));
  if (note == nullptr) {
    ramie::detail::fail("an exception left a job, and there is no memory to keep it in.",
                        "Leave some memory, or catch it in the job.");
  }
  static_cast<void>(thrower.after.add(*note));
}

void handle_other_purpose(job_item& mine, ramie::detail::call_frame& frame, void (*destroy)(job_item&)) noexcept {
  if (frame.purpose == ramie::detail::call_purpose::end) return destroy(mine);
  if (mine.is(job_item::only_captures_left)) {  // whatever the purpose: its function has run
    frame.purpose = ramie::detail::call_purpose::run;
    begin(mine, frame);
    return complete(mine, frame);
  }
  if (frame.purpose == ramie::detail::call_purpose::refuse) {
    keep_error(mine, std::exchange(frame.reason, nullptr));
    frame.purpose = ramie::detail::call_purpose::run;
  } else if (mine.is(job_item::kept)) {
    mine.set(frame.reason != nullptr ? job_item::was_discarded : job_item::was_dropped);
  }
  begin(mine, frame);
  end(mine, frame, 0, mine.size());
  frame.purpose = ramie::detail::call_purpose::run;  // for its parent
}

namespace {

// As a task, which observers know. It has no handle: what becomes of it is the job's business.
class observed_job final : public task {
 public:
  observed_job(job_item& of, runtime& home) : task(table, home), m_job(of) { static_cast<void>(detach()); }

 private:
  void act(ramie::detail::call_purpose purpose, std::exception_ptr reason) noexcept {
    ramie::detail::call_frame alone{.home = home(), .purpose = purpose, .reason = std::move(reason)};
    m_job.call(m_job, alone);
    catch_up(alone);
  }
  static void run_job(task& self) noexcept {
    static_cast<observed_job&>(self).act(ramie::detail::call_purpose::run, nullptr);
  }
  static void refuse_job(task& self, std::exception_ptr reason) noexcept {
    const ramie::detail::call_purpose purpose =
        reason != nullptr ? ramie::detail::call_purpose::refuse : ramie::detail::call_purpose::drop;
    static_cast<observed_job&>(self).act(purpose, std::move(reason));
  }
  static void destroy_task(task& self) noexcept { std::destroy_at(&static_cast<observed_job&>(self)); }
  static const task::operations table;

  job_item& m_job;
};
constexpr task::operations observed_job::table{&run_job, &refuse_job, &destroy_task, sizeof(observed_job)};

}  // namespace

void push_observed(job_item& ready, runtime& home) {
  void* const memory = home.allocate_task(sizeof(observed_job));
  auto* const made = ::new (memory) observed_job(ready, home);
  try {
    home.submit(*made);
  } catch (...) {
    static_cast<task*>(made)->destroy();
    home.free_task_memory(memory, sizeof(observed_job));
    throw;
  }
}

void discard(job_item& never_pushed) noexcept { drop(never_pushed, worker::current()->home()); }

runtime& home_of_caller() {
  worker* const here = worker::current();
  return here != nullptr ? here->home() : ramie::detail::runtime_here();
}

void check_parent(const reference& parent, const runtime& home) {
  if (parent.get() == nullptr) throw misuse("ramie::job::create_child() was given an empty handle as the parent");
  if (parent.home() != &home) {
    throw misuse("ramie::job::create_child() was given a parent of another runtime; create its children there");
  }
}

namespace {

void push_to(job_item& ready, runtime& home) {
  if (ramie::detail::someone_observes()) return push_observed(ready, home);
  home.submit(ready);
}

// Of a handle that is to be run, once.
job_item& runnable(const handle& given, const char* call) {
  job_item* const found = given.get();
  if (found == nullptr) {
    throw misuse(std::string(call) + " was given an empty handle: its job was given away or waited for");
  }
  if (given.stage_now() == handle::stage::run) {
    throw misuse(std::string(call) + " was given a job that was run before");
  }
  if (given.stage_now() == handle::stage::follows) {
    throw misuse(std::string(call) + " was given a continuation: it is run when the job that it follows is done");
  }
  return *found;
}

// Whether `awaited` is done only after `first` is: it is that one, or above it, or follows it, and so on. `first` has
// not been run, so whatever is found is not done, and stays where it is.
bool waits_for(const job_item& awaited, const job_item& first) {
  std::vector<const job_item*> to_look_at{&first};
  std::unordered_set<const job_item*> found{&first};
  while (!to_look_at.empty()) {
    const job_item& each = *to_look_at.back();
    to_look_at.pop_back();
    if (&each == &awaited) return true;
    const auto add = [&](const job_item* next) {
      if (next != nullptr && found.insert(next).second) to_look_at.push_back(next);
    };
    add(each.parent);
    for (const work_item* after = each.after.look(); after != nullptr; after = after->next) {
      if (after->kind == work_kind::call) add(static_cast<const job_item*>(after));
    }
  }
  return false;
}

// Throws misuse unless the one may follow the other.
job_item& attachable(const handle& ancestor, const handle& continuation) {
  // If there is no memory for what a follower is told, that shows here, and not when the ancestor is discarded.
  static_cast<void>(why_discarded());
  constexpr const char* call = "ramie::job::add_continuation()";
  job_item& following = runnable(continuation, call);
  // One that follows another job is run with that.
  const bool follows = ancestor.get() != nullptr && ancestor.stage_now() == handle::stage::follows;
  job_item& followed = follows ? *ancestor.get() : runnable(ancestor, call);
  if (&ancestor.home() != &continuation.home()) {
    throw misuse(std::string(call) + " was given jobs of two runtimes; create both on one");
  }
  // One that follows nothing and has no children is waited for by itself alone: no need to look far, for chains may be
  // long.
  const bool found = follows || followed.has_children() ? waits_for(followed, following) : &followed == &following;
  if (found) {
    throw misuse(std::string(call) +
                 " was given a job that would wait for itself: the ancestor is done only after the continuation, which "
                 "is the same job, a job below it, or one that such a job waits for");
  }
  return following;
}

// Edges are added one at a time: two that are allowed each may close a circle together.
constinit futex_lock<> g_edges;

// leave(following) does all else that is to be done with the handle: the job may run, and end, before this returns.
template <class Leave>
void attach(const handle& ancestor, const handle& continuation, Leave leave) {
  job_item* following = nullptr;
  runtime* home = nullptr;
  bool is_done = false;
  ramie::detail::hold_during_fork<g_edges>();
  {
    const std::lock_guard guard(g_edges);
    following = &attachable(ancestor, continuation);
    home = &ancestor.home();
    leave(*following);
    is_done = !ancestor.get()->after.add(*following);
  }
  if (is_done) push_even_without_memory(*following, *home);
}

// Its end, not its call, counts down: it may be dropped.
class count_down_at_end {
 public:
  explicit count_down_at_end(std::shared_ptr<counter> of) : m_of(std::move(of)) {}
  count_down_at_end(count_down_at_end&&) noexcept = default;
  count_down_at_end& operator=(count_down_at_end&&) = delete;
  ~count_down_at_end() {
    if (m_of != nullptr) m_of->decrement();
  }

 private:
  std::shared_ptr<counter> m_of;
};

// Where a scope may end the wait. What follows a job cannot be taken back, so a job of its own follows, which shares a
// counter with the waiter.
void wait_in_scope(job_item& awaited, runtime& home) {
  const auto running = std::make_shared<counter>(1);
  job_item& last = make(worker::current(), home, nullptr, [at_end = count_down_at_end(running)] {});
  if (!awaited.after.add(last)) return drop(last, home);
  wait_for_counter(*running);
}

}  // namespace
}  // namespace detail

using detail::job_item;

void handle::release() noexcept {
  if (m_stage == stage::run) {
    ramie::detail::cancellation* const scope = ramie::detail::unwinding_scope();
    if (scope != nullptr && scope->is_over()) {
      try {
        return wait(*this);  // shielded, as all waits are while an exception is in flight
      } catch (...) {
        return scope->add_failure(ramie::detail::caught_in(nullptr));
      }
    }
  }
  job_item& left = *give_away();
  if (m_stage != stage::created) {
    ramie::detail::fail("the handle of a job that was run was destroyed or overwritten.",
                        "Call ramie::job::wait() on it first, or give it to run() by std::move.");
  }
  detail::drop(left, home());
}

void run(handle& kept) {
  job_item& ready = detail::runnable(kept, "ramie::job::run()");
  ready.set(job_item::kept);
  try {
    detail::push_to(ready, kept.home());
  } catch (...) {
    ready.clear(job_item::kept);
    throw;
  }
  kept.go_to(handle::stage::run);
}

void run(handle&& given_away) {
  detail::push_to(detail::runnable(given_away, "ramie::job::run()"), given_away.home());
  given_away.give_away();
}

void add_continuation(const handle& ancestor, handle& kept) {
  detail::attach(ancestor, kept, [&kept](job_item& following) {
    following.set(job_item::kept);
    kept.go_to(handle::stage::follows);
  });
}

void add_continuation(const handle& ancestor, handle&& given_away) {
  detail::attach(ancestor, given_away, [&given_away](job_item&) { given_away.give_away(); });
}

void wait(handle& kept) {
  job_item* const awaited = kept.get();
  if (awaited == nullptr) throw misuse("ramie::job::wait() was given an empty handle");
  if (kept.stage_now() == handle::stage::created) {
    throw misuse("ramie::job::wait() was given a job that was not run: call run() first");
  }
  // The handle is empty before the wait, and not touched after it: it may have been moved.
  runtime& home = kept.home();
  if (!awaited->after.is_finished()) {
    ramie::detail::before_wait_on_thread(home, "ramie::job::wait()", "the job");
    if (ramie::detail::has_surroundings(worker::current())) [[unlikely]]
      detail::wait_in_scope(*awaited, home);  // may throw cancelled; the handle has the job then
  }
  static_cast<void>(kept.give_away());
  if (!awaited->after.is_finished()) {
    detail::end_of_job end{*awaited};
    ramie::detail::wait_for(worker::current(), end);
  }
  const std::unique_ptr<detail::error_note> thrown(awaited->error);
  const bool was_discarded = awaited->is(job_item::was_discarded);
  const bool was_dropped = awaited->is(job_item::was_dropped);
  detail::free_memory(*awaited, home);
  if (thrown != nullptr) std::rethrow_exception(thrown->error);
  if (was_discarded) std::rethrow_exception(detail::why_discarded());
  if (was_dropped) throw misuse("the runtime ended before a job was run; start it first");
}

}  // namespace ramie::job
