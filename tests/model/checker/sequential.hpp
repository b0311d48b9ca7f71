// Executions one step after the other: a thread is chosen for every step. For what is too large to be explored whole,
// for replays, and as an independent witness for exhaustive.hpp.
#pragma once

#include <model/checker/strategy.hpp>

#include <ramie/base/random.hpp>

#include <string>
#include <vector>

namespace ramie::model {

/// Every choice at random. How eager a walk is to leave a thread, and to read old values, is drawn first: faults differ
/// in what they need.
class random_walk final : public strategy {
 public:
  explicit random_walk(std::uint64_t seed)
      : m_random(seed), m_stays(eighths[m_random.below(4)]), m_newest(eighths[m_random.below(4)]) {}
  std::uint8_t next_thread(const execution& graph, std::uint32_t runnable, std::uint8_t current) override;
  std::size_t source(execution& graph, event& read, const std::vector<event_id>& sources, bool may_block) override;
  std::size_t place(execution& graph, event& write, const std::vector<std::int32_t>& places) override;
  std::uint64_t choice(execution& graph, event& chosen, std::uint64_t count) override;

 private:
  static constexpr std::uint32_t eighths[] = {0, 4, 6, 7};

  random_source m_random;
  std::uint32_t m_stays;   // in so many of eight steps with the current thread
  std::uint32_t m_newest;  // so many of eight reads and writes take the newest place
};

/// All choices, one after the other, where a thread that could go on is left at most `preemptions` times
/// (Musuvathi, Qadeer: "Iterative Context Bounding", PLDI 2007), and at most `old_values` reads and writes take another
/// place than the newest. Many of its runs are the same execution.
class bounded final : public strategy {
 public:
  bounded(unsigned preemptions, unsigned old_values) : m_preemptions(preemptions), m_old_values(old_values) {}

  /// After each run; false when all have been made.
  [[nodiscard]] bool next();

  std::uint8_t next_thread(const execution& graph, std::uint32_t runnable, std::uint8_t current) override;
  std::size_t source(execution& graph, event& read, const std::vector<event_id>& sources, bool may_block) override;
  std::size_t place(execution& graph, event& write, const std::vector<std::int32_t>& places) override;
  std::uint64_t choice(execution& graph, event& chosen, std::uint64_t count) override;

 private:
  struct decision {
    std::size_t taken;
    std::size_t count;
  };
  std::size_t decide(std::size_t count);
  std::size_t decide_place(std::size_t count);

  unsigned m_preemptions;
  unsigned m_old_values;
  unsigned m_preempted = 0;
  unsigned m_old = 0;
  std::size_t m_depth = 0;
  std::vector<decision> m_decisions;
};

/// The steps of one run as a line of text, and the same run again.
///
/// A step is a thread's number; `1<2.7` reads from event 7 of thread 2 (`1<-`: what was there first), `1>2.7` writes
/// directly behind that event, `1=3` chooses 3. Plain numbers read or write the newest. Behind the last step the run
/// ends.
class replay final : public strategy {
 public:
  /// Throws std::invalid_argument, which says what is no step.
  explicit replay(const std::string& steps);
  [[nodiscard]] static std::string steps_of(const execution& graph, const std::vector<event_id>& order);

  /// The first step that could not be taken, if there was one.
  [[nodiscard]] const std::string& misfit() const { return m_misfit; }

  [[nodiscard]] bool every_step() const override { return true; }
  std::uint8_t next_thread(const execution& graph, std::uint32_t runnable, std::uint8_t current) override;
  std::size_t source(execution& graph, event& read, const std::vector<event_id>& sources, bool may_block) override;
  std::size_t place(execution& graph, event& write, const std::vector<std::int32_t>& places) override;
  std::uint64_t choice(execution& graph, event& chosen, std::uint64_t count) override;

 private:
  struct step {
    event_id taken = nobody;
    char what = 0;
    event_id other = nobody;
    std::uint64_t number = 0;
    std::string text;
  };
  [[nodiscard]] static step parsed(const std::string& word);
  [[nodiscard]] const step* of(const event& taken, char what);
  void does_not_fit(const step& which);

  std::vector<step> m_steps;
  std::size_t m_at = 0;
  std::string m_misfit;
};

}  // namespace ramie::model
