#include <model/scenarios/drivers.hpp>
#include <model/scenarios/pair_of_jobs.hpp>

#include <support/repetitions.hpp>

#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/park_word.hpp>
#include <ramie/scheduler/run_loop.hpp>

#include "scheduler/reap_turn.hpp"
#include "scheduler/timekeeper.hpp"

#include <deque>
#include <utility>

namespace ramie::model {

using enum std::memory_order;

namespace {

// ---- The turn ----

// Words that the kernel writes, and the holder of the turn reads. The kernel's writes are relaxed here: that a holder
// sees them comes from the turn alone.
struct queue_of_completions {
  atomic<int> first{0}, second{0};
  plain<int> taken = 0;  // by those who have the turn
  detail::reap_turn<provider> turn;

  // The kernel's part, then the worker's.
  void complete(atomic<int>& word) {
    word.store(1, relaxed);
    static_cast<void>(reap());
  }

  bool reap() {
    return turn.take([this] {
      const int both = first.load(relaxed) + second.load(relaxed);
      if (taken < both) taken = both;
    });
  }
};

// ---- Rings, workers, a kernel ----

struct job {
  plain<int> ran = 0;
  std::function<void()> body;
};

class ring_worker;

struct rings {
  explicit rings(unsigned workers, without what = without::nothing) : fault(what), gate(workers), each(workers) {}

  struct ring {
    atomic<job*> completed{nullptr};
    atomic<job*> also_completed{nullptr};
    detail::reap_turn<provider> turn;
    futex_idle_driver<provider> bell;
    atomic<job*> lane{nullptr}, also_lane{nullptr};  // of its worker: what is ready

    bool has_completions() { return completed.load(acquire) != nullptr || also_completed.load(acquire) != nullptr; }
  };

  // The kernel: completions first, then the bell of the worker that sleeps in the ring, then that of the watcher.
  void complete(unsigned at, job& done, job* also = nullptr) {
    if (also != nullptr) each[at].also_completed.store(also, release);
    each[at].completed.store(&done, release);
    each[at].bell.interrupt();
    provider::fence_seq_cst();
    if (const int watching = watcher.load(relaxed); watching >= 0 && watching != static_cast<int>(at))
      each[static_cast<unsigned>(watching)].bell.interrupt();
  }
  // Any thread that pushes: P2 to P5. `by` is a worker, or -1.
  void notify(int by) {
    gate.notify([&](unsigned chosen) {
      require(static_cast<int>(chosen) != by, "a worker wakes itself");
      each[chosen].bell.interrupt();
    });
  }
  void push(job& fresh) {
    slot.store(&fresh, release);
    notify(-1);
  }
  // By a worker's thread, from any ring.
  bool reap(unsigned at, unsigned by) {
    bool any = false;
    each[at].turn.take([&] {
      for (auto* from : {&each[at].completed, &each[at].also_completed}) {
        job* const done = from->load(acquire);
        if (done == nullptr) continue;
        from->store(nullptr, relaxed);
        make_ready(*done, by);
        any = true;
      }
    });
    return any;
  }
  void make_ready(job& done, unsigned by) {
    ring& mine = each[by];
    atomic<job*>& place = mine.lane.load(relaxed) == nullptr ? mine.lane : mine.also_lane;
    require(place.load(relaxed) == nullptr, "the lane is full");
    place.store(&done, release);
    notify(static_cast<int>(by));
  }
  static job* take(atomic<job*>& from) {
    return from.load(relaxed) != nullptr ? from.exchange(nullptr, acquire) : nullptr;
  }
  job* take_from_lane(unsigned of) {
    if (job* const ready = take(each[of].lane)) return ready;
    return take(each[of].also_lane);
  }

  void end_run() {
    over.store(true, release);
    for (ring& each_one : each) each_one.bell.interrupt();
  }

