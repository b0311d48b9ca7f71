#include "c/pool/worker.hpp"

#include <ramie/base/assert.hpp>
#include <ramie/base/exit_watch.hpp>

#include "c/pool/call.hpp"
#include "c/pool/follow.hpp"
#include "c/pool/pool.hpp"

#include <new>
#include <optional>
#include <utility>

namespace ramie::pool {
namespace {

// A task stays on its kernel thread, so this needs none of the care that fibers' thread-locals do.
[[gnu::tls_model("initial-exec")]] constinit thread_local worker* worker_of_this_thread = nullptr;

constexpr std::uint64_t seed_of_victims = 1;
constexpr std::size_t most_kept_futures = 4096;

}  // namespace

worker::worker(pool& home, unsigned index, unsigned workers, std::chrono::nanoseconds patience)
    : m_home(home),
      m_index(index),
      m_victims(victim_policy::random_start, index, workers, seed_of_victims),
      m_pace(patience, backoff_policy::exponential, seed_of_victims + index),
      m_followers(workers) {}

worker::~worker() {
  while (m_free != nullptr) free_memory(*std::exchange(m_free, m_free->next));
}

worker* worker::current() { return worker_of_this_thread; }

void worker::run() {
  const detail::exit_watch exits;
  worker_of_this_thread = this;
  m_home.arrive(m_index);
  detail::run_loop(*this).run();
  m_home.leave(m_index);
  worker_of_this_thread = nullptr;
}

// ---- Between tasks ----

detail::sleep_gate<>& worker::gate() { return m_home.gate(); }
bool worker::sees_work() const { return m_home.has_visible_work(); }
void worker::finish_if_drained() { m_home.finish_if_drained(); }
bool worker::finished() const { return m_home.finished(); }

void worker::park() {
  m_home.leave(m_index);
  m_driver.wait(std::nullopt);
  m_home.arrive(m_index);
}

// The woken one asks where the others are, before it looks for work.
void worker::interrupt() noexcept {
  if (const worker* const here = current(); here != nullptr && &here->m_home == &m_home) m_home.note_cpu(here->m_index);
  m_driver.interrupt();
}

// Of an entry that has been taken out of a queue: whether the task is ours now.
bool worker::to_run(task_future& taken) const {
  switch (taken.begin.begin_from_queue(m_index)) {
    case entry::to_run: return true;
    case entry::dead: break;
    case entry::to_free: recycle(taken); break;
  }
  return false;
}

task_future* worker::next_local() {
  while (const auto newest = m_deque.pop_bottom()) {
    if (to_run(**newest)) return *newest;
  }
  m_dead = 0;
  return next_injected();
}

task_future* worker::next_injected() {
  while (task_future* const oldest = m_home.take_from_outside()) {
    if (to_run(*oldest)) return oldest;
  }
  return nullptr;
}

task_future* worker::steal_round() {
  task_future* found = nullptr;
  m_victims.round([&](unsigned victim) { return (found = steal_from(m_home.worker_at(victim))) != nullptr; },
                  [](unsigned) { return std::size_t{0}; });
  return found;
}

task_future* worker::steal_from(worker& victim) {
  for (;;) {
    const queue::steal_result<task_future*> oldest = victim.m_deque.pop_top();
    if (oldest.status != queue::steal_status::item) return nullptr;
    if (to_run(*oldest.item)) return oldest.item;
  }
}

void worker::run_begun(task_future& begun) noexcept {
  begun.data = call(begun.task, &m_home, begun.data);
  if (begun.end.complete([](auto& woken) { woken.wake(); })) give_up(begun);
  // Last: with the last task's the pool may end.
  done.add_release();
}

// ---- Within a task ----

bool worker::submit(task_future& made) {
  spawned.add();  // before it can be found: done must never run ahead of it
  try {
    static_cast<void>(m_deque.push_bottom(&made));
  } catch (const std::bad_alloc&) {
    done.add_release();
    return false;
  }
  notify();
  return true;
}

// Wakes an idle worker, which may take anything, and a follower, which waits for this worker's task and may take
// nothing else.
void worker::notify() {
  static_cast<void>(m_home.notify());
  wake_follower();
}

void worker::wake_follower() {
  m_followers.notify([this](unsigned chosen) { m_home.worker_at(chosen).interrupt(); });
}

void worker::help_until_ended(task_future& awaited) {
  if (!awaited.begin.has_begun() && begin_awaited(awaited)) {
    run_begun(awaited);
    if (m_dead != 0) [[unlikely]]
      clear_dead();
  } else {
    help(awaited, awaited.begin.worker());
  }
}

bool worker::begin_awaited(task_future& awaited) {
  while (const auto newest = m_deque.pop_bottom()) {
    if (*newest == &awaited) [[likely]]
      return to_run(awaited);
    if (!(*newest)->begin.has_begun()) {
      put_back(**newest);
      break;
    }
    static_cast<void>(to_run(**newest));
  }
  if (!awaited.begin.begin_in_place(m_index)) return false;
  ++m_dead;
  return true;
}

// There is room: it has just been taken from there.
void worker::put_back(task_future& newest) {
  static_cast<void>(m_deque.push_bottom(&newest));
  notify();  // a worker that has looked meanwhile may be asleep by now
}

// Entries of tasks that were begun in place, or a task that submits and gets again and again would pile them up.
void worker::clear_dead() {
  for (; m_dead != 0; --m_dead) {
    const auto newest = m_deque.pop_bottom();
    if (!newest) break;
    if (!(*newest)->begin.has_begun()) return put_back(**newest);
    static_cast<void>(to_run(**newest));
  }
  m_dead = 0;
}

void worker::help(task_future& awaited, unsigned runner) {
  if (runner == m_index) fail_waits_for_below();
  // relaxed, here and where it is read: a hint.
  const int before = m_helps.load(std::memory_order_relaxed);
  m_helps.store(static_cast<int>(runner), std::memory_order_relaxed);
  waiter<worker> mine(this);
  bool listed = false;
  search_anew();
  while (listed ? !mine.is_released() : !awaited.end.has_ended()) {
    if (task_future* const begun = steal_for_help(runner)) {
      run_begun(*begun);
      search_anew();
    } else if (!m_pace.another_round()) {
      if (!listed) listed = awaited.end.add(mine);
      if (listed) sleep_until_released(mine, m_home.worker_at(runner));
      search_anew();
    }
  }
  m_helps.store(before, std::memory_order_relaxed);
}

void worker::search_anew() {
  m_pace.succeeded();
  m_pace.begin();
}

task_future* worker::steal_for_help(unsigned runner) {
  auto victim = static_cast<int>(runner);
  for (unsigned hops = m_home.worker_count(); hops > 0 && victim != nobody && victim != static_cast<int>(m_index);
       --hops) {
    worker& helped = m_home.worker_at(static_cast<unsigned>(victim));
    if (task_future* const begun = steal_from(helped)) {
      // The sleepers beside us would find it through us, as we did.
      if (helped.has_visible_work()) wake_follower();
      return begun;
    }
    victim = helped.m_helps.load(std::memory_order_relaxed);
  }
  return nullptr;
}

void worker::sleep_until_released(const waiter<worker>& mine, worker& runner) {
  sleep_beside(
      runner.m_followers, m_index, [&] { return mine.is_released() || runner.has_visible_work(); }, [&] { park(); },
      [&] {
        if (runner.has_visible_work()) runner.wake_follower();
      });
}

// ---- Memory ----

task_future* worker::take_memory() {
  if (m_free == nullptr) return nullptr;
  --m_free_count;
  return std::exchange(m_free, m_free->next);
}

bool worker::keep_memory(task_future& unused) {
  if (m_free_count == most_kept_futures) return false;
  unused.next = std::exchange(m_free, &unused);
  ++m_free_count;
  return true;
}

}  // namespace ramie::pool
