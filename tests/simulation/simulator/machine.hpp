// The simulated machine: threads that are coroutines on one kernel thread, futexes, a clock.
//
// All that happens is a function of the seed, if the body does nothing that is not: no clocks but the provider's, no
// decision by an address, no thread but through the provider.
#pragma once

#include <simulation/simulator/fault.hpp>
#include <simulation/simulator/fault_place.hpp>
#include <simulation/simulator/schedule.hpp>
#include <simulation/simulator/staleness.hpp>
#include <simulation/simulator/thread.hpp>
#include <simulation/simulator/trail.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ramie::sim {

struct settings {
  std::uint64_t seed = 1;
  /// More are a livelock.
  std::uint64_t most_steps = 5'000'000;
  bool print_all_steps = false;
  /// For a debugger: SIGTRAP before this step.
  std::uint64_t stop_before = 0;
  /// Loads may find old values, as C++20 allows it (simulation/memory/). Else the machine is sequentially consistent.
  bool weak_memory = false;
  fault planted{};
};

/// How a run went.
struct outcome {
  std::string failure;  ///< empty: none that the machine sees
  std::uint64_t steps = 0;
  std::uint64_t switches = 0;
  std::uint64_t hash = 0;
  thread_number threads = 0;
  nanoseconds time{};                             ///< by the simulated clock
  std::uint64_t old_reads = 0, early_writes = 0;  ///< of a weak memory: those that did not take the newest place
};

class machine {
 public:
  /// Somebody who can say more about a state in which nobody can go on.
  class witness {
   public:
    virtual ~witness() = default;
    [[nodiscard]] virtual std::string testimony() const = 0;
  };

  explicit machine(const settings& chosen);
  ~machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  /// Once: body() is thread 0. After a failure all threads are left where they are, and with them what they own.
  outcome run(const std::function<void()>& body);

  /// The one that runs; null outside of run().
  [[nodiscard]] static machine* current();
  [[nodiscard]] thread& running() { return *m_running; }
  [[nodiscard]] const settings& chosen() const { return m_settings; }
  [[nodiscard]] schedule& choices() { return m_schedule; }
  [[nodiscard]] std::uint64_t steps() const { return m_steps; }
  [[nodiscard]] nanoseconds time() const { return m_time; }
  /// Null: sequentially consistent.
  [[nodiscard]] weak::weak_memory* memory() { return m_memory.get(); }

  void happened(happening what, std::uint64_t a = 0, std::uint64_t b = 0);
  /// The last steps, and how to see them again.
  [[nodiscard]] std::string report();
  /// By a thread: ends the run.
  [[noreturn]] void fail(const std::string& what);
  void add(const witness& who) { m_witnesses.push_back(&who); }
  void remove(const witness& who) { std::erase(m_witnesses, &who); }

  // ---- For operations.hpp ----
  manner take_turn(operation what, const void* word, where at);
  void note(std::uint64_t before, std::uint64_t after) { m_trail.note(before, after); }
  void accessed(std::uint64_t before, std::uint64_t after);
  void check_accessed();
  bool sleep_on(const void* word, const nanoseconds* timeout);
  void wake_sleepers(const void* word, int count, manner how);
  [[nodiscard]] int start(thread_number& made, void* (*function)(void*), void* argument, where at);
  void join(thread_number ending, where at);
  void* local_object(const void* key, void* (*make)(), void (*destroy)(void*));

 private:
  thread& make_thread(void* (*function)(void*), void* argument);
  static void thread_main(void* message, void* argument);
  void arrive(thread& me);
  void reschedule(schedule::reason why);
  void block();
  void make_runnable(thread& woken);
  void wake_those_in_time();
  void end_of_thread();
  void switch_to(thread& next, bool for_good);
  [[noreturn]] void leave_for_good(thread& next);
  [[nodiscard]] manner manner_of(operation what, where at);
  [[nodiscard]] bool planted_now(fault::kind what, where at);
  [[nodiscard]] std::string describe(const thread& which);

  settings m_settings;
  schedule m_schedule;
  trail m_trail;
  staleness m_staleness;
  std::unique_ptr<weak::weak_memory> m_memory;
  fault_place m_place;
  context::exception_state* const m_exceptions;
  thread m_host;  // the kernel thread outside
  std::vector<std::unique_ptr<thread>> m_threads;
  std::vector<thread*> m_runnable;
  std::vector<thread*> m_asleep;  // in the order of falling asleep
  thread* m_running = nullptr;
  thread* m_left = nullptr;  // the one before
  std::uint64_t m_steps = 0;
  std::uint64_t m_switches = 0;
  std::uint64_t m_fault_count = 0;
  nanoseconds m_time{};
  nanoseconds m_next_deadline = nanoseconds::max();
  std::string m_failure;
  std::vector<const witness*> m_witnesses;
};

}  // namespace ramie::sim
