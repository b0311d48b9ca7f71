// The steps of a run: the last few hundred kept for a report, or all of them printed; and a hash of all.
#pragma once

#include <simulation/simulator/operations.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace ramie::sim {

struct thread;

/// Events above the machine: as an observer is told, and as a test finds them wrong.
enum class happening : std::uint8_t {
  none,
  spawned,
  started,
  suspended,
  resumed,
  woken,
  finished,
  stole,
  worker_sleeps,
  worker_wakes,
  spurious_wakeup,
  woke_thread,
  timed_out,
  test_failed,
};

class trail {
 public:
  /// `all`: every step goes to standard error.
  explicit trail(bool all) : m_print_all(all) {}

  void step(std::uint64_t number, const thread& by, operation what, const void* word, where at);
  void note(std::uint64_t before, std::uint64_t after);
  /// The step has not found, or left, the newest value of its word.
  void note_old();
  void happened(std::uint64_t number, const thread& to, happening what, std::uint64_t a = 0, std::uint64_t b = 0);

  /// Prints what is still to be printed of every step.
  void flush();
  /// Equal for equal runs, whatever addresses they had.
  [[nodiscard]] std::uint64_t hash() const { return m_hash; }
  /// The last steps, one a line.
  [[nodiscard]] std::string last();
  [[nodiscard]] bool prints_all() const { return m_print_all; }

  /// "w5": the same for the same address in one report.
  [[nodiscard]] std::string name_of(const void* word);

 private:
  struct record {
    std::uint64_t number = 0;
    thread_number thread = 0;
    int worker = -1;
    std::uint64_t fiber = 0;
    const char* home = "";
    happening event = happening::none;
    operation what = operation::load;
    bool has_values = false;
    bool old = false;
    const void* word = nullptr;
    std::uint64_t before = 0;
    std::uint64_t after = 0;
    where at;
  };
  record& next(std::uint64_t number, const thread& by);
  void mix(std::uint64_t value) { m_hash = (m_hash ^ value) * 0x9E3779B97F4A7C15ULL ^ m_hash >> 29U; }
  [[nodiscard]] std::string line(const record& of);
  [[nodiscard]] std::string value(std::uint64_t of);
  [[nodiscard]] std::string values(const record& of);

  static constexpr std::size_t kept = 200;
  std::array<record, kept> m_records;
  std::size_t m_count = 0;
  bool m_print_all;
  std::uint64_t m_hash = 0;
  std::unordered_map<const void*, std::size_t> m_names;
};

/// "scheduler/run_loop.hpp:42"
[[nodiscard]] std::string text_of(where at);

}  // namespace ramie::sim
