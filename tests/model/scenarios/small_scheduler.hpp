// A scheduler of the shipped parts, small enough to be explored: run loop, gate, drivers, queues, injector,
// termination. Fibers are left out: an item is a function.
#pragma once

#include <model/checker/check.hpp>

#include <ramie/queue/family.hpp>
#include <ramie/queue/fifo_lane.hpp>
#include <ramie/queue/injector.hpp>
#include <ramie/scheduler/fork_list.hpp>
#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/park_word.hpp>
#include <ramie/scheduler/run_loop.hpp>
#include <ramie/scheduler/statistics.hpp>
#include <ramie/scheduler/task_deque.hpp>
#include <ramie/scheduler/termination.hpp>

#include "scheduler/batches.hpp"
#include "scheduler/foreign_callers.hpp"
#include "scheduler/fork_protocol.hpp"
#include "scheduler/waiting_threads.hpp"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ramie::model {

/// Steps that a scheduler can be made without, to see that its scenarios notice.
enum class planted : std::uint8_t {
  nothing,
  no_recheck,              // S3: a worker sleeps without a last look
  notice_before_push,      // P2 before P1
  no_notice_of_rest,       // the rest of a stolen batch goes to the lane silently
  no_notice_by_pop,        // a pop gives thieves what they have asked for, silently
  no_notice_of_offer,      // a fork that is offered goes to the lane silently
  no_request_of_forks,     // a worker sleeps, and has not asked those who fork
  no_look_by_finder,       // X3
  no_wake_at_the_end,      // the one that finds the run over tells nobody
  counted_after_push,      // a spawn is counted when it may have run already
  calls_counted_early,     // of calls that follow one another the second is counted as done with the first
  published_too_early,     // a fiber is made visible before it has left its stack
  written_after_hand_over  // a worker is touched when another thread has it
};

class small_worker;
struct fork_frame;

/// A piece of work that is run once, by a worker that sees what was written to it before it was pushed.
struct item {
  plain<item*> next = nullptr;
  plain<int> content = 0;
  plain<int> ran = 0;
  plain<int> times = 1;                 // that it is to run: once more than it suspends
  plain<int> stack = 0;                 // what it has left there: how often it has suspended
  plain<bool> lost_its_worker = false;  // while it runs: the worker has left its thread
  bool call = false;                    // runs where another call has run, and is counted as done with it
  fork_frame* taken_from = nullptr;     // of a fork that has become a task
  std::function<void(small_worker&)> body;
};

class small_scheduler;

/// A fork: its function, the same for every taker.
struct fork_frame {
  explicit fork_frame(item& function) : forked(function) {}

  provider::atomic<fork_frame*> older{nullptr};
  item& forked;
  provider::atomic<bool> done{false};  // of one that has become a task
};

class small_worker {
 public:
  using item_type = item;
  using lane_type = queue::fifo_lane<item*, 4, provider>;

  using deque_type = queue::any_queue<item*>;

  small_worker(small_scheduler& home, unsigned index, std::unique_ptr<deque_type> holds)
      : deque(std::move(holds)), m_home(home), m_index(index) {}

  /// This worker's thread, until the run is over, or, false, until the worker has left it.
  bool run() { return detail::run_loop(*this).run(); }
  /// The fiber that this worker runs spawns another, or makes one ready.
  void spawn(item& fresh);
  void push_ready(item& woken);
  /// The item that runs here forks, and joins the newest fork: runs it, or waits, on its worker, for the worker that
  /// does.
  void fork(fork_frame& fresh);
  void join(fork_frame& newest);
  /// `running`, which runs here, gives this worker to a thread that waits for one, and goes on without it.
  void leave_thread(item& running);
  /// It waits for something else.
  void give_forks_away();
  /// The item that runs here leaves its stack when its body returns; then publish() makes it visible.
  void suspend(std::function<void()> publish) { m_after = std::move(publish); }

  // ---- For run_loop ----

  item* next_local();
  item* next_injected();
  item* steal_round();
  void look_everywhere() {}
  bool should_nap() { return false; }
  bool nap() { return false; }
  void before_sleep();
  void after_sleep() {}
  bool execute(item& found);
  [[nodiscard]] unsigned index() {  // the loop asks for it when it announces a sleep, before its last look
    m_announced = true;
    return m_index;
  }
  detail::sleep_gate<provider>& gate();
  void notify();
  void notify_of_injector() { notify(); }
  bool sees_work();
  void finish_if_drained();
  [[nodiscard]] bool finished();
  void park() { driver.wait(std::nullopt); }

  struct one_round {
    void begin() {}
    bool another_round() { return false; }
  };
  one_round pace() { return {}; }
  void search_succeeded() {}

  struct totals {
    detail::basic_owned_count<provider> spawned, done;
  } counts;
  std::unique_ptr<deque_type> deque;
  lane_type lane;
  detail::fork_list<fork_frame, provider> forks;
  futex_idle_driver<provider> driver;

 private:
  void offer(fork_frame& taken);
  item& task_of(fork_frame& taken);
  void run_calls(item& first);
  void begin(item& found);
  item* steal_queued(small_worker& victim);
  item* steal_fork(small_worker& victim);

