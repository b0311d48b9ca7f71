// The calls that a fiber makes about itself and others.
#include <ramie/base/assert.hpp>
#include <ramie/base/error.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/source_names.hpp>
#include <ramie/scheduler/spawn.hpp>
#include <ramie/scheduler/this_fiber.hpp>
#include <ramie/scheduler/worker.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace ramie {
namespace {

const task& task_of_fiber(const char* call) {
  const task* const running = detail::worker_of_fiber(call).current_fiber()->current_task;
  if (running == nullptr) detail::not_a_fiber(call);  // between two tasks
  return *running;
}

// Never destroyed: exit() may be called while scheduler_run() runs it, by a fiber or by any other thread.
std::unique_ptr<runtime>& owned_process_runtime() {
  static auto& owned = *new std::unique_ptr<runtime>;
  return owned;
}

// Who runs the process's runtime: nobody yet, workers for a thread that waits, or scheduler_run().
enum class process_run : std::uint8_t { not_begun, started, by_scheduler_run };
constinit futex_lock<> g_process_lock;  // for the two below
constinit process_run g_process_run = process_run::not_begun;

process_run begin_scheduler_run() {
  const std::lock_guard guard(g_process_lock);
  return std::exchange(g_process_run, process_run::by_scheduler_run);
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

std::uint64_t this_fiber::id() { return task_of_fiber("ramie::this_fiber::id()").id(); }
std::string_view this_fiber::name() { return task_of_fiber("ramie::this_fiber::name()").name(); }

unsigned this_fiber::worker_count() {
  return detail::worker_of_fiber("ramie::this_fiber::worker_count()").home().worker_count();
}

runtime& detail::runtime_here() {
  if (const worker* const here = worker::current()) [[likely]]
    return here->home();
  // [P1] acquire: the runtime is whole; pairs with [P2].
  if (runtime* const of_process = process_runtime.load(std::memory_order_acquire)) {
    if (of_process->inherited_by_fork()) runs_in_the_parent("ramie::spawn", "the runtime of scheduler_init()");
    return *of_process;
  }
  throw misuse(
      "ramie::spawn was called where no runtime is: call it from a fiber, call scheduler_init() first, or use "
      "runtime::spawn");
}

void detail::have_process_runtime_run(const runtime* which) {
  const runtime* const of_process = process_runtime.load(std::memory_order_acquire);  // [P1]
  if (of_process == nullptr || (which != nullptr && which != of_process)) return;
  const std::lock_guard guard(g_process_lock);
  if (g_process_run != process_run::not_begun) return;
  owned_process_runtime()->start();
  g_process_run = process_run::started;
}

void detail::wait_until_done_on_thread(task& awaited) {
  if (worker::current() != nullptr) not_a_fiber("join()");  // a worker between fibers
  if (awaited.home().inherited_by_fork()) runs_in_the_parent("join()", "the fiber");
  have_process_runtime_run(&awaited.home());
  thread_parker& mine = thread_parker::of_this_thread();
  if (awaited.set_waiter(mine)) mine.park();
}

void detail::runs_in_the_parent(const char* call, const char* what) {
  throw misuse(std::string(call) + " was called in a child made by fork(), and " + what +
               " runs in the parent alone; call _exit() or exec in the child, or make a runtime of its own there");
}

void detail::joined_itself() {
  throw misuse("a fiber joined itself, and would wait for ever; give the handle to another fiber");
}

void detail::handle_destroyed(const task& running) noexcept {
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
  // A child made by fork() may have one of its own.
  if (owned_process_runtime() != nullptr && owned_process_runtime()->inherited_by_fork()) {
    detail::process_runtime.store(nullptr, std::memory_order_relaxed);
    owned_process_runtime().reset();
  }
  if (owned_process_runtime() != nullptr)
    throw misuse("scheduler_init() was called twice; call scheduler_run() in between");
  owned_process_runtime() = std::make_unique<runtime>(chosen);
  set_process_run(process_run::not_begun);
  detail::process_runtime.store(owned_process_runtime().get(), std::memory_order_release);  // [P2], pairs with [P1]
}

void scheduler_run() {
  if (owned_process_runtime() == nullptr) throw misuse("scheduler_run() needs scheduler_init() before it");
  const process_run before = begin_scheduler_run();
  try {
    // Threads that have waited may have begun it. Their workers go on until no fiber is left.
    before == process_run::started ? owned_process_runtime()->stop() : owned_process_runtime()->run();
  } catch (...) {
    set_process_run(before);
    throw;
  }
  detail::process_runtime.store(nullptr, std::memory_order_relaxed);  // nothing to see behind it
  owned_process_runtime().reset();
}

}  // namespace ramie
