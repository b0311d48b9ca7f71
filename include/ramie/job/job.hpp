// Jobs: small functions with a parent, in the tradition of game engines.
//
//     ramie::job::handle frame = ramie::job::create([&](ramie::job::context& here) {
//       for (particle& each : particles) here.run_child([&each] { update(each); });
//     });
//     ramie::job::run(frame);
//     ramie::job::wait(frame);   // the function has returned, and so have those of all children
//
// After Reinalter's "Job System 2.0: Lock-Free Work Stealing" (molecular-matters.com, 2015 and 2016) and injinj's WSQ:
// a job is done when its function has returned and its children are done; a job and what its function captures fit in
// one cache line, which comes from a pool of the worker; parallel_for splits spans; continuations run when a job is
// done. Differences:
//   - Jobs are work of the runtime like any other, on the queue that its options name (`exchange` is theirs), run by
//     the same workers, and they may block: others go on on another stack. wait() suspends; it runs nobody else's job.
//   - A job is owned: by its handle until it is run, and after that by its handle or, if that was given away, by
//     itself. Nothing is used again before everybody is done with it.
//   - Children that run one after another on one worker are counted down together (see detail::finish_child()): one
//     atomic operation for a row of them.
//   - Exceptions go up, to the nearest ancestor that somebody waits for.
#pragma once

#include <ramie/base/invoke.hpp>
#include <ramie/base/lifetime.hpp>
#include <ramie/job/job_item.hpp>
#include <ramie/scheduler/spawn.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace ramie::job {

/// The right, and the duty, to a job: move only. A job that was not run is discarded with its handle. One that was run,
/// and not given away, must be waited for; otherwise the process ends and says so. Must not outlive the runtime.
class [[nodiscard("run() it")]] handle {
 public:
  handle() = default;
  handle(handle&& other) noexcept
      : m_job(std::exchange(other.m_job, nullptr)), m_home(other.m_home), m_stage(other.m_stage) {}
  handle& operator=(handle&& other) noexcept {
    if (&other == this) return *this;
    if (m_job != nullptr) release();
    m_job = std::exchange(other.m_job, nullptr);
    m_home = other.m_home;
    m_stage = other.m_stage;
    return *this;
  }
  ~handle() {
    if (m_job != nullptr) [[unlikely]]
      release();
  }

  /// Whether there is a job in it.
  [[nodiscard]] explicit operator bool() const { return m_job != nullptr; }
  /// Whether wait() would return at once. A guess no longer true only in one direction.
  [[nodiscard]] bool done() const { return m_job != nullptr && m_job->after.is_finished(); }

  // For the functions below.

  /// Of the job, as its owner sees it.
  enum class stage : std::uint8_t { created, run, follows };
  handle(detail::job_item& made, runtime& home) : m_job(&made), m_home(&home) {}
  [[nodiscard]] detail::job_item* get() const { return m_job; }
  [[nodiscard]] runtime& home() const { return *m_home; }
  [[nodiscard]] stage stage_now() const { return m_stage; }
  void go_to(stage next) { m_stage = next; }
  detail::job_item* give_away() { return std::exchange(m_job, nullptr); }

 private:
  void release() noexcept;

  detail::job_item* m_job = nullptr;
  runtime* m_home = nullptr;
  stage m_stage = stage::created;
};

/// A job that somebody else owns, to make it a parent: valid until it is done, which it is not before its children are.
class reference {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a handle refers to its job
  reference(const handle& of) : m_job(of.get()), m_home(m_job != nullptr ? &of.home() : nullptr) {}
  reference(detail::job_item& of, runtime& home) : m_job(&of), m_home(&home) {}
  [[nodiscard]] detail::job_item* get() const { return m_job; }
  [[nodiscard]] runtime* home() const { return m_home; }

 private:
  detail::job_item* m_job;
  runtime* m_home;
};

/// The optional argument of a job's function. Only within the function.
class context {
 public:
  context(detail::job_item& of, runtime& home) : m_self(of), m_home(home) {}
  context(const context&) = delete;
  context& operator=(const context&) = delete;

  /// Creates a child of the running job and runs it; nobody can wait for it but its parent. By the fiber that runs the
  /// function alone; others have job::create_child(self(), f). About 12 ns with its run. Throws std::bad_alloc.
  template <class Function>
  void run_child(Function&& function);
  /// The same in two steps.
  template <class Function>
  [[nodiscard]] handle create_child(Function&& function);
  [[nodiscard]] reference self() const { return reference(m_self, m_home); }

  // For job_item.hpp.
  [[nodiscard]] std::uint32_t children() const { return m_children; }

 private:
  // Before as many have ended as the count has room for; see detail::open_count.
  static constexpr std::uint32_t children_at_once = std::uint32_t{1} << 20U;

  detail::job_item& m_self;
  runtime& m_home;
  std::uint32_t m_children = 0;  // that the count does not have yet
};

namespace detail {

template <class Function>
inline constexpr bool takes_context = std::is_invocable_v<Function&, context&>;

template <class Function>
class typed_job final : public job_item {
  static_assert(takes_context<Function> || std::is_invocable_v<Function&>,
                "a job's function takes no argument, or a ramie::job::context&; capture the others in a lambda");
  static_assert(alignof(Function) <= cache_line_size, "what a job captures may be aligned to 64 bytes at most");

