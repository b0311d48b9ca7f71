// The options that every suite understands, and how they are read from and written back to a command line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench {

/// The choices that the library under test offers. The framework itself knows no queue and no policy; the program
/// passes them in.
struct choices {
  std::vector<std::string> queues;
  std::vector<std::string> victims;
  std::vector<std::string> backoffs;
  std::string default_queue;
  std::string default_victim;
  std::string default_backoff;
  /// Whether the library can imagine a machine of this description. None: it is not asked, and takes any.
  std::function<bool(const std::string&)> knows_topology{};
};

/// How large a problem is. tiny is for tests of correctness, full is what the published source used.
enum class scale { tiny, quick, ordinary, full };

struct options {
  std::vector<std::string> suites;  ///< empty: all
  std::vector<unsigned> workers;    ///< empty: what the suite asks for, ordinarily 1 and as many as there are cores
  std::string queue;
  bool queue_given = false;       ///< by the user: suites that compare queues then measure this one only
  std::size_t bwos_blocks = 16;   ///< of the block-based queues
  std::size_t bwos_entries = 64;  ///< of each block
  std::string bwos_grant = "early";
  std::string victim;
  std::string backoff;
  std::string topology;                     ///< empty: this machine
  std::optional<unsigned> steal_threshold;  ///< none: the library's default
  std::string stealing = "on";
  bool pin = false;
  std::optional<std::uint64_t> spin_ns;  ///< none: the library's default
  std::uint64_t seed = 1;
  unsigned duration_ms = 0;  ///< of one repetition of a row that may choose; 0: 50 with --quick, otherwise 200
  bool quick = false;
  bool full = false;
  bool peers = false;
  std::string peers_directory;
  unsigned runs = 5;
  unsigned neighbours = 0;  ///< busy processes beside the measurement
  std::string json_file;
  std::string report_directory;
  std::string image_directory;  ///< for pictures of the suite that makes them; empty: none
  bool list = false;
  bool summary = false;  ///< of several suites a line each, instead of their tables
  std::string color = "auto";

  bool operator==(const options&) const = default;

  [[nodiscard]] bench::scale scale() const {
    return quick ? bench::scale::quick : full ? bench::scale::full : bench::scale::ordinary;
  }

  [[nodiscard]] double repetition_seconds() const {
    if (duration_ms != 0) return duration_ms / 1000.0;
    return quick ? 0.05 : 0.2;
  }
};

/// Adds the options (all but the suites' names) to `app`; `into` must outlive the parse. A bad value makes the parse
/// throw CLI::ValidationError whose text says what is allowed. Help and completion are made from what is said here: an
/// option belongs to the group that was set before it, and its type name is "a|b|c", FILE, DIR, or a name for the
/// value.
void add_options(CLI::App& app, options& into, const choices& offered);

/// Adds the positional list of suites, each one of `names`.
void add_suites(CLI::App& app, options& into, const std::vector<std::string>& names);

/// The arguments that make add_options() read the same values again: how a repetition in a child process gets them.
/// Without suites, peers, runs, neighbours, files, --summary, --color and --list, which are the parent's business.
[[nodiscard]] std::vector<std::string> to_arguments(const options& from);

/// The worker counts to measure: those of --workers, or `otherwise`.
[[nodiscard]] std::vector<unsigned> worker_list(const options& from, std::vector<unsigned> otherwise);

/// 1 and the number of cpus this process may use, once if they are the same.
[[nodiscard]] std::vector<unsigned> one_and_all();

}  // namespace bench
