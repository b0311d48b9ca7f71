// The face of a scheduler to the user, and the end of one.
#include <ramie/scheduler/runtime.hpp>

#include <ramie/base/exit_watch.hpp>
#include <ramie/scheduler/hand_over.hpp>

#include "scheduler/scheduler.hpp"

extern "C" const char RAMIE_LIBRARY_NAME = 0;

namespace ramie {

namespace detail {
constinit native_provider::atomic<runtime*> process_runtime{nullptr};
}

runtime::runtime(const options& chosen)
    : m_shared(new detail::scheduler(*this, chosen)), m_events(m_shared->chosen().events) {}

runtime::~runtime() {
  if (detail::is_within(*this)) {
    detail::continue_exit();
    detail::fail("a runtime was destroyed by one of its own fibers, which would wait for itself.",
                 "Destroy it from outside.");
  }
  // Nor a runtime whose fibers may wait for the caller of exit(), which does not return to them.
  if (is_running()) detail::continue_exit();
  // Its fibers are the parent's business, and its locks may be held by threads that do not exist here. This may even
  // run on one of its stacks. All of it goes with the process.
  if (inherited_by_fork()) return;
  stop();
  delete m_shared;
}

void runtime::run() { m_shared->run(); }
void runtime::start() { m_shared->begin(/*calling_thread_works=*/false, /*draining=*/false); }
void runtime::stop() { m_shared->stop(); }
bool runtime::is_running() const { return m_shared->is_running(); }
bool runtime::inherited_by_fork() const { return m_shared->inherited_by_fork(); }
unsigned runtime::worker_count() const { return static_cast<unsigned>(m_shared->workers().size()); }
stack::guard_kind runtime::stack_guards() const { return m_shared->depot(0).arena().guards(); }
stack::usage runtime::stack_usage() const { return m_shared->depot(0).arena().counts(); }

detail::dynamic_array<worker_statistics> runtime::statistics() const {
  detail::dynamic_array<worker_statistics> all(m_shared->workers().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = m_shared->workers()[i]->counters().snapshot();
  return all;
}

void* runtime::allocate_task(std::size_t size) { return m_shared->allocate_task(size); }
void runtime::free_task_memory(void* memory, std::size_t size) noexcept { m_shared->free_task_memory(memory, size); }
void runtime::free_task(task& finished) noexcept { m_shared->free_task(finished); }
void runtime::submit(task& spawned) { m_shared->submit(spawned); }
void runtime::submit(detail::call_item& fresh) { m_shared->submit(fresh); }
void runtime::submit_without_memory(detail::call_item& fresh) noexcept { m_shared->submit_without_memory(fresh); }
void runtime::submit(task& spawned, const spawn_options& how) {
  if (!how.name.empty()) spawned.set_name(how.name);
  if (how.stack_size.count() != 0) spawned.set_stack_class(m_shared->stack_class_of(how.stack_size));
  m_shared->submit(spawned);
}

}  // namespace ramie
