// How forks become tasks: because somebody wants work, or because their fiber cannot go on.
#include <ramie/scheduler/fast_paths.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/worker.hpp>

namespace ramie {
namespace {
// Looks in vain at a list of forks before a thief takes one itself, by a membarrier.
constexpr int patience = 4;
constexpr int pauses_a_look = 64;
}  // namespace

bool worker::settle_forks(detail::fork_frame* joined) noexcept {
  // Whoever observes sees a fiber for every fork: how parallel a program is does not depend on who was hungry.
  if (m_observer != nullptr && joined == nullptr) [[unlikely]] {
    give_forks_away();
    return true;
  }
  bool ours = true;
  detail::fork_frame* oldest = nullptr;
  {
    fork_list::hold held(m_forks);
    if (joined != nullptr) ours = held.pop(*joined);
    // One at a time: what is offered is seen by all, and the next fork offers again.
    if (held.was_wanted() && m_stealing && !m_lane.stealable()) oldest = held.take_oldest();
  }
  if (oldest != nullptr) {
    offer(task_of(*oldest, *m_current));
  }
  // The hold has settled the requests of those who sleep, too, and they will not ask again.
  if (m_stealing) {
    native_provider::fence_seq_cst();
    if (gate().counts().sleeping() != 0) m_forks.want();
  }
  return ours;
}

task& worker::task_of(detail::fork_frame& taken, const fiber& parent) noexcept {
  task& made = taken.make_task(taken, m_home);
  made.set_stack_class(parent.stack_class());  // it might have been a call on that stack
  count_spawned(made, &parent);
  count_as_freed();
  return made;
}

// In the lane it is visible at once, whatever the deque does.
void worker::offer(task& forked) noexcept {
  if (!m_lane.push_bottom(&forked)) [[unlikely]]
    return m_home.inject(forked);
  notify();
}

// The fiber is about to leave this worker. What it waits for may be in one of its forks; and wherever it goes on, they
// would be in the wrong list.
void worker::give_forks_away() noexcept {
  fork_list::hold held(m_forks);
  held.take_all([this](detail::fork_frame& each) {
    task& made = task_of(each, *m_current);
    try {
      if (!m_deque.push_bottom(&made)) return m_home.inject(made);
    } catch (const std::bad_alloc&) {
      return m_home.inject(made);
    }
    notify();
  });
}

// [S1] has been done: who forks from now on tells us.
void worker::want_forks() {
  if (!m_stealing || m_fork_stealing == fork_stealing::continuation) return;
  for (const auto& each : m_home.m_workers) each->m_forks.want_before_sleep();
}

work_item* worker::steal_fork(worker& victim) {
  if (victim.m_forks.look_in_vain() < static_cast<std::uint32_t>(native_provider::spins(patience))) {
    victim.m_forks.want();
    for (int i = native_provider::spins(pauses_a_look); i > 0; --i) {
      native_provider::pause();
      if (victim.m_lane.stealable()) return steal_queued(victim);
    }
    return nullptr;
  }
  task* made = nullptr;
  // While we hold its list, and there is a fork in it, the victim cannot leave its fiber.
  victim.m_forks.steal_oldest([&](detail::fork_frame& oldest) { made = &task_of(oldest, *victim.m_current); });
  if (made == nullptr) return nullptr;
  m_counters.steals.add();
  m_counters.stolen_items.add();
  if (m_observer != nullptr) [[unlikely]]
    m_observer->stole(m_index, victim.m_index, 1);
  return made;
}

}  // namespace ramie