  small_scheduler& m_home;
  unsigned m_index;
  bool m_announced = false;
  plain<int> m_begun = 0;  // written by the thread that holds it alone
  std::function<void()> m_after;
};

class small_scheduler {
 public:
  explicit small_scheduler(unsigned workers, planted fault = planted::nothing, queue::kind which = queue::kind::split)
      : gate(workers), m_fault(fault) {
    // Small: its cells are used again, it grows, its blocks change hands.
    queue::family<item*, provider> deques(which, {.capacity = 2, .blocks = {2, 2, queue::grant::early}});
    for (unsigned i = 0; i < workers; ++i) all.push_back(std::make_unique<small_worker>(*this, i, deques.make()));
  }

  small_worker& operator[](std::size_t index) { return *all[index]; }
  [[nodiscard]] bool has(planted fault) const { return m_fault == fault; }

  /// Any thread.
  void inject(item& fresh) {
    outside.enter();
    ending.count_spawned_outside();
    push_outside(fresh);
    outside.leave();
  }
  /// The same for one that is counted already.
  void push_outside(item& fresh) {
    fresh.content = 1;
    if (has(planted::notice_before_push)) notify();
    injector.push(&fresh);
    if (!has(planted::notice_before_push)) notify();
  }
  void drain() {
    ending.drain([this] { wake_everyone(); });
  }
  void notify() {
    gate.notify([this](unsigned chosen) { all[chosen]->driver.interrupt(); });
  }
  void wake_everyone() {
    gate.notify_all([this](unsigned chosen) { all[chosen]->driver.interrupt(); });
  }

  /// A thread that holds one worker after another; null: that waits for the first.
  void carry(small_worker* first) {
    detail::waiting_threads<small_worker, provider>::place place;
    for (small_worker* mine = first != nullptr ? first : waiting.wait(place); mine != nullptr;
         mine = waiting.wait(place)) {
      if (mine->run()) waiting.end();
    }
  }

  /// When all threads have ended.
  void require_rest() {
    require(gate.counts().sleeping() == 0, "the run is over and the gate has a sleeper");
    require(gate.counts().searching() == 0, "the run is over and somebody searches");
  }

  detail::sleep_gate<provider> gate;
  queue::injector<item, provider> injector;
  detail::termination<provider> ending;
  detail::foreign_callers<provider> outside;
  detail::waiting_threads<small_worker, provider> waiting;
  std::vector<std::unique_ptr<small_worker>> all;

 private:
  planted m_fault;
};

// A thief's patience with forks, in looks: it asks once, and then helps itself.
inline constexpr int patience_with_forks = 1;

inline detail::sleep_gate<provider>& small_worker::gate() { return m_home.gate; }
inline void small_worker::notify() { m_home.notify(); }
inline bool small_worker::finished() { return m_home.ending.finished(); }

inline void small_worker::spawn(item& fresh) {
  fresh.content = 1;
  if (!m_home.has(planted::counted_after_push)) counts.spawned.add();
  if (m_home.has(planted::notice_before_push)) notify();
  require(deque->push_bottom(&fresh), "the deque is full");
  if (m_home.has(planted::counted_after_push)) counts.spawned.add();
  if (!m_home.has(planted::notice_before_push)) notify();
}

// One that exists already, and is counted: it has waited and can go on.
inline void small_worker::push_ready(item& woken) {
  require(lane.push_bottom(&woken), "the lane is full");
  notify();
}

inline item* small_worker::next_local() {
  m_announced = false;  // the loop is back from a sleep
  if (const auto ready = lane.pop_bottom()) return *ready;
  if (item* const newest = detail::pop_and_notify(*deque, [this] {
        if (!m_home.has(planted::no_notice_by_pop)) notify();
      })) {
    return newest;
  }
  return next_injected();
}

inline item* small_worker::next_injected() {
  return detail::take_injected_batch(
      m_home.injector, lane, m_home.all.size(), true, [](auto&&) {},
      [this] {
        if (!m_home.has(planted::no_notice_of_rest)) notify();
      });
}

inline item* small_worker::steal_round() {
  for (const auto& victim : m_home.all) {
    if (victim.get() == this) continue;
    if (item* const queued = steal_queued(*victim)) return queued;
    if (!victim->forks.stealable()) continue;
    if (item* const forked = steal_fork(*victim)) return forked;
  }
  return nullptr;
}

inline item* small_worker::steal_queued(small_worker& victim) {
  return detail::steal_batch(*victim.deque, victim.lane, lane,
                             [this] {
                               if (!m_home.has(planted::no_notice_of_rest)) notify();
                             })
      .first;
}

inline item* small_worker::steal_fork(small_worker& victim) {
  return detail::steal_fork(
      victim.forks, victim.lane, patience_with_forks, 0, [&] { return steal_queued(victim); },
      [&](fork_frame& oldest) { return &task_of(oldest); });
}

inline void small_worker::before_sleep() {
  if (m_home.has(planted::no_request_of_forks)) return;
  for (const auto& each : m_home.all) each->forks.want_before_sleep();
}

