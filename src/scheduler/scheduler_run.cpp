// Starting and stopping: threads that hold workers, and how a run knows that it is over.
#include <ramie/scheduler/diagnosis.hpp>
#include <ramie/scheduler/execution_backend.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/topology/affinity.hpp>

#include "scheduler/profile_file.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/thread_guards.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <ranges>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ramie::detail {

void scheduler::run() {
  begin(true, true);
  carry(*m_workers[0]);
  end();
}

bool scheduler::is_running() const { return m_running_in.load(std::memory_order_acquire) == ::getpid(); }

void scheduler::stop() {
  // In a child it stays what it is: the parent's, whose threads do not exist here.
  if (m_running_in.load(std::memory_order_relaxed) == 0 || inherited_by_fork()) return;
  if (is_within(m_owner)) {
    throw misuse(
        "runtime::stop() was called by one of its own fibers, which would wait for itself; call it from outside");
  }
  m_termination.drain([this] { wake_everyone(); });
  end();
}

void scheduler::begin(bool calling_thread_works, bool draining) {
  if (worker::current() != nullptr || (calling_thread_works && running_fiber() != nullptr)) {
    throw misuse(
        "a runtime was run or started inside a fiber, whose worker it would hold; spawn a fiber instead, or use a "
        "thread");
  }
  if (inherited_by_fork()) {
    throw misuse(
        "a runtime was run or started in a child, made by fork(), of the process that runs it; make one of the child's "
        "own");
  }
  if (m_running_in.load(std::memory_order_relaxed) != 0)
    throw misuse("the runtime is running already; call stop() before running it again");
  m_threads.reserve(m_workers.size());
  m_without_worker.begin();
  m_beginner.save();
  m_termination.begin(draining);
  m_start_signal.reset();
  m_running_in.store(::getpid(), std::memory_order_relaxed);
  diagnosis::own_runtime_begins();

  whole_worker* const held_here = calling_thread_works ? m_workers[0].get() : nullptr;
  try {
    if (held_here != nullptr && held_here->driver_of_user() != nullptr) {
      std::optional<topology::affinity_guard> affinity;  // the threads that follow inherit it, and carry() saves it
      if (!m_cpus.empty()) affinity.emplace();
      pin_thread_of(*held_here);
      held_here->attach_driver();
    }
  } catch (...) {
    give_up_begin(nullptr);
    throw;
  }
  for (std::size_t i = calling_thread_works ? 1 : 0; i < m_workers.size(); ++i) {
    native_provider::thread thread{};
    const int error = native_provider::start_thread(thread, &hold_when_started, m_workers[i].get());
    if (error != 0) {
      give_up_begin(held_here);
      throw std::system_error(
          error, std::generic_category(),
          "worker thread " + std::to_string(i) + " of " + std::to_string(m_workers.size()) +
              " could not be started (options.workers, RLIMIT_NPROC and the cgroup's pids.max limit it)");
    }
    m_threads.push_back(thread);
    if (m_workers[i]->driver_of_user() == nullptr) continue;
    m_attached.park();
    if (m_attach_failure != nullptr) {
      give_up_begin(held_here);
      std::rethrow_exception(std::exchange(m_attach_failure, nullptr));
    }
  }
  m_start_signal.go();
}

// The threads that have been made end; nothing has run.
void scheduler::give_up_begin(whole_worker* held_here) noexcept {
  m_start_signal.give_up();
  if (held_here != nullptr) held_here->detach_driver();
  end();
}

void scheduler::attach_at_begin(whole_worker& mine) noexcept {
  if (mine.driver_of_user() == nullptr) return;
  pin_thread_of(mine);
  try {
    mine.attach_driver();
  } catch (...) {
    m_attach_failure = std::current_exception();
  }
  m_attached.unpark();
}

void* scheduler::hold_when_started(void* argument) {
  auto& mine = *static_cast<whole_worker*>(argument);
  scheduler& shared = of(mine.home());
  shared.attach_at_begin(mine);
  if (shared.m_start_signal.wait()) {
    shared.carry(mine);
  } else {
    mine.detach_driver();
  }
  return nullptr;
}