  const without fault;
  atomic<bool> over{false};
  detail::sleep_gate<provider> gate;
  detail::timekeeper<provider> keeper;
  atomic<int> watcher{-1};
  atomic<job*> slot{nullptr};  // a queue of somebody who is busy
  std::deque<ring> each;
};

// Goes through the shipped loop until it has run so many jobs. Naps once if it is to: until its own ring has something,
// however long that takes. So nobody may rely on it meanwhile.
class ring_worker {
 public:
  using item_type = job;
  ring_worker(rings& at, unsigned index, unsigned jobs, bool naps = false)
      : m_at(at), m_index(index), m_left(jobs), m_naps(naps) {}
  void run() { detail::run_loop(*this).run(); }

  job* next_local() {
    if (job* const ready = m_at.take_from_lane(m_index)) return ready;
    return m_at.each[m_index].has_completions() && m_at.reap(m_index, m_index) ? m_at.take_from_lane(m_index) : nullptr;
  }
  job* next_injected() { return nullptr; }
  void look_everywhere() {}
  job* steal_round() {
    for (unsigned other = 0; other < m_at.each.size(); ++other) {
      if (m_at.each[other].has_completions() && m_at.reap(other, m_index)) {
        if (job* const ready = m_at.take_from_lane(m_index)) return ready;
      }
      if (job* const stolen = m_at.take_from_lane(other)) return stolen;
    }
    return rings::take(m_at.slot);
  }
  bool execute(job& found) {
    require(found.ran == 0, "a job ran twice");
    found.ran = 1;
    --m_left;
    if (found.body) found.body();
    return true;
  }
  [[nodiscard]] unsigned index() const { return m_index; }
  detail::sleep_gate<provider>& gate() { return m_at.gate; }
  void notify_of_injector() { m_at.notify(static_cast<int>(m_index)); }
  bool sees_work() {
    if (std::exchange(m_prepares_nap, false) && m_at.fault == without::look_before_nap) return false;
    if (m_at.slot.load(relaxed) != nullptr) return true;
    for (auto& each : m_at.each) {
      if (each.lane.load(relaxed) != nullptr || each.also_lane.load(relaxed) != nullptr) return true;
      if (m_at.fault != without::look_at_drivers && each.has_completions()) return true;
    }
    return m_at.fault != without::another_timekeeper && !m_at.keeper.exists();
  }
  void finish_if_drained() {}
  [[nodiscard]] bool finished() const { return m_left == 0 || m_at.over.load(relaxed); }
  bool should_nap() {
    if (!std::exchange(m_naps, false)) return false;
    if (m_at.fault != without::end_of_search) return m_prepares_nap = true;
    wait_for_own();
    return false;
  }
  bool nap() {
    m_prepares_nap = false;
    wait_for_own();
    return m_at.reap(m_index, m_index);
  }
  void before_sleep() {
    m_keeps_time = m_at.keeper.begin(m_index, detail::no_deadline);
    if (m_keeps_time && m_at.fault != without::watch && m_at.fault != without::watch_before_look) watch(true);
  }
  void park() {
    if (m_keeps_time && m_at.fault == without::watch_before_look) watch(true);
    for (auto& bell = m_at.each[m_index].bell; !m_at.each[m_index].has_completions();) {
      bell.wait(std::nullopt);
      break;
    }
    if (m_at.fault == without::retraction_before_poll) static_cast<void>(m_at.reap(m_index, m_index));
  }
  void after_sleep() {
    if (m_keeps_time) {
      if (m_at.fault == without::end_of_watch_first) m_at.keeper.end();
      watch(false);
      if (m_at.fault != without::end_of_watch_first) m_at.keeper.end();
    }
    static_cast<void>(m_at.reap(m_index, m_index));
  }
  struct one_round {
    void begin() {}
    bool another_round() { return false; }
  };
  one_round pace() { return {}; }
  void search_succeeded() {}