 public:
  template <class Argument>
  typed_job(job_item* parent, Argument&& function)
      : job_item(&act, parent, sizeof(typed_job), !std::is_trivially_destructible_v<Function>),
        m_function(std::forward<Argument>(function)) {}
  ~typed_job() = delete;

 private:
  static void act(ramie::detail::call_item& self, ramie::detail::call_frame& frame) noexcept {
    auto& me = static_cast<typed_job&>(self);
    if (frame.purpose != ramie::detail::call_purpose::run || me.is(only_captures_left)) [[unlikely]]
      return handle_other_purpose(
          me, frame, [](job_item& ended) { ramie::detail::end_at(&static_cast<typed_job&>(ended).m_function); });
    begin(me, frame);
    context here(me, frame.home);
    try {
      if constexpr (takes_context<Function>) {
        ramie::detail::call_with(me.m_function, here);
      } else {
        me.m_function();
      }
    } catch (...) {
      keep_error(me, ramie::detail::caught_in(nullptr));
    }
    end(me, frame, here.children(), sizeof(me));
  }

  union {
    Function m_function;  // until the job is done: its children may refer to it
  };
};

template <class Function>
job_item& make(worker* here, runtime& home, job_item* parent, Function&& function) {
  using made = typed_job<std::decay_t<Function>>;
  void* const memory = here != nullptr ? here->allocate_task(sizeof(made)) : home.allocate_task(sizeof(made));
  try {
    return *::new (memory) made(parent, std::forward<Function>(function));
  } catch (...) {
    home.free_task_memory(memory, sizeof(made));
    throw;
  }
}

/// The runtime on which jobs are created here. Throws misuse where there is none.
[[nodiscard]] runtime& home_of_caller();
/// Throws misuse unless it is a job of that runtime.
void check_parent(const reference& parent, const runtime& home);

template <class Function>
handle make_handle(job_item* parent, runtime& home, Function&& function) {
  worker* const here = worker::current();
  return handle(make(here, home, parent, std::forward<Function>(function)), home);
}

}  // namespace detail

/// A job that runs function(), or function(context&), when it is run. On the calling fiber's runtime; on a thread that
/// runs none, scheduler_init()'s. The captures of the function live until the job is done, children included. Throws
/// std::bad_alloc; misuse where there is no runtime. No allocation where that needs at most 24 bytes (88 in two lines).
template <class Function>
[[nodiscard]] handle create(Function&& function) {
  return detail::make_handle(nullptr, detail::home_of_caller(), std::forward<Function>(function));
}

/// The same, and `parent` is not done before this one is. While the parent has not been run: by the thread that owns
/// it. Later: within its function, or by jobs below it that are not done. Throws misuse where the parent is of another
/// runtime, or its handle is empty.
template <class Function>
[[nodiscard]] handle create_child(reference parent, Function&& function) {
  runtime& home = detail::home_of_caller();
  detail::check_parent(parent, home);
  handle made = detail::make_handle(parent.get(), home, std::forward<Function>(function));
  parent.get()->left().add_children(1);
  return made;
}

/// Hands the job to the workers; the handle is there to wait(). Any fiber or thread, once. Throws misuse on an empty
/// handle or a second run; std::bad_alloc, and it was not run then.
void run(handle& kept);
/// The same, and nobody waits for it, but for its parent. If it has none an exception that leaves it ends the process.
void run(handle&& given_away);

/// Returns when the job is done, and so its children. Throws the first exception that left it or a job below it that
/// nobody waits for; spawn_error where there was no stack to run on. Blocks the calling fiber, not its worker; on a
/// thread that runs none, the thread. Once: the handle is empty afterwards. Throws misuse on one that was not run, and
/// cancelled where the scope around the caller ends the wait: the handle still has the job then, and is waited for
/// where that exception destroys it.
void wait(handle& kept);

/// Runs `continuation` when `ancestor` is done, whatever has left it. Before `ancestor` is run, any number of times;
/// one worker alone begins them in that order. An ancestor may itself be a continuation, which is run when the job that
/// it follows is done; if it is done by now, `continuation` is run at once. If the ancestor is discarded, so is the
/// continuation: wait() throws misuse.
///
/// Throws misuse if one of the two is empty or was run, if the continuation is one already, if they are of different
/// runtimes, or if they would wait for one another: a job may not follow itself, a job above it, or one that waits for
/// it in another way. Throws std::bad_alloc, mostly where the ancestor has children or follows: then all is looked at
/// that waits for the continuation. Takes a lock that all of the process's jobs share.
void add_continuation(const handle& ancestor, handle& kept);
void add_continuation(const handle& ancestor, handle&& given_away);

template <class Function>
void context::run_child(Function&& function) {
  worker* const here = worker::current();
  if (here == nullptr) [[unlikely]]  // it has left this thread
    return job::run(create_child(std::forward<Function>(function)));
  detail::job_item& made = detail::make(here, here->home(), &m_self, std::forward<Function>(function));
  if (++m_children == children_at_once) [[unlikely]]
    m_self.left().add_children(std::exchange(m_children, 0));
  try {
    detail::push(made);
  } catch (...) {
    detail::discard(made);
    throw;
  }
}

template <class Function>
handle context::create_child(Function&& function) {
  return job::create_child(self(), std::forward<Function>(function));
}

}  // namespace ramie::job
