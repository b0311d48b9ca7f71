// Deadlines: the heap of those who wait, and which of the sleeping workers keeps the time.
#include <model/scenarios/scenario.hpp>

#include <ramie/scheduler/park_word.hpp>
#include <ramie/scheduler/sleep_gate.hpp>

#include "scheduler/timekeeper.hpp"
#include "scheduler/timer_heap.hpp"

#include <algorithm>
#include <deque>
#include <memory>

namespace ramie::model {

using enum std::memory_order;

namespace {

using detail::deadline_ns;
constexpr deadline_ns soon = 5'000;
constexpr deadline_ns late = 9'000;

// ---- The heap ----

struct waiter {
  detail::park_word<provider> word;
  plain<int> stack = 0;
  void wake() {
    require(stack == 1, "a waiter was woken before it had left its stack");
    word.unpark();
  }
};
using heap_type = detail::timer_heap<waiter, provider>;

// On the stack of the one who waits, which is used again afterwards.
struct frame_of_wait {
  frame_of_wait(waiter& who, deadline_ns when) : record(who), timer(record, when) {}
  heap_type::record record;
  heap_type::timer timer;
  detail::wait_arm<waiter, provider> arm{record};
};
using object = atomic<detail::wait_arm<waiter, provider>*>;

void expire(heap_type& heap, deadline_ns now) {
  heap.expire(now, [](waiter& woken) { woken.wake(); });
}

void wait_in(heap_type& heap, object& awaited, waiter& me, deadline_ns when) {
  const auto frame = std::make_unique<frame_of_wait>(me, when);
  static_cast<void>(heap.add(frame->timer));
  awaited.store(&frame->arm, release);
  me.stack = 1;
  if (frame->record.park()) me.word.park();
  heap.take_back(frame->timer);
  if (awaited.exchange(nullptr, relaxed) == nullptr) frame->arm.await_let_go();
}

// ---- The keeper of the time ----

// Workers that fall asleep and wake for other work, as the run loop has them. One that has found work is busy for ever,
// and so is one that adds a timer. So a worker that sleeps at the end, uncalled, must wake in time.
struct clockwork {
  explicit clockwork(unsigned workers) : gate(workers), heaps(workers), calls(workers), asleep(workers) {
    for (auto& each : heaps) each.store(detail::no_deadline, relaxed);
  }

  // As worker_clock::added(), with one place for a heap. True: a timekeeper is owed.
  [[nodiscard]] bool add_and_owe(unsigned worker, deadline_ns when) {
    heaps[worker].store(when, relaxed);
    return gate.anybody_sleeps() && !keeper.tell(when, [this](unsigned chosen) { call(chosen); });
  }
  // As worker_clock::wake_owed_timekeeper().
  void pay() {
    if (timers_without_keeper()) notify();
  }
  void add(unsigned worker, deadline_ns when) {
    if (add_and_owe(worker, when)) pay();
  }

  // It has found nothing else to run after all.
  void is_idle(unsigned worker) { asleep[worker].busy = false; }
  void take_back(unsigned worker) { heaps[worker].store(detail::no_deadline, relaxed); }

  // S1, K1, S2, S3: then it sleeps, or has seen that it should not.
  void fall_asleep(unsigned worker, bool searching) {
    sleep_of& mine = asleep[worker];
    mine.driver = 1;
    gate.announce_sleep(worker, searching, [&] {
      mine.until = earliest();
      mine.keeps_time = keeper.begin(worker, mine.until);
      if (mine.keeps_time) {
        require(watching == 0, "two watch");
        watching = 1;
      }
    });
    if (timers_without_keeper()) {
      static_cast<void>(gate.retract_sleep(worker));
      mine.until = 0;
      return;
    }
    mine.until = mine.keeps_time ? std::min(earliest(), deadline_ns{mine.until}) : detail::no_deadline;
  }

  // It has woken, is counted as searching, and finds work that has nothing to do with time: K2, X1 to X3.
  void find_other_work(unsigned worker) {
    if (asleep[worker].keeps_time) {
      watching = 0;
      keeper.end();
    }
    asleep[worker].until = detail::no_deadline;
    asleep[worker].busy = true;
    if (gate.stop_searching() && timers_without_keeper()) notify();
  }
  // Before that: its driver has returned.
  void wake(unsigned worker) {
    require(gate.retract_sleep(worker) == detail::retraction::done, "nobody has chosen it");
  }

  void require_in_time(deadline_ns when) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (asleep[i].busy) continue;  // what is called does not come
      if (calls[i].load(relaxed) != 0 || asleep[i].until <= when) return;
    }
    require(false, "nobody wakes in time for the timer");
  }
  [[nodiscard]] int timekeepers() const {
    return static_cast<int>(std::ranges::count_if(asleep, [](const sleep_of& each) { return bool{each.keeps_time}; }));
  }
  [[nodiscard]] int called() {
    int sum = 0;
    for (auto& each : calls) sum += each.load(relaxed);
    return sum;
  }

  detail::sleep_gate<provider> gate;
  detail::timekeeper<provider> keeper;

 private:
  struct sleep_of {
    plain<deadline_ns> until = detail::no_deadline;
    plain<bool> keeps_time = false;
    plain<bool> busy = false;
    plain<int> driver = 0;  // in which it sleeps
  };

  void call(unsigned worker) {
    require(asleep[worker].driver == 1, "the driver of another sleep was interrupted");
    calls[worker].fetch_add(1, relaxed);
  }
  void notify() {
    gate.notify([this](unsigned chosen) { call(chosen); });
  }
  deadline_ns earliest() {
    deadline_ns all = detail::no_deadline;
    for (auto& each : heaps) all = std::min(all, each.load(relaxed));
    return all;
  }
  bool timers_without_keeper() { return !keeper.exists() && earliest() != detail::no_deadline; }