inline item& small_worker::task_of(fork_frame& taken) {
  counts.spawned.add();
  taken.forked.taken_from = &taken;
  return taken.forked;
}

inline void small_worker::offer(fork_frame& taken) {
  require(lane.push_bottom(&task_of(taken)), "the lane is full");
  if (!m_home.has(planted::no_notice_of_offer)) notify();
}

inline void small_worker::fork(fork_frame& fresh) {
  fresh.older.store(forks.newest(), std::memory_order_relaxed);
  fresh.forked.content = 1;
  forks.push(fresh);
  if (!forks.wanted()) return;
  static_cast<void>(detail::answer_requests(
      forks, static_cast<fork_frame*>(nullptr), lane, gate(), true, [this](fork_frame& oldest) { offer(oldest); },
      [this] { notify(); }));
}

inline void small_worker::join(fork_frame& newest) {
  if (forks.pop(newest) ||
      detail::answer_requests(
          forks, &newest, lane, gate(), true, [this](fork_frame& oldest) { offer(oldest); }, [this] { notify(); })) {
    newest.forked.ran = newest.forked.ran + 1;
    if (newest.forked.body) newest.forked.body(*this);
    return;
  }
  while (item* const other = next_local()) execute(*other);  // nobody else pushes here
  while (!newest.done.load(std::memory_order_acquire)) provider::pause();
}

inline void small_worker::give_forks_away() {
  detail::give_forks_away(forks, gate(), true, [this](fork_frame& each) {
    require(deque->push_bottom(&task_of(each)), "the deque is full");
    notify();
  });
}

inline void small_worker::begin(item& found) {
  require(found.content == 1, "an item ran before what was written to it was seen");
  require(found.ran < found.times, "an item ran twice");
  require(found.stack == found.ran, "a fiber went on before it had left its stack");
  found.ran = found.ran + 1;
  m_begun = m_begun + 1;
  if (found.body) found.body(*this);
}

inline void small_worker::leave_thread(item& running) {
  auto* const waiting = m_home.waiting.take();
  if (waiting == nullptr) return;
  running.lost_its_worker = true;
  waiting->hand(*this);
  if (m_home.has(planted::written_after_hand_over)) m_begun = m_begun + 1;
}

// As worker::run_calls(): one after another, and counted as done all at once.
inline void small_worker::run_calls(item& first) {
  item* next = &first;
  std::uint64_t calls = 0;
  std::uint64_t counted = 0;
  for (; next != nullptr && next->call; next = next_local()) {
    begin(*next);
    require(!m_home.ending.finished(), "the run is over, and a call is still running");
    ++calls;
    if (m_home.has(planted::calls_counted_early) && calls == 1) {
      counted = 2;
      counts.done.add_release(counted);
    }
  }
  if (calls > counted) counts.done.add_release(calls - counted);
  if (next != nullptr) execute(*next);
}

inline bool small_worker::execute(item& found) {
  if (found.call) return run_calls(found), true;
  small_scheduler& home = m_home;
  begin(found);
  if (found.lost_its_worker) {  // as detail::publish_returned(): this worker is another thread's
    found.lost_its_worker = false;
    found.stack = found.stack + 1;
    home.outside.enter();
    home.push_outside(found);
    home.outside.leave();
    return false;
  }
  if (m_after) {  // as worker::arrive(), on the far side of the switch
    const std::function<void()> publish = std::exchange(m_after, nullptr);
    const bool early = m_home.has(planted::published_too_early);
    if (early) publish();
    found.stack = found.stack + 1;
    if (!early) publish();
    return true;
  }
  require(!m_home.ending.finished(), "the run is over, and an item is still running");
  if (fork_frame* const joined = found.taken_from) joined->done.store(true, std::memory_order_release);
  counts.done.add_release();
  return true;
}

inline bool small_worker::sees_work() {
  if (m_home.has(planted::no_recheck) || m_home.has(planted::no_look_by_finder)) {
    if (std::exchange(m_announced, false) == m_home.has(planted::no_recheck)) return false;
  }
  if (m_home.injector.size() != 0) return true;
  for (const auto& each : m_home.all) {
    if (each->deque->stealable() || each->lane.stealable() || each->forks.stealable()) return true;
  }
  return false;
}

inline void small_worker::finish_if_drained() {
  struct range {
    std::vector<std::unique_ptr<small_worker>>& all;
    struct iterator {
      std::unique_ptr<small_worker>* at;
      totals& operator*() const { return (*at)->counts; }
      iterator& operator++() {
        ++at;
        return *this;
      }
      bool operator!=(const iterator& other) const { return at != other.at; }
    };
    [[nodiscard]] iterator begin() const { return {all.data()}; }
    [[nodiscard]] iterator end() const { return {all.data() + all.size()}; }
  };
  m_home.ending.finish_if_drained(range{m_home.all}, [this] {
    if (!m_home.has(planted::no_wake_at_the_end)) m_home.wake_everyone();
  });
}

}  // namespace ramie::model
