// The sleep and wake path: no work lies in a queue while a worker sleeps and nobody is on the way to it; one worker is
// woken for it, not two; a searcher that finds work passes the search on.
//
// Run loop, gate and drivers are those that ship. A queue here is one slot, so that every execution can be explored;
// the real queues are in small_scheduler.hpp. Producers never come to sleep: they are busy for as long as the execution
// lasts, so what they have pushed must be found by the others. If those sleep, nobody can go on, and the check says so.
#include <model/scenarios/scenario.hpp>

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
  explicit table(unsigned workers) : gate(workers), drivers(workers) {}

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
  unsigned wakes() {
    unsigned sum = 0;
    for (auto& each : woken) sum += each.load(relaxed);
    return sum;
  }

  static constexpr unsigned slot_count = 2;
  sleep_gate<provider> gate;
  std::array<atomic<job*>, slot_count> slots;
  std::deque<futex_idle_driver<provider>> drivers;
  std::array<atomic<unsigned>, 3> woken;
};

// A worker that goes through the shipped loop until it has run `jobs` jobs, or found `over` set.
class player {
 public:
  using item_type = job;
  player(table& at, unsigned index, unsigned jobs, atomic<bool>* over = nullptr)
      : m_at(at), m_index(index), m_left(jobs), m_over(over) {}

  void run() { detail::run_loop(*this).run(); }

  job* next_local() { return nullptr; }
  job* next_injected() { return nullptr; }
  job* steal_round() {
    for (unsigned slot = 0; slot < table::slot_count; ++slot) {
      if (job* const found = m_at.take(slot)) return found;
    }
    return nullptr;
  }
  void execute(job& found) {
    require(found.content == 1, "a job ran before what was written to it was seen");
    require(found.ran == 0, "a job ran twice");
    found.ran = 1;
    --m_left;
    if (found.body) found.body();
  }
  [[nodiscard]] unsigned index() const { return m_index; }
  sleep_gate<provider>& gate() { return m_at.gate; }
  void notify_of_injector() { m_at.notify(); }
  bool sees_work() {
    for (auto& each : m_at.slots) {
      if (each.load(relaxed) != nullptr) return true;
    }
    return false;
  }
  void finish_if_drained() {}
  [[nodiscard]] bool finished() const { return m_left == 0 || (m_over != nullptr && m_over->load(relaxed)); }
  void park() { m_at.drivers[m_index].wait(std::nullopt); }
  struct one_round {
    void begin() {}
    bool another_round() { return false; }
    void succeeded() {}
  };
  one_round pace() { return {}; }

 private:
  table& m_at;
  unsigned m_index;
  unsigned m_left;
  atomic<bool>* m_over;
};

}  // namespace

subject sleep_gate_subject() {
  return {"scheduler/sleep_gate.hpp",
          {{"a push beside a worker that falls asleep",
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
           {"two producers, two sleepers: one is woken", [] {
              table at(2);
              job first, second;
              at.gate.announce_sleep(0, false);
              at.gate.announce_sleep(1, false);
              threads([&] { at.push(0, first); }, [&] { at.push(1, second); });
              require(at.wakes() == 1, std::to_string(at.wakes()) + " sleepers were woken, not one");
              require(at.gate.counts().searching() == 1 && at.gate.counts().sleeping() == 1, "the gate has miscounted");
            }}}};
}

}  // namespace ramie::model
