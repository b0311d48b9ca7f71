// The sleep and wake path: no work lies in a queue while a worker sleeps and nobody is on the way to it; one worker is
// woken for it, not two; a searcher that finds work passes the search on.
//
// Run loop, gate and drivers are those that ship. A queue here is one slot, so that every execution can be explored;
// the real queues are in small_scheduler.hpp. Producers never come to sleep: they are busy for as long as the execution
// lasts, so what they have pushed must be found by the others. If those sleep, nobody can go on, and the check says so.
#include <model/scenarios/pair_of_jobs.hpp>
#include <model/scenarios/scenario.hpp>

#include <support/repetitions.hpp>

#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/park_word.hpp>
#include <ramie/scheduler/run_loop.hpp>

#include <array>
#include <deque>

namespace ramie::model {
namespace {

using enum std::memory_order;

struct job {
  plain<int> content = 0;
  plain<int> ran = 0;
  std::function<void()> body;
};

class player;

struct table {
  explicit table(unsigned workers) : gate(workers), drivers(workers), woken(workers) {}

  // Any thread. P1 to P5.
  void push(unsigned slot, job& fresh) {
    fresh.content = 1;
    slots[slot].store(&fresh, release);
    notify();
  }
  void notify() {
    gate.notify([this](unsigned chosen) {
      woken[chosen].fetch_add(1, relaxed);
      drivers[chosen].interrupt();
    });
  }
  job* take(unsigned slot) {
    if (slots[slot].load(relaxed) == nullptr) return nullptr;
    return slots[slot].exchange(nullptr, acquire);
  }
  bool sees_work() {
    for (auto& each : slots) {
      if (each.load(relaxed) != nullptr) return true;
    }
    return false;
  }
  // The end of a run.
  void wake_everyone() {
    gate.notify_all([this](unsigned chosen) { drivers[chosen].interrupt(); });
  }
  void require_rest() {
    require(gate.counts().sleeping() == 0, "nobody runs any more, and the gate has a sleeper");
    require(gate.counts().searching() == 0, "nobody runs any more, and the gate has a searcher");
  }
  unsigned wakes() {
    unsigned sum = 0;
    for (auto& each : woken) sum += each.load(relaxed);
    return sum;
  }

  static constexpr unsigned slot_count = 2;
  detail::sleep_gate<provider> gate;
  std::array<atomic<job*>, slot_count> slots;
  std::deque<futex_idle_driver<provider>> drivers;
  std::deque<atomic<unsigned>> woken;
};

// A worker that goes through the shipped loop until it has run `jobs` jobs, or found `over` set.
class player {
 public:
  using item_type = job;
  player(table& at, unsigned index, unsigned jobs, atomic<bool>* over = nullptr)
      : m_at(at), m_index(index), m_left(jobs), m_over(over) {}

  void run() { detail::run_loop(*this).run(); }
  // The body has announced that it sleeps.
  void run_from_sleep() {
    park();
    static_cast<void>(gate().retract_sleep(m_index));
    if (gate().stop_searching() && sees_work()) m_at.notify();
    run();
  }

  job* next_local() { return nullptr; }
  job* next_injected() { return nullptr; }
  void look_everywhere() {}
  bool should_nap() { return false; }
  bool nap() { return false; }
  void before_sleep() {}
  void after_sleep() {}
  job* steal_round() {
    for (unsigned slot = 0; slot < table::slot_count; ++slot) {
      if (job* const found = m_at.take(slot)) return found;
    }
    return nullptr;
  }
  bool execute(job& found) {
    require(found.content == 1, "a job ran before what was written to it was seen");
    require(found.ran == 0, "a job ran twice");
    found.ran = 1;
    --m_left;
    if (found.body) found.body();
    return true;
  }
  [[nodiscard]] unsigned index() const { return m_index; }
  detail::sleep_gate<provider>& gate() { return m_at.gate; }
  void notify_of_injector() { m_at.notify(); }
  bool sees_work() { return m_at.sees_work(); }
  void finish_if_drained() {}
  [[nodiscard]] bool finished() const { return m_left == 0 || (m_over != nullptr && m_over->load(relaxed)); }
  void park() { m_at.drivers[m_index].wait(std::nullopt); }
  struct one_round {
    void begin() {}
    bool another_round() { return false; }
  };
  one_round pace() { return {}; }
  void search_succeeded() {}

