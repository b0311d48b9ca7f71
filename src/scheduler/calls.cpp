// The calls that a fiber makes about itself and others.
#include <ramie/base/assert.hpp>
#include <ramie/base/error.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/scheduler/cancellation.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/source_names.hpp>
#include <ramie/scheduler/spawn.hpp>
#include <ramie/scheduler/this_fiber.hpp>
#include <ramie/scheduler/worker.hpp>

#include "scheduler/carrier.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <utility>

namespace ramie {
namespace {

const fiber& this_fiber_or_throw(const char* call) {
  const fiber* const running = detail::running_fiber();
  if (running == nullptr || running->current_task == nullptr) detail::not_a_fiber(call);  // null: between two tasks
  return *running;
}

// detail::process_runtime owns the runtime at which it points; the taker of the pointer destroys the runtime. At exit()
// this object takes it: tasks that were spawned and never ran are dropped. But not while scheduler_run() runs it: a
// fiber of it, or any other thread, has called exit() then.
struct end_of_process_runtime {
  ~end_of_process_runtime() {
    // [Z1], and the end of its run; pairs with [Z2].
    const runtime* const left = detail::process_runtime.load(std::memory_order_acquire);
    if (left == nullptr || left->is_running() || left->inherited_by_fork()) return;
    delete detail::process_runtime.exchange(nullptr, std::memory_order_relaxed);
  }
};

// How the process's runtime runs: not yet, started for a thread that waits, or by scheduler_run().
enum class process_run : std::uint8_t { not_begun, started, by_scheduler_run };
constinit futex_lock<> g_process_lock;  // for the two below
constinit process_run g_process_run = process_run::not_begun;

process_run begin_scheduler_run() {
  const std::lock_guard guard(g_process_lock);
  return std::exchange(g_process_run, process_run::by_scheduler_run);
}

// A child made by fork() has no thread that holds the lock. It is made anew there, and fork() does not wait for it: it
// is held while threads are started, and drivers attached.
void leave_process_lock_at_fork() {
  static const bool once =
      ::pthread_atfork(nullptr, nullptr, [] { static_cast<void>(std::construct_at(&g_process_lock)); }) == 0;
  static_cast<void>(once);
}

void set_process_run(process_run now) {
  const std::lock_guard guard(g_process_lock);
  g_process_run = now;
}

}  // namespace

void detail::not_a_fiber(const char* call) {
  throw misuse(std::string(call) +
               " was called on a thread that runs no fiber; call it from a function that was given to "
               "ramie::run or ramie::spawn");
}

std::uint64_t this_fiber::id() { return this_fiber_or_throw("ramie::this_fiber::id()").current_task->id(); }
std::string_view this_fiber::name() { return this_fiber_or_throw("ramie::this_fiber::name()").current_task->name(); }

unsigned this_fiber::worker_count() {
  return this_fiber_or_throw("ramie::this_fiber::worker_count()").home().worker_count();
}

void detail::yield_without_worker() {
  static_cast<void>(this_fiber_or_throw("ramie::yield()"));
  native_provider::yield_thread();
}

unsigned detail::index_without_worker() {
  static_cast<void>(this_fiber_or_throw("ramie::this_fiber::worker_index()"));
  return carrier::of_this_thread()->last_index;
}

runtime& detail::runtime_here() {
  if (const worker* const here = worker::current()) [[likely]]
    return here->home();
  if (const fiber* const running = running_fiber()) return running->home();
  // [Z1] acquire: the runtime is whole; pairs with [Z2].
  if (runtime* const of_process = process_runtime.load(std::memory_order_acquire)) {
    if (of_process->inherited_by_fork()) fail_in_forked_child("ramie::spawn", "the runtime of scheduler_init()");
    return *of_process;
  }
  throw misuse(
      "ramie::spawn was called where no runtime is: call it from a fiber, call scheduler_init() first, or use "
      "runtime::spawn");
}

void detail::have_process_runtime_run(const runtime* which) {
  if (process_runtime.load(std::memory_order_relaxed) == nullptr) return;
  const std::lock_guard guard(g_process_lock);
  // Under the lock: until it has begun, scheduler_run() cannot end it.
  runtime* const of_process = process_runtime.load(std::memory_order_acquire);  // [Z1]
  if (of_process == nullptr || (which != nullptr && which != of_process)) return;
  if (g_process_run != process_run::not_begun) return;
  of_process->start();
  g_process_run = process_run::started;
}

void detail::before_wait_on_thread(const runtime& home, const char* call, const char* what) {
  if (worker::current() != nullptr || running_fiber() != nullptr) return;
  if (home.inherited_by_fork()) fail_in_forked_child(call, what);
  have_process_runtime_run(&home);
}

void detail::before_join_off_fiber(const task& awaited, const char* call) {
  if (const fiber* const running = running_fiber(); running != nullptr && running->current_task == &awaited)
    joined_itself();
  before_wait_on_thread(awaited.home(), call, "the fiber");
}

namespace {

wake_reason wait_for_task_unseen(task& awaited, const wait_limits& limits) {
  detail::wait_record<work_item> mine(detail::this_waiter());
  detail::wait_arm<work_item> arm(mine);
  return detail::wait_until(mine, [&] { return awaited.set_arm(arm); }, [&] { awaited.take_back(arm); }, limits);
}

}  // namespace

wake_reason detail::wait_for_task(task& awaited, const wait_limits& limits) {
  if (!awaited.is_done()) {
    before_join(worker::current(), awaited, "wait()");
    const wake_reason reason = wait_for_task_unseen(awaited, limits);
    if (reason != wake_reason::woken) return reason;
  }
  if (someone_observes()) [[unlikely]]
    report_receipt(&awaited);
  return wake_reason::woken;
}

void detail::fail_in_forked_child(const char* call, const char* what) {
  throw misuse(std::string(call) + " was called in a child made by fork(), and " + what +
               " runs in the parent alone; call _exit() or exec in the child, or make a runtime of its own there");
}

void detail::joined_itself() {
  throw misuse("a fiber joined itself, and would wait for ever; give the handle to another fiber");
}

void detail::join_in_scope(task& awaited) {
  static_cast<void>(wait_for_task_unseen(awaited, wait_limits(std::stop_token())));
}

void detail::handle_destroyed(task& running, std::exception_ptr (*take_error)(task&) noexcept) noexcept {
  if (cancellation* const scope = unwinding_scope(); scope != nullptr && scope->is_over()) {
    if (!running.is_done()) join_in_scope(running);  // shielded, as all waits are while an exception is in flight
    if (std::exception_ptr error = take_error(running)) scope->add_failure(std::move(error));
    return running.home().free_task(running);
  }
  const std::string_view name = running.name();
  fail("the handle of fiber " + std::to_string(running.id()) +
           (name.empty() ? std::string() : " \"" + std::string(name) + "\"") + " was destroyed or overwritten.",
       "Call join() or detach() on it first.");
}

void scheduler_init(unsigned workers) {
  options chosen;
  chosen.workers = workers;
  scheduler_init(chosen);
}

void scheduler_init(const options& chosen) {
  static const end_of_process_runtime at_exit;
  leave_process_lock_at_fork();
  // A child made by fork() may have one of its own.
  runtime* earlier = detail::process_runtime.load(std::memory_order_relaxed);
  if (earlier != nullptr && earlier->inherited_by_fork()) {
    detail::process_runtime.store(nullptr, std::memory_order_relaxed);
    delete earlier;
    earlier = nullptr;
  }
  if (earlier != nullptr) throw misuse("scheduler_init() was called twice; call scheduler_run() in between");
  auto made = std::make_unique<runtime>(chosen);
  set_process_run(process_run::not_begun);
  detail::process_runtime.store(made.release(), std::memory_order_release);  // [Z2], pairs with [Z1]
}

void scheduler_run() {
  runtime* const mine = detail::process_runtime.load(std::memory_order_relaxed);
  if (mine == nullptr) throw misuse("scheduler_run() needs scheduler_init() before it");
  if (mine->inherited_by_fork()) detail::fail_in_forked_child("scheduler_run()", "the runtime of scheduler_init()");
  const process_run before = begin_scheduler_run();
  try {
    // Threads that have waited may have begun it. Their workers go on until no fiber is left.
    before == process_run::started ? mine->stop() : mine->run();
  } catch (...) {
    set_process_run(before);
    throw;
  }
  // Null where another thread has called exit() meanwhile, and destroys it.
  delete detail::process_runtime.exchange(nullptr, std::memory_order_relaxed);
}

}  // namespace ramie
