// How a parallel algorithm runs: it may stand where the standard's algorithms have an execution policy.
//
//     ramie::sort(v.begin(), v.end());
//     ramie::sort({.stop = source.get_token()}, v.begin(), v.end());
#pragma once

#include <cstddef>
#include <stdexcept>
#include <stop_token>

namespace ramie {

class runtime;

struct parallel_policy {
  /// Looked at between pieces. After a request no further piece begins, and the algorithm throws `stopped`.
  std::stop_token stop{};
  /// Elements that are worth a fork, at least; 0: found out from the time that they take.
  std::size_t grain = 0;
  /// reduce, transform_reduce and the scans: the same grouping of the operands however many workers there are, and
  /// whichever of them runs what; so the same result to the last bit, also with floating-point numbers.
  bool deterministic = false;
  /// The runtime whose workers run it. Null: those of the calling fiber, or, on a thread that runs none,
  /// scheduler_init()'s. From elsewhere the caller waits for a fiber of that runtime, which must be running: else the
  /// algorithm throws misuse.
  runtime* on = nullptr;
};

/// Leaves a parallel algorithm whose stop token asked it to stop before everything was done. Everything done until then
/// is done: elements hold what the pieces that ran have left.
class stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ramie