 private:
  void watch(bool others) { m_at.watcher.store(others ? static_cast<int>(m_index) : -1, relaxed); }
  void wait_for_own() {
    while (!m_at.each[m_index].has_completions() && !m_at.over.load(relaxed))
      m_at.each[m_index].bell.wait(std::nullopt);
  }

  rings& m_at;
  unsigned m_index;
  unsigned m_left;
  bool m_naps;
  bool m_prepares_nap = false;
  bool m_keeps_time = false;
};

const limits large{.how = search::walks, .walks = test::sanitized ? 1'000 : test::repetitions(20'000)};

}  // namespace

subject reap_turn_subject() {
  return {"scheduler/reap_turn.hpp",
          {{"a completion beside one who looks",
            [] {
              queue_of_completions of;
              threads([&] { of.reap(); }, [&] { of.complete(of.first); });
              require(of.taken == 1, "a completion was left, and nobody looks again");
            }},
           {"two completions, and two who look",
            [] {
              queue_of_completions of;
              threads([&] { of.complete(of.first); }, [&] { of.complete(of.second); });
              require(of.taken == 2, "a completion was left, and nobody looks again");
            }},
           {"two completions, and three who look",
            [] {
              queue_of_completions of;
              threads([&] { of.complete(of.first); }, [&] { of.complete(of.second); }, [&] { of.reap(); });
              require(of.taken == 2, "a completion was left, and nobody looks again");
            },
            {.how = search::bounded, .executions = 200'000}},
           {"a worker that changes threads beside one who looks", [] {
              queue_of_completions of;
              threads(
                  [&] {
                    of.turn.exclude([&] { of.taken = of.taken + 0; });
                    of.reap();
                  },
                  [&] {
                    of.first.store(1, relaxed);
                    of.reap();
                  });
              require(of.taken == 1, "a completion was left, and nobody looks again");
            }}}};
}

const std::vector<driver_scenario>& driver_scenarios() {
  static const std::vector<driver_scenario> all = {
      {"a completion of a busy worker beside one that falls asleep",
       [](without fault) {
         rings at(2, fault);
         job done;
         ring_worker sleeps(at, 1, 1);
         threads([&] { at.complete(0, done); }, [&] { sleeps.run(); });
         require(done.ran == 1, "a completion was lost");
       }},
      {"a completion of a worker that falls asleep",
       [](without fault) {
         rings at(1, fault);
         job done;
         ring_worker sleeps(at, 0, 1);
         threads([&] { at.complete(0, done); }, [&] { sleeps.run(); });
         require(done.ran == 1, "a completion was lost");
       }},
      // The task is what the timekeeper wakes for, and it needs what completes meanwhile on the ring of a busy worker.
      {"a completion while the timekeeper is in a long task",
       [](without fault) {
         rings at(3, fault);
         pair_of_jobs<job> jobs;
         ring_worker first(at, 1, 1), second(at, 2, 1);
         threads([&] { at.push(jobs.first); }, [&] { at.complete(0, jobs.second); }, [&] { first.run(); },
                 [&] { second.run(); });
       },
       large},
      {"two completions at once of a worker that falls asleep, which need each other",
       [](without fault) {
         rings at(2, fault);
         pair_of_jobs<job> jobs;
         ring_worker first(at, 0, 1), second(at, 1, 1);
         threads([&] { at.complete(0, jobs.first, &jobs.second); }, [&] { first.run(); }, [&] { second.run(); });
       },
       large},
      // Its nap ends when the job has run.
      {"a push beside a worker that naps and one that falls asleep",
       [](without fault) {
         rings at(2, fault);
         job pushed, done;
         pushed.body = [&] { at.complete(0, done); };
         done.body = [&] { at.end_run(); };
         ring_worker naps(at, 0, 3, true), sleeps(at, 1, 3);
         threads([&] { at.push(pushed); }, [&] { naps.run(); }, [&] { sleeps.run(); });
         require(pushed.ran == 1 && done.ran == 1, "a job was lost");
       },
       large}};
  return all;
}

}  // namespace ramie::model