  plain<int> watching = 0;  // one thread after another
  std::deque<atomic<deadline_ns>> heaps;
  std::deque<atomic<int>> calls;
  std::deque<sleep_of> asleep;
};

}  // namespace

subject timer_heap_subject() {
  return {"scheduler/timer_heap.hpp",
          {{"a deadline that meets what is waited for",
            [] {
              heap_type heap;
              object awaited{nullptr};
              waiter me, nobody;
              frame_of_wait over(nobody, late);
              threads(
                  [&] {
                    wait_in(heap, awaited, me, soon);
                    awaited.store(&over.arm, relaxed);
                  },
                  [&] { expire(heap, soon); },
                  [&] {
                    while (awaited.load(relaxed) == nullptr) provider::pause();
                    auto* const arm = awaited.exchange(nullptr, acquire);
                    if (arm == nullptr || arm == &over.arm) return;
                    arm->fire(wake_reason::woken, [](waiter& woken) { woken.wake(); });
                  });
              require(heap.earliest() == detail::no_deadline, "the timer is still there");
            }},
           {"two who wait, and two who expire", [] {
              heap_type heap;
              object of_first{nullptr}, of_second{nullptr};
              waiter first, second;
              threads([&] { wait_in(heap, of_first, first, soon); }, [&] { wait_in(heap, of_second, second, late); },
                      [&] {
                        while (of_second.load(acquire) == nullptr || of_first.load(acquire) == nullptr) {
                          provider::pause();
                          expire(heap, soon);
                          if (heap.earliest() == detail::no_deadline) return;
                        }
                        expire(heap, late);
                      });
            }}}};
}

subject timekeeper_subject() {
  return {"scheduler/timekeeper.hpp",
          {{"a timer beside a worker that falls asleep",
            [] {
              clockwork of(2);
              threads([&] { of.add(0, soon); }, [&] { of.fall_asleep(1, false); });
              of.require_in_time(soon);
            }},
           {"two timers beside the timekeeper",
            [] {
              clockwork of(3);
              of.fall_asleep(0, false);
              threads([&] { of.add(1, late); }, [&] { of.add(2, soon); });
              of.require_in_time(soon);
            }},
           {"a later timer wakes nobody",
            [] {
              clockwork of(2);
              of.add(1, soon);
              of.fall_asleep(0, false);
              of.add(1, late);
              require(of.called() == 0, "the timekeeper was woken for nothing");
              of.add(1, soon - 1'000);
              of.add(1, soon - 1'000);
              require(of.called() == 1, "the timekeeper was not woken once");
            }},
           {"a timer beside a timekeeper that finds other work",
            [] {
              clockwork of(3);
              of.fall_asleep(0, false);
              of.fall_asleep(1, false);
              of.wake(0);
              threads([&] { of.add(2, soon); }, [&] { of.find_other_work(0); });
              of.require_in_time(soon);
            }},
           {"a later timer beside a timekeeper that finds other work, and whose timer was taken back",
            [] {
              clockwork of(4);
              of.add(3, soon);
              of.fall_asleep(0, false);
              of.take_back(3);
              of.fall_asleep(1, false);
              of.wake(0);
              threads([&] { of.add(2, late); }, [&] { of.find_other_work(0); });
              of.require_in_time(late);
            }},
           {"a timekeeper that finds other work beside a worker that falls asleep",
            [] {
              clockwork of(3);
              of.add(2, soon);
              of.fall_asleep(0, false);
              of.wake(0);
              threads([&] { of.find_other_work(0); }, [&] { of.fall_asleep(1, false); });
              of.require_in_time(soon);
            }},
           {"a timekeeper that finds other work beside a searcher that falls asleep",
            [] {
              clockwork of(4);
              of.add(3, soon);
              require(of.gate.start_searching(), "a search was refused");
              of.fall_asleep(0, false);
              of.wake(0);
              threads([&] { of.find_other_work(0); }, [&] { of.fall_asleep(1, true); });
              of.require_in_time(soon);
            }},
           {"a timekeeper and a searcher that find other work beside a sleeper",
            [] {
              clockwork of(4);
              of.add(3, soon);
              require(of.gate.start_searching(), "a search was refused");
              of.fall_asleep(0, false);
              of.fall_asleep(2, false);
              of.wake(0);
              threads([&] { of.find_other_work(0); }, [&] { of.find_other_work(1); });
              of.require_in_time(soon);
            }},
           {"a producer that owes a timekeeper, and falls asleep, beside one that does",
            [] {
              clockwork of(3);
              of.fall_asleep(0, false);
              of.fall_asleep(1, false);
              of.wake(0);
              of.find_other_work(0);  // so one sleeps, and nobody keeps the time
              threads(
                  [&] {
                    if (!of.add_and_owe(0, soon)) return;
                    of.is_idle(0);
                    of.fall_asleep(0, false);
                  },
                  [&] { of.fall_asleep(2, false); });
              of.require_in_time(soon);
            }},
           {"a producer that owes a timekeeper, and pays, beside a worker that falls asleep",
            [] {
              clockwork of(3);
              of.fall_asleep(0, false);
              of.fall_asleep(1, false);
              of.wake(0);
              of.find_other_work(0);
              threads([&] { of.add(0, soon); }, [&] { of.fall_asleep(2, false); });
              of.require_in_time(soon);
            }},
           {"two workers that fall asleep", [] {
              clockwork of(3);
              of.add(2, soon);
              threads([&] { of.fall_asleep(0, false); }, [&] { of.fall_asleep(1, false); });
              of.require_in_time(soon);
              require(of.timekeepers() == 1, "two keep the time");
            }}}};
}

}  // namespace ramie::model
