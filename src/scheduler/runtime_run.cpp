// Starting and stopping: threads that hold workers, and how a run knows that it is over.
#include <ramie/scheduler/runtime.hpp>
#include <ramie/stack/alternate_stack.hpp>
#include <ramie/topology/affinity.hpp>

#include "scheduler/profile_file.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>

namespace ramie {

void runtime::run() {
  begin(true, true);
  hold(*m_workers[0]);
  end();
}

void runtime::start() { begin(false, false); }

void runtime::stop() {
  if (m_running_in == 0) return;
  if (m_running_in == ::getpid()) {  // in a child made by fork() the threads do not exist
    if (worker* const here = worker::current(); here != nullptr && &here->home() == this) {
      throw misuse(
          "runtime::stop() was called by one of its own fibers, which would wait for itself; call it from outside");
    }
    // release: pairs with the acquire in finish_if_drained(). Whoever sleeps now is woken and looks; whoever falls
    // asleep later takes the gate's lock after wake_everyone() did, and looks after that.
    m_draining.store(true, std::memory_order_release);
    wake_everyone();
  }
  end();
}

void runtime::begin(bool calling_thread_works, bool draining) {
  if (worker::current() != nullptr) {
    throw misuse(
        "a runtime was run or started inside a fiber, whose worker it would hold; spawn a fiber instead, or use a "
        "thread");
  }
  if (m_running_in != 0) throw misuse("the runtime is running already; call stop() before running it again");
  m_threads.reserve(m_workers.size());
  m_draining.store(draining);
  m_finished.store(false);
  m_start_signal.store(0);
  m_running_in = ::getpid();

  for (std::size_t i = calling_thread_works ? 1 : 0; i < m_workers.size(); ++i) {
    pthread_t thread{};
    const int error = ::pthread_create(
        &thread, nullptr,
        [](void* argument) -> void* {
          auto& mine = *static_cast<worker*>(argument);
          std::atomic<std::uint32_t>& signal = mine.home().m_start_signal;
          // [S1] acquire: what begin() has set is seen; pairs with [S2]. Nothing runs before all threads are there.
          while (signal.load(std::memory_order_acquire) == 0) std_provider::futex_wait(signal, 0);
          if (signal.load(std::memory_order_relaxed) == go) mine.home().hold(mine);
          return nullptr;
        },
        m_workers[i].get());
    if (error != 0) {
      m_start_signal.store(give_up, std::memory_order_release);  // [S2]
      std_provider::futex_wake(m_start_signal, INT32_MAX);
      end();
      throw std::system_error(
          error, std::generic_category(),
          "worker thread " + std::to_string(i) + " of " + std::to_string(m_workers.size()) +
              " could not be started (options.workers, RLIMIT_NPROC and the cgroup's pids.max limit it)");
    }
    m_threads.push_back(thread);
  }
  m_start_signal.store(go, std::memory_order_release);  // [S2], pairs with [S1]
  std_provider::futex_wake(m_start_signal, INT32_MAX);
}

// The calling thread holds `mine` for a whole run.
void runtime::hold(worker& mine) {
  std::optional<stack::alternate_stack> for_overflow_reports;
  try {
    for_overflow_reports.emplace();
  } catch (const spawn_error&) {
    // Without memory for it an overflow still ends the process, only without the report.
  }
  std::optional<topology::affinity_guard> affinity;
  if (!m_cpus.empty()) {
    affinity.emplace();
    static_cast<void>(topology::pin_current_thread(m_cpus[mine.index() % m_cpus.size()]));
  }
  context::set_thread_slot(&mine);
  mine.m_exceptions = &context::exception_state::of_this_thread();
  mine.m_loop.tools.attach_this_thread();
  mine.run();
  context::set_thread_slot(nullptr);
}

void runtime::end() {
  if (m_running_in == ::getpid()) {
    for (const pthread_t thread : m_threads) ::pthread_join(thread, nullptr);
    if (m_profile != nullptr) m_profile->write();
  }
  m_threads.clear();
  m_running_in = 0;
}

// ---- Termination ----

// Two totals that only grow, each kept by the worker that adds to it. Reading all of `done` first: if the sum of
// `spawned`, read later, is not larger, then at the moment between the two no fiber was left (done <= spawned at every
// moment, and both only grow). The releases and acquires make a spawn visible before the end of its spawner is.
bool runtime::no_fiber_left() const {
  // [D1] acquire: done before spawned, and all that was counted before each done; pairs with the releases of
  // owned_count::add_release() and of m_spawned_outside. Weaker: a child's end is seen and its sibling's spawn is not,
  // and the run ends under it.
  std::uint64_t done = 0;
  for (const auto& each : m_workers) done += each->counters().done.get_acquire();
  std::uint64_t spawned = m_spawned_outside.load(std::memory_order_acquire);
  for (const auto& each : m_workers) spawned += each->counters().spawned.get_acquire();
  return done == spawned;
}

void runtime::finish_if_drained() {
  if (!m_draining.load(std::memory_order_acquire) || finished() || !no_fiber_left()) return;
  m_finished.store(true, std::memory_order_release);  // pairs with finished()
  wake_everyone();
}

void runtime::wake_everyone() noexcept {
  m_gate.notify_all([this](unsigned chosen) { m_workers[chosen]->interrupt(); });
}

bool runtime::has_visible_work(const worker& for_whom) const {
  if (m_injector.size() != 0) return true;
  if (!for_whom.m_stealing) return for_whom.has_visible_work();
  return std::ranges::any_of(m_workers, [](const auto& each) { return each->has_visible_work(); });
}

}  // namespace ramie
