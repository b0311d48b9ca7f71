// How forks become tasks: because somebody wants work, or because their fiber cannot go on.
#include "scheduler/fork_protocol.hpp"
#include "scheduler/scheduler.hpp"

namespace ramie::detail {
namespace {
// Looks in vain at a list of forks before a thief takes one itself, by a membarrier.
constexpr int patience = 4;
constexpr int pauses_a_look = 64;
}  // namespace

bool whole_worker::answer_requests(fork_frame* joined) noexcept {
  // An observer sees a fiber for every fork: the parallelism of a program does not depend on which workers wanted work.
  if (m_observer != nullptr && joined == nullptr) [[unlikely]] {
    give_forks_away();
    return true;
  }
  return detail::answer_requests(
      m_forks, joined, m_lane, gate(), m_stealing, [this](fork_frame& oldest) { offer(task_of(oldest, m_current)); },
      [this] { notify(); });
}

// `parent` is null where the run loop forks: see refuse().
task& whole_worker::task_of(fork_frame& taken, const fiber* parent) noexcept {
  task& made = taken.make_task(taken, m_home);
  if (parent != nullptr) made.set_stack_class(parent->stack_class());  // it might have been a call on that stack
  count_spawned(made, parent);
  count_as_freed();
  return made;
}

// In the lane it is visible at once, whatever the deque does.
void whole_worker::offer(task& forked) noexcept {
  if (!m_lane.push_bottom(&forked)) [[unlikely]]
    return m_shared.inject(forked);
  notify();
}

void whole_worker::give_forks_away() noexcept {
  detail::give_forks_away(m_forks, gate(), m_stealing, [this](fork_frame& each) {
    task& made = task_of(each, m_current);
    try {
      if (!m_deque.push_bottom(&made)) return m_shared.inject(made);
    } catch (const std::bad_alloc&) {
      return m_shared.inject(made);
    }
    notify();
  });
}

// After [S1]: a worker that forks from now on sees the request.
void whole_worker::want_forks() {
  if (!m_stealing || m_fork_stealing == fork_stealing::continuation) return;
  for (const auto& each : m_shared.workers()) each->m_forks.want_before_sleep();
}

work_item* whole_worker::steal_fork(whole_worker& victim) {
  bool queued = false;
  work_item* const made = detail::steal_fork(
      victim.m_forks, victim.m_lane, native_provider::spins(patience), native_provider::spins(pauses_a_look),
      [&] {
        queued = true;
        return steal_queued(victim);
      },
      // While we hold its list, and there is a fork in it, the victim cannot leave its fiber.
      [&](fork_frame& oldest) -> work_item* { return &task_of(oldest, victim.m_current); });
  if (made == nullptr || queued) return made;
  m_counters.steals.add();
  m_counters.stolen_items.add();
  if (m_observer != nullptr) [[unlikely]]
    m_observer->stole(m_index, victim.m_index, 1);
  return made;
}

}  // namespace ramie::detail

namespace ramie {

bool worker::answer_requests(detail::fork_frame* joined) noexcept {
  return detail::whole(*this).answer_requests(joined);
}

}  // namespace ramie
