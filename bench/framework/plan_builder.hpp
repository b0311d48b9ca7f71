// Puts the contenders of a suite together, row by row.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "framework/calibrate.hpp"
#include "framework/contender.hpp"
#include "framework/options.hpp"
#include "framework/peers.hpp"
#include "framework/timed.hpp"

namespace bench {

/// A row's name and what it counts in: "ns", "us", "ms" or "s" an operation.
struct row_of_time {
  const char* row;
  const char* unit;
};

class plan_builder {
 public:
  plan_builder(const options& o, const peer_programs& programs) : m_options(o), m_programs(programs) {}

  /// One runtime in one row: `once` is a repetition, `prepare` (optional) what comes before the first. Contenders of a
  /// row are interleaved. Where the runtime is ramie, `queue` is what the row says of it; empty: that of the options.
  void add(const std::string& runtime, unsigned workers, row_of_time row, std::function<timed()> once,
           std::function<void()> prepare = {}, const std::string& queue = {});

  /// One runtime in rows that are not all times: `run` is a repetition and gives a sample for each of `rows`.
  void add_samples(const std::string& runtime, unsigned workers, std::vector<row_name> rows,
                   std::function<std::vector<sample>()> run, std::function<void()> prepare = {},
                   const std::string& queue = {});

  /// A program of bench/build_peers.sh that prints the row as a line of JSON; see README.md. Only with --peers. Absent
  /// programs are named.
  void add_program(const std::string& program, const std::string& runtime, unsigned workers, row_of_time row,
                   std::vector<std::string> arguments);
  /// One that prints several rows, not all of them times.
  void add_program(const std::string& program, const std::string& runtime, unsigned workers, std::vector<row_name> rows,
                   std::vector<std::string> arguments);

  /// Rows without a size of their own, in ns: how many operations a repetition has is chosen by time (calibrate.hpp).
  void add_per_operation(const std::string& runtime, unsigned workers, const std::string& row, timed_loop loop);
  /// A program that takes ROW OPERATIONS WORKERS and `more`.
  void add_program_per_operation(const std::string& program, const std::string& runtime, unsigned workers,
                                 const std::string& row, const std::vector<std::string>& more = {});

  /// Peers are wanted.
  [[nodiscard]] bool peers() const { return m_programs.wanted(); }
  /// The worker counts to measure: --workers, or 1 and one for each core.
  [[nodiscard]] std::vector<unsigned> workers() const { return worker_list(m_options, one_and_all()); }
  void note(std::string text) { m_plan.notes.push_back(std::move(text)); }
  /// A peer that was not compiled in: which Debian package brings it.
  void absent(const std::string& runtime, const std::string& package);
  [[nodiscard]] plan take() { return std::move(m_plan); }

 private:
  void put(contender c);

  const options& m_options;
  const peer_programs& m_programs;
  plan m_plan;
};

}  // namespace bench
