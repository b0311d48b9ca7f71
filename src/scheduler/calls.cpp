// The calls that a fiber makes about itself and others.
#include <ramie/base/assert.hpp>
#include <ramie/base/error.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/source_names.hpp>
#include <ramie/scheduler/spawn.hpp>
#include <ramie/scheduler/this_fiber.hpp>
#include <ramie/scheduler/worker.hpp>

#include <memory>
#include <string>

namespace ramie {
namespace {

const task& task_of_fiber(const char* call) {
  const task* const running = detail::worker_of_fiber(call).current_fiber()->current_task;
  if (running == nullptr) detail::not_a_fiber(call);  // between two tasks
  return *running;
}

std::unique_ptr<runtime>& owned_process_runtime() {
  static std::unique_ptr<runtime> owned;
  return owned;
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
  if (runtime* const of_process = process_runtime.load(std::memory_order_acquire)) return *of_process;
  throw misuse(
      "ramie::spawn was called where no runtime is: call it from a fiber, call scheduler_init() first, or use "
      "runtime::spawn");
}

void detail::wait_until_done_on_thread(task& awaited) {
  if (worker* const here = worker::current()) {
    return here->work_until([&] { return awaited.is_done(); });
  }
  thread_parker& mine = thread_parker::of_this_thread();
  if (awaited.set_waiter(mine)) mine.park();
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
  if (owned_process_runtime() != nullptr)
    throw misuse("scheduler_init() was called twice; call scheduler_run() in between");
  owned_process_runtime() = std::make_unique<runtime>(chosen);
  detail::process_runtime.store(owned_process_runtime().get(), std::memory_order_release);  // [P2], pairs with [P1]
}

void scheduler_run() {
  if (owned_process_runtime() == nullptr) throw misuse("scheduler_run() needs scheduler_init() before it");
  owned_process_runtime()->run();
  detail::process_runtime.store(nullptr, std::memory_order_relaxed);  // nothing to see behind it
  owned_process_runtime().reset();
}

}  // namespace ramie
