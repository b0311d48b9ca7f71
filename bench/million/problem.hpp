// The suite `million`: N fibers alive and blocked on one thing at once, then released. Shared by all runtimes.
//
// A wave: start N, wait until all have arrived, look at the memory, open the gate, wait until all have finished. Each
// fiber writes id + wave into its own mark, so that a fiber that is lost, doubled or mixed up is seen afterwards. The
// second wave, in the same runtime, finds what the first one left: stacks, pages, allocations. Each repetition is a
// process of its own, so that every first wave is a first one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "framework/contender.hpp"
#include "framework/usage.hpp"

namespace bench::million {

inline constexpr std::size_t full_count = 1'000'000;
inline constexpr std::size_t quick_count = 100'000;
/// Address space of a ramie fiber's stack (the default), and the stride of the control. Page tables cost 8 bytes a
/// touched page plus their share of a 4 KiB table for each 2 MiB of address space.
inline constexpr std::size_t stack_bytes = 256 * 1024;
/// Of a Boost.Fiber stack: it is allocated, not reserved.
inline constexpr std::size_t boost_stack_bytes = 16 * 1024;
/// The most memory that a fiber may need, runtimes with 16 KiB stacks included: caps N on a small machine.
inline constexpr std::size_t memory_each = 11'000;

inline constexpr const char* row_first_wave = "first_wave";
inline constexpr const char* row_second_wave = "second_wave";
inline constexpr const char* row_bytes_each = "bytes_each";

inline std::vector<row_name> rows() {
  return {{row_first_wave, "s"}, {row_second_wave, "s"}, {row_bytes_each, "bytes"}};
}

class marks {
 public:
  explicit marks(std::size_t count) : m_marks(count, ~std::uint32_t{0}) {}
  [[nodiscard]] std::size_t count() const { return m_marks.size(); }
  void set(std::size_t id, std::uint32_t wave) { m_marks[id] = static_cast<std::uint32_t>(id) + wave; }
  /// How many fibers have not left their mark of this wave.
  [[nodiscard]] std::size_t missing(std::uint32_t wave) const {
    std::size_t wrong = 0;
    for (std::size_t id = 0; id < m_marks.size(); ++id) wrong += m_marks[id] != static_cast<std::uint32_t>(id) + wave;
    return wrong;
  }

 private:
  std::vector<std::uint32_t> m_marks;
};

/// Time and memory of one wave. Made before the first fiber; all_blocked() when all have arrived; finish() at the end.
/// Reading the memory is not part of the time.
class wave_meter {
 public:
  void all_blocked() {
    m_seconds = since(m_start);
    m_resident_blocked = resident_bytes();
    m_tables_blocked = page_table_bytes();
    m_start = clock::now();
  }
  void finish() { m_seconds += since(m_start); }

  [[nodiscard]] double seconds() const { return m_seconds; }
  [[nodiscard]] double resident() const { return difference(m_resident_blocked, m_resident); }
  [[nodiscard]] double page_tables() const { return difference(m_tables_blocked, m_tables); }

 private:
  using clock = std::chrono::steady_clock;
  static double since(clock::time_point start) { return std::chrono::duration<double>(clock::now() - start).count(); }
  static double difference(std::size_t after, std::size_t before) {
    return static_cast<double>(after) - static_cast<double>(before);
  }

  std::size_t m_resident = resident_bytes();
  std::size_t m_tables = page_table_bytes();
  std::size_t m_resident_blocked = 0;
  std::size_t m_tables_blocked = 0;
  double m_seconds = 0;
  clock::time_point m_start = clock::now();
};

/// The three rows of a repetition. `wave(meter, marks, number)` runs one wave; `add_stats(stats)` may add to the
/// statistics when both are done.
template <class Wave, class AddStats>
std::vector<sample> measure(std::size_t count, Wave wave, AddStats add_stats) {
  const usage_meter usage;
  marks all(count);
  wave_meter first;
  wave(first, all, 1U);
  const std::size_t first_missing = all.missing(1);
  wave_meter second;
  wave(second, all, 2U);
  const std::size_t second_missing = all.missing(2);

  const double n = static_cast<double>(count);
  statistics stats{{"n", n}, {"page_table_bytes_each", first.page_tables() / n}};
  usage.add_to(stats);
  add_stats(stats);
  const auto row = [&](const char* name, double value, std::size_t missing) {
    sample s;
    s.row = name;
    s.value = value;
    s.verified = missing == 0;
    if (missing != 0) s.complaint = fmt::format("{} of {} fibers did not run once", missing, count);
    s.stats = stats;
    return s;
  };
  return {row(row_first_wave, first.seconds(), first_missing), row(row_second_wave, second.seconds(), second_missing),
          row(row_bytes_each, first.resident() / n, first_missing)};
}

}  // namespace bench::million