 private:
  table& m_at;
  unsigned m_index;
  unsigned m_left;
  atomic<bool>* m_over;
};

// More threads and steps than can be explored whole.
const limits large{.how = search::walks, .walks = test::sanitized ? 1'000 : test::repetitions(20'000)};

// ---- The gate alone, from a state in which it has searchers and sleepers ----
//
// A worker that has found work is busy for ever, one that sleeps stays asleep unless it is chosen. So what is in a slot
// at the end has been seen by somebody, or a sleeper was chosen for it.

enum class searcher_does : std::uint8_t { finds_work, finds_nothing };

void push_beside_searchers(std::initializer_list<searcher_does> searchers) {
  const auto count = static_cast<unsigned>(searchers.size());
  table at(2 * count + 1);
  job pushed;
  std::array<plain<bool>, 2> seen{};
  for (unsigned i = 0; i < count; ++i) require(at.gate.start_searching(), "a search was refused");
  at.gate.announce_sleep(count, false);
  const auto search = [&](unsigned index, searcher_does what) {
    if (what == searcher_does::finds_work) {
      if (at.gate.stop_searching() && at.sees_work()) at.notify();
      return;
    }
    at.gate.announce_sleep(index, true);
    if (!at.sees_work()) return;
    if (at.gate.retract_sleep(index) == detail::retraction::done) static_cast<void>(at.gate.stop_searching());
    seen[index] = true;
  };
  if (count == 1) {
    threads([&] { at.push(0, pushed); }, [&] { search(0, searchers.begin()[0]); });
  } else {
    threads([&] { at.push(0, pushed); }, [&] { search(0, searchers.begin()[0]); },
            [&] { search(1, searchers.begin()[1]); });
  }
  require(seen[0] || seen[1] || at.wakes() >= 1, "a job lies there, and all who could look for it sleep");
  require(at.wakes() <= 1, "two were woken for one job");
}

// A sleeper that sees work and would rather not sleep, while a producer chooses it.
void retraction_beside_a_push() {
  table at(1);
  job pushed;
  threads([&] { at.push(0, pushed); },
          [&] {
            at.gate.announce_sleep(0, false);
            const bool sees = at.sees_work();
            if (!sees || at.gate.retract_sleep(0) == detail::retraction::already_chosen)
              at.drivers[0].wait(std::nullopt);
            static_cast<void>(at.gate.retract_sleep(0));
            require(at.take(0) == &pushed, "woken for nothing");
            static_cast<void>(at.gate.stop_searching());
          });
  at.require_rest();
}

// Workers that want to search, while others do.
void searches_are_limited() {
  table at(2);
  atomic<int> searching{0};
  const auto search = [&] {
    if (!at.gate.start_searching()) return;
    require(searching.fetch_add(1, relaxed) == 0, "more search than may");
    searching.fetch_sub(1, relaxed);
    static_cast<void>(at.gate.stop_searching());
  };
  threads(search, search);
  at.require_rest();
}

// ---- The whole loop ----

}  // namespace

