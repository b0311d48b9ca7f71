// Between the framework's words and the library's.
#pragma once

#include <ramie/scheduler/options.hpp>
#include <ramie/scheduler/statistics.hpp>

#include <span>

#include "framework/contender.hpp"
#include "framework/options.hpp"

namespace bench {

/// `workers` workers, everything else as the command line says. Throws std::invalid_argument for a name that is not
/// among library_choices().
[[nodiscard]] ramie::options library_options(const options& o, unsigned workers);

/// The same, but that work stays where it was spawned.
[[nodiscard]] inline ramie::options without_stealing(ramie::options o) {
  o.stealing = false;
  return o;
}

/// The same, but that a fork leaves the rest of its caller for others to take.
[[nodiscard]] inline ramie::options leaving_continuations(ramie::options o) {
  o.fork_stealing = ramie::fork_stealing::continuation;
  return o;
}

/// The totals over all workers, under the names of framework/usage.hpp.
void add_statistics(statistics& into, std::span<const ramie::worker_statistics> workers);

}  // namespace bench