// The thread of a worker that another thread has given away. A fiber has started it, and it is to be like the others.
void* scheduler::carry_given(void* argument) {
  auto& mine = *static_cast<whole_worker*>(argument);
  scheduler& shared = of(mine.home());
  shared.m_beginner.load();
  shared.carry(mine);
  return nullptr;
}

// False: no thread can be had.
bool scheduler::start_carrier(whole_worker& first) noexcept {
  const std::lock_guard guard(m_threads_lock);
  try {
    m_threads.reserve(m_threads.size() + 1);
  } catch (const std::bad_alloc&) {
    return false;
  }
  native_provider::thread made{};
  if (native_provider::start_thread(made, &carry_given, &first) != 0) return false;
  m_threads.push_back(made);
  return true;
}

// The calling thread holds one worker after another, beginning with that one, until the run is over.
void scheduler::carry(whole_worker& first) {
  const thread_guards guards;
  std::optional<topology::affinity_guard> affinity;
  try {
    if (!m_cpus.empty()) affinity.emplace();
  } catch (const std::bad_alloc&) {
    // It runs where the kernel lets it.
  }
  carrier me;
  me.loop.tools.attach_this_thread();
  if (m_options.backend != nullptr) m_options.backend->attach(me.loop);
  context::set_carrier_slot(&me);
  for (whole_worker* mine = &first; mine != nullptr; mine = m_without_worker.wait(me.place)) {
    if (affinity) pin_thread_of(*mine);
    hold(*mine, me);
  }
  context::set_carrier_slot(nullptr);
  if (m_options.backend != nullptr) m_options.backend->detach(me.loop);
}

void scheduler::pin_thread_of(const worker& held) const noexcept {
  if (m_cpus.empty()) return;
  try {
    static_cast<void>(topology::pin_current_thread(m_cpus[held.index() % m_cpus.size()]));
  } catch (const std::bad_alloc&) {
    // It runs where it is.
  }
}

// Until the run is over, or the worker has left this thread.
void scheduler::hold(whole_worker& mine, carrier& by) {
  context::set_thread_slot(static_cast<worker*>(&mine));
  if (!m_options.pin) m_places.arrive(mine.index());
  mine.attach_driver_if_possible();
  if (!mine.run(by)) return;  // which has emptied the slot
  mine.detach_driver();
  m_places.leave(mine.index());
  context::set_thread_slot(nullptr);
  m_without_worker.end();
}

// A fiber that gives its worker away may start a thread until the run is over, so until all that could have done it
// have ended.
void scheduler::end() {
  for (;;) {
    native_provider::thread ending{};
    {
      const std::lock_guard guard(m_threads_lock);
      if (m_threads.empty()) break;
      ending = m_threads.back();
      m_threads.pop_back();
    }
    native_provider::join_thread(ending);
  }
  if (m_profile != nullptr) m_profile->write();
  m_running_in.store(0, std::memory_order_release);  // pairs with is_running()
}

// ---- Termination ----

void scheduler::finish_if_drained() {
  const auto counters = [](const std::unique_ptr<whole_worker>& each) -> auto& { return each->counters(); };
  m_termination.finish_if_drained(std::views::transform(m_workers, counters), [this] { wake_everyone(); });
}

void scheduler::wake_everyone() noexcept {
  m_gate.notify_all([this](unsigned chosen) { m_workers[chosen]->interrupt(); });
}

// Of busy workers too. Of a runtime whose workers do not help each other, each driver wakes its own.
bool scheduler::has_completions() const noexcept {
  return m_drivers_are_reaped &&
         std::ranges::any_of(m_workers, [](const auto& each) { return each->has_completions(); });
}

bool scheduler::has_visible_work(const whole_worker& for_whom) const {
  if (m_injector.size() != 0) return true;
  if (!for_whom.steals()) return for_whom.has_visible_work();
  return std::ranges::any_of(m_workers, [](const auto& each) { return each->has_visible_work(); });
}

}  // namespace ramie::detail
