// A line a suite: the row in which ramie does worst against its best peer.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "framework/contender.hpp"
#include "framework/report.hpp"
#include "framework/runner.hpp"

namespace bench {

/// ramie in one row at one worker count, and the others that have this row.
struct comparison {
  row_result ours;
  std::optional<row_result> control;  ///< the same work without a runtime, at this worker count where there is one
  std::optional<row_result> peer;     ///< the best at this worker count
  /// What ramie needs for each that the peer needs: below 1 ramie is ahead, whatever the unit. 0 without a peer.
  double ratio = 0;

  /// In the two digits that are shown: 1.004 is even.
  [[nodiscard]] bool behind() const;
  /// The repetitions of ramie and of the peer overlap: another run may turn it round.
  [[nodiscard]] bool overlaps() const;
};

/// How ramie does in a suite.
struct standing {
  std::string suite;
  std::optional<comparison> worst;  ///< none: no row of ramie was measured and verified
  std::size_t compared = 0;         ///< rows and worker counts that a peer has too
  std::size_t behind = 0;           ///< those in which one is ahead
  std::size_t rows = 0;
  std::size_t unverified = 0;
};

/// `rows` are those of `about`. Of several queues in a row, ramie's is `queue` where that was measured. A row that did
/// not verify is compared with nobody. Without any peer, `worst` is the suite's headline, or else the worst row
/// against its control, or the first.
[[nodiscard]] standing standing_of(const suite& about, const std::vector<row_result>& rows, const std::string& queue);

/// The table: suites with wrong results first, then the worst ratio; those without a peer last. "!" marks the suites in
/// which a peer is ahead. A narrow terminal loses columns. The last lines say what the columns mean.
[[nodiscard]] std::string summary_text(std::vector<standing> standings, const report_style& style = {});

/// A rate, such as 1/us or op/s, or "x", a speed-up.
[[nodiscard]] bool more_is_better(const std::string& unit);

}  // namespace bench
