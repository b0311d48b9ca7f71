// Runs one execution: the threads as coroutines on this kernel thread, each operation as an event of the graph. Events
// that are in the graph already are replayed; behind them the strategy decides.
#pragma once

#include <model/checker/execution.hpp>
#include <model/checker/memory.hpp>
#include <model/checker/mutation.hpp>
#include <model/checker/strategy.hpp>

#include <ramie/context/execution.hpp>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ramie::model {

/// How an execution ended.
enum class ending : std::uint8_t {
  complete,
  blocked,    // some thread waits for what another execution has
  abandoned,  // a read-modify-write whose write has no place: only a step on the way to others
  failed
};

/// The history of a cell of plain memory, for data races: the last write, and each thread's last read since.
struct access_record {
  std::uint8_t writer = 0xFF;
  std::int16_t written = 0;                      // how many events the writer had
  std::array<std::int16_t, max_threads> read{};  // that plus one; 0: has not read
};

class machine {
 public:
  machine();
  ~machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  /// The one whose thread is running.
  [[nodiscard]] static machine& current();

  // ---- For the explorer ----

  ending run(execution& graph, strategy& decisions, const std::function<void()>& body);
  [[nodiscard]] const std::string& failure() const { return m_failure; }
  /// None where nobody can go on.
  [[nodiscard]] std::optional<std::uint8_t> failed_thread() const { return m_failed_thread; }
  /// The events of the last run in the order in which they were executed.
  [[nodiscard]] const std::vector<event_id>& order() const { return m_order; }
  [[nodiscard]] std::vector<std::string>& outcomes() { return m_outcomes; }
  void set_step_limit(std::size_t steps) { m_step_limit = steps; }
  void set_spurious_failures(unsigned count) { m_spurious_failures = count; }

  // ---- For the provider, on a thread of the model ----

  location_id create(std::uint64_t value, site where);
  void destroy(location_id location, site where) noexcept;
  std::uint64_t load(location_id location, std::memory_order order, site where, predicate awaited = {});
  void store(location_id location, std::uint64_t value, std::memory_order order, site where);
  /// The value before. `change` may be called more than once.
  std::uint64_t update(location_id location, const std::function<std::uint64_t(std::uint64_t)>& change,
                       std::memory_order order, site where, predicate awaited = {});
  /// Nothing if it was replaced, else what was found.
  std::optional<std::uint64_t> compare_exchange(location_id location, std::uint64_t expected, std::uint64_t desired,
                                                std::memory_order success, std::memory_order failure, bool weak,
                                                site where);
  void fence(event_kind kind, std::memory_order order, site where);
  void futex_wait(location_id word, std::uint32_t expected, site where);
  bool futex_wait_for(location_id word, std::uint32_t expected, site where);
  void futex_wake(location_id word, int count, site where);
  /// Goes on when what this thread read last has changed: a loop waits for one location, the one it looks at last.
  void pause(site where);
  std::uint64_t choose(std::uint64_t count, site where);
  /// The clock of the running thread.
  [[nodiscard]] std::chrono::nanoseconds now() const;
  void pass(std::chrono::nanoseconds time);
  [[nodiscard]] std::chrono::nanoseconds for_ever() const { return m_for_ever; }
  void set_for_ever(std::chrono::nanoseconds from) { m_for_ever = from; }
  void plain_read(access_record& cell, site where);
  void plain_write(access_record& cell, site where);

  // ---- For the body and its threads ----

  /// Runs all of them, side by side, to their ends. From the body only.
  void run_threads(std::span<const std::function<void()>> bodies);
  [[nodiscard]] bool in_a_thread() const { return m_in_a_thread; }
  [[noreturn]] void fail(const std::string& what);

 private:
  // For messages that are made here: fail() does not return, and would leak what they are made of.
  template <class Message>
  [[noreturn]] void fail_with(const Message& message) {
    note_failure(message());
    stop();
  }
  void note_failure(const std::string& what);
  [[noreturn]] void stop();
  [[noreturn]] void abandon();

  enum class state : std::uint8_t {
    unused,
    fresh,      // not begun
    at_replay,  // its next event reads from one that has not been replayed yet
    at_new,     // its next event is new
    joining,    // the body, until the others have ended
    blocked,    // in this execution for good; where a strategy goes step by step, until it may go on
    finished
  };
  struct coroutine;

  void enter(std::uint8_t thread);
  void leave(state why);
  static void thread_main(void* message, void* argument);
  [[nodiscard]] std::optional<std::uint8_t> pick();
  [[nodiscard]] bool replayable(const coroutine& thread) const;
  [[nodiscard]] bool can_step(const coroutine& thread) const;
  [[nodiscard]] bool has_candidate(const coroutine& thread) const;
  [[nodiscard]] bool has_changed(const coroutine& spinning) const;
  ending judge();

  event* replay(const event& wanted);
  event& add(const event& wanted);
  void await_turn(const event& wanted);
  event& read(const event& wanted);
  event& write(const event& wanted);
  [[nodiscard]] bool find_source(event& unbound);
  [[nodiscard]] bool find_place(event& unplaced);
  [[nodiscard]] std::vector<event_id> sources_of(event& unbound, bool& may_block);
  void executed(const event& step);
  [[nodiscard]] bool fails_spuriously(site where);
  void check_alive(const event& access);
  [[nodiscard]] coroutine& running() { return *m_threads[m_current]; }
  [[nodiscard]] std::string place_of(site where) const;
  [[nodiscard]] bool known_here(std::uint8_t thread, std::int16_t events) const;

  std::array<std::unique_ptr<coroutine>, max_threads> m_threads;
  context::execution m_scheduler;
  context::exception_state* m_exceptions;
  execution* m_graph = nullptr;
  strategy* m_strategy = nullptr;
  const std::function<void()>* m_body = nullptr;
  std::uint8_t m_current = 0;
  std::size_t m_executed = 0;
  std::size_t m_step_limit = 5000;
  unsigned m_spurious_failures = 0;
  std::chrono::nanoseconds m_for_ever{};
  bool m_in_a_thread = false;
  bool m_stop = false;
  bool m_abandoned = false;
  std::vector<event_id> m_order;
  std::vector<std::string> m_outcomes;
  std::string m_failure;
  std::optional<std::uint8_t> m_failed_thread;
};

}  // namespace ramie::model
