#include <ramie/job/job.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/base/error.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/scheduler/suspend.hpp>

#include <new>
#include <string>

namespace ramie::job {
namespace detail {
namespace {

void push_to(job_item& ready, runtime& home);

// Takes the function that destroys what a job's function has captured out of the job's only function pointer.
void destroy_captures(job_item& ended, runtime& home) noexcept {
  if (!ended.is(job_item::has_end)) return;
  call_frame last{.home = home, .purpose = call_purpose::end};
  ended.call(ended, last);
}

void free_memory(job_item& ended, runtime& home) noexcept { home.free_task_memory(&ended, ended.size()); }

// Takes the notes out of a list that nobody changes, and leaves the rest in its order.
work_item* take_notes(work_item*& list) {
  work_item* notes = nullptr;
  for (work_item** at = &list; *at != nullptr;) {
    work_item& each = **at;
    if (each.kind == work_kind::note) {
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

void drop(job_item& never_run, runtime& home) noexcept {
  call_frame last{.home = home, .purpose = call_purpose::drop};
  never_run.call(never_run, last);
  settle(last);
}

void push_surely(job_item& ready, runtime& home) noexcept {
  try {
    push_to(ready, home);
  } catch (const std::bad_alloc&) {
    home.submit_without_memory(ready);
  }
}

[[noreturn]] void nobody_waits(const error_note& thrown) noexcept {
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

// Where the job was dropped, so are its continuations.
void go_on_with(work_item* list, const call_frame& frame) noexcept {
  while (list != nullptr) {
    work_item& each = *list;
    list = each.next;
    if (each.kind != work_kind::call) {
      wake(each);
    } else if (frame.purpose == call_purpose::drop) {
      drop(static_cast<job_item&>(each), frame.home);
    } else {
      push_surely(static_cast<job_item&>(each), frame.home);
    }
  }
}

// A child of `parent` is done. See job_item.hpp for what is put off.
void finish_child(job_item* parent, call_frame& frame) noexcept {
  if (parent == nullptr) return;
  if (frame.subject != parent) settle(frame);
  frame.subject = parent;
  frame.settle = &settle;
  --frame.amount;
}

void finish_kept(job_item& done, call_frame& frame) noexcept {
  job_item* const parent = done.parent;
  // Who waits may put itself before the notes, and does not touch them.
  work_item* before = done.after.look();
  error_note* thrown = nullptr;
  for (work_item* each = before; each != nullptr; each = each->next) {
    if (each->kind == work_kind::note) thrown = static_cast<error_note*>(each);  // the last one is the oldest
  }
  done.error = thrown;
  work_item* list = done.after.finish();
  // From here on it may be gone.
  work_item* rest = take_notes(list);
  while (rest != nullptr) {
    auto* const dropped = static_cast<error_note*>(rest);
    rest = rest->next;
    if (dropped != thrown) delete dropped;
  }
  go_on_with(list, frame);
  finish_child(parent, frame);
}

void finish_alone(job_item& done, call_frame& frame) noexcept {
  job_item* const parent = done.parent;
  work_item* list = done.after.look();
  if (list != nullptr) [[unlikely]] {
    if (error_note* const thrown = first_of(take_notes(list)); thrown != nullptr) {
      if (parent == nullptr) nobody_waits(*thrown);
      static_cast<void>(parent->after.add(*thrown));  // it is not done: we are a part of it
    }
  }
  free_memory(done, frame.home);
  go_on_with(list, frame);
  finish_child(parent, frame);
}

}  // namespace

void complete(job_item& done, call_frame& frame) noexcept {
  destroy_captures(done, frame.home);
  done.is(job_item::kept) ? finish_kept(done, frame) : finish_alone(done, frame);
}

void settle(call_frame& frame) noexcept {
  while (frame.subject != nullptr) {
    auto& parent = *static_cast<job_item*>(std::exchange(frame.subject, nullptr));
    const auto behind = static_cast<std::uint32_t>(std::exchange(frame.amount, 0));
    if (parent.left().add_up_to_zero(behind)) complete(parent, frame);
  }
}

void keep_error(job_item& thrower, std::exception_ptr error) noexcept {
  static_cast<void>(thrower.after.add(*new error_note(std::move(error))));
}

void act_otherwise(job_item& mine, call_frame& frame, void (*destroy)(job_item&)) noexcept {
  switch (frame.purpose) {
    case call_purpose::end: return destroy(mine);
    case call_purpose::refuse: keep_error(mine, std::move(frame.reason)); break;
    case call_purpose::drop:
      if (mine.is(job_item::kept)) {
        keep_error(mine, std::make_exception_ptr(misuse("the runtime ended before a job was run; start it first")));
      }
      break;
    case call_purpose::run: break;
  }
  begin(mine, frame);
  end(mine, frame, 0, mine.size());
  frame.purpose = call_purpose::run;  // for its parent
}

void push_observed(job_item& ready, runtime& home) {
  home.spawn([&ready, &home] {
        call_frame alone{.home = home};
        ready.call(ready, alone);
        settle(alone);
      })
      .detach();
}

void discard(job_item& never_pushed) noexcept { drop(never_pushed, worker::current()->home()); }

namespace {

void push_to(job_item& ready, runtime& home) {
  if (ramie::detail::someone_observes()) return push_observed(ready, home);
  home.submit(ready);
}

// Of a handle that is to be run, once.
job_item& runnable(const handle& given, const char* call) {
  job_item* const found = given.get();
  if (found == nullptr)
    throw misuse(std::string(call) + " was given an empty handle: its job was given away or waited for");
  if (found->is(job_item::was_run)) throw misuse(std::string(call) + " was given a job that was run before");
  if (found->is(job_item::attached)) {
    throw misuse(std::string(call) + " was given a continuation: it is run when the job that it follows is done");
  }
  return *found;
}

void run_job(const handle& given, std::uint8_t flags) {
  job_item& ready = runnable(given, "ramie::job::run()");
  ready.bits |= flags;
  try {
    push_to(ready, given.home());
  } catch (...) {
    ready.bits &= static_cast<std::uint8_t>(~flags);
    throw;
  }
}

void attach(const handle& ancestor, job_item& continuation, std::uint8_t flags) {
  job_item& followed = runnable(ancestor, "ramie::job::add_continuation()");
  continuation.bits |= flags;
  static_cast<void>(followed.after.add(continuation));
}

}  // namespace
}  // namespace detail

using detail::job_item;

void handle::release() noexcept {
  job_item& left = *give_away();
  if (left.is(job_item::was_run) || left.is(job_item::attached)) {
    ramie::detail::fail("the handle of a job that was run was destroyed or overwritten.",
                        "Call ramie::job::wait() on it first, or give it to run() by std::move.");
  }
  detail::drop(left, home());
}

void run(handle& kept) { detail::run_job(kept, job_item::was_run | job_item::kept); }

void run(handle&& given_away) {
  detail::run_job(given_away, job_item::was_run);
  given_away.give_away();
}

void add_continuation(const handle& ancestor, handle& kept) {
  detail::attach(ancestor, detail::runnable(kept, "ramie::job::add_continuation()"),
                 job_item::attached | job_item::kept);
}

void add_continuation(const handle& ancestor, handle&& given_away) {
  detail::attach(ancestor, detail::runnable(given_away, "ramie::job::add_continuation()"), job_item::attached);
  given_away.give_away();
}

void wait(handle& kept) {
  job_item* const awaited = kept.get();
  if (awaited == nullptr) throw misuse("ramie::job::wait() was given an empty handle");
  if (!awaited->is(job_item::kept))
    throw misuse("ramie::job::wait() was given a job that was not run: call run() first");
  if (!awaited->after.is_finished()) {
    worker* const here = worker::current();
    if (here != nullptr && here->current_fiber() != nullptr) {
      here->suspend(
          [](worker& on, fiber& left, void* of) {
            if (!static_cast<job_item*>(of)->after.add(left)) on.push_ready(left);
          },
          awaited);
    } else {
      thread_parker& mine = thread_parker::of_this_thread();
      if (awaited->after.add(mine)) mine.park();
    }
  }
  const std::unique_ptr<detail::error_note> thrown(awaited->error);
  detail::free_memory(*kept.give_away(), kept.home());
  if (thrown != nullptr) std::rethrow_exception(thrown->error);
}

}  // namespace ramie::job