subject sleep_gate_subject() {
  subject of{
      "scheduler/sleep_gate.hpp",
      {{"a push beside a searcher that finds other work", [] { push_beside_searchers({searcher_does::finds_work}); }},
       {"a push beside a searcher that finds nothing", [] { push_beside_searchers({searcher_does::finds_nothing}); }},
       {"a push beside two searchers that find other work",
        [] { push_beside_searchers({searcher_does::finds_work, searcher_does::finds_work}); }},
       {"a push beside a searcher that finds work and one that does not",
        [] { push_beside_searchers({searcher_does::finds_work, searcher_does::finds_nothing}); }},
       {"a push beside two searchers that find nothing",
        [] { push_beside_searchers({searcher_does::finds_nothing, searcher_does::finds_nothing}); }},
       {"a sleeper that changes its mind", [] { retraction_beside_a_push(); }},
       {"two that want to search, where one may", [] { searches_are_limited(); }},
       {"a push beside a worker that falls asleep",
        [] {
          table at(1);
          job one;
          player worker(at, 0, 1);
          threads([&] { at.push(0, one); }, [&] { worker.run(); });
          require(one.ran == 1, "a job was lost");
        }},
       {"two pushes beside a worker that falls asleep",
        [] {
          table at(1);
          job first, second;
          player worker(at, 0, 2);
          threads([&] { at.push(0, first); }, [&] { at.push(1, second); }, [&] { worker.run(); });
          require(first.ran == 1 && second.ran == 1, "a job was lost");
        }},
       {"two pushes, one after the other, beside a worker that falls asleep",
        [] {
          table at(1);
          job first, second;
          player worker(at, 0, 2);
          threads(
              [&] {
                at.push(0, first);
                at.push(1, second);
              },
              [&] { worker.run(); });
          require(first.ran == 1 && second.ran == 1, "a job was lost");
        }},
       {"a push beside two workers that fall asleep",
        [] {
          table at(2);
          job one;
          atomic<bool> over{false};
          one.body = [&] {
            over.store(true, release);
            at.wake_everyone();
          };
          player first(at, 0, 2, &over), second(at, 1, 2, &over);
          threads([&] { at.push(0, one); }, [&] { first.run(); }, [&] { second.run(); });
          require(one.ran == 1, "a job was lost");
          at.require_rest();
        },
        large},
       // The first job needs the second one to run meanwhile, on another worker: so a searcher that has found
       // work must pass the search on, and a producer that has relied on it is not let down.
       {"two jobs that need each other",
        [] {
          table at(2);
          pair_of_jobs<job> jobs;
          player first(at, 0, 1), second(at, 1, 1);
          threads(
              [&] {
                at.push(0, jobs.first);
                at.push(1, jobs.second);
              },
              [&] { first.run(); }, [&] { second.run(); });
        },
        large},
       {"two jobs that need each other, of two producers, before two sleepers",
        [] {
          table at(2);
          pair_of_jobs<job> jobs;
          player first(at, 0, 1), second(at, 1, 1);
          at.gate.announce_sleep(0, false);
          at.gate.announce_sleep(1, false);
          threads([&] { at.push(0, jobs.first); }, [&] { at.push(1, jobs.second); }, [&] { first.run_from_sleep(); },
                  [&] { second.run_from_sleep(); });
        },
        large},
       {"a worker that searches while two jobs come that need each other",
        [] {
          table at(2);
          pair_of_jobs<job> jobs;
          player first(at, 0, 1), second(at, 1, 1);
          at.gate.announce_sleep(1, false);
          threads(
              [&] {
                at.push(0, jobs.first);
                at.push(1, jobs.second);
              },
              [&] { first.run(); }, [&] { second.run_from_sleep(); });
        },
        large},
       {"two producers, two sleepers: one is woken", [] {
          table at(2);
          job first, second;
          at.gate.announce_sleep(0, false);
          at.gate.announce_sleep(1, false);
          threads([&] { at.push(0, first); }, [&] { at.push(1, second); });
          require(at.wakes() == 1, std::to_string(at.wakes()) + " sleepers were woken, not one");
          require(at.gate.counts().searching() == 1 && at.gate.counts().sleeping() == 1, "the gate has miscounted");
        }}}};
  // The same word tells who keeps the time.
  for (const scenario& each : timekeeper_subject().scenarios) of.scenarios.push_back(each);
  return of;
}

// The word is a header of its own, because spawns look at it.
subject idle_word_subject() {
  subject of = sleep_gate_subject();
  of.header = "scheduler/idle_word.hpp";
  return of;
}

}  // namespace ramie::model
