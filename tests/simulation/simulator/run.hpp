// Simulated runs in tests: from a seed, with a report that says what happened and how to see it again.
#pragma once

#include <simulation/simulator/machine.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace ramie::sim {

/// Runs body() in a machine of its own. Errors that the machine sees and EXPECTs of the body that fail are failures of
/// the test, with the last steps and the line that repeats the run. RAMIE_TRACE=1 prints every step; RAMIE_STOP=n stops
/// a debugger before step n.
outcome run(std::uint64_t seed, const std::function<void()>& body);
outcome run(const settings& chosen, const std::function<void()>& body);

/// run() with each of test::seeds(ordinary), until one fails. Sanitized builds take a fifth of them.
void run_seeds(unsigned ordinary, const std::function<void(std::uint64_t seed)>& body);

/// The same where the memory is weak. Prints how often something old was read.
void run_weak_seeds(unsigned ordinary, const std::function<void(std::uint64_t seed)>& body);

/// run() in a child process, of which nothing is printed: for runs that should fail, however they do (a report, an
/// assertion, a crash, a hang).
struct verdict {
  bool failed = false;
  std::string said;  ///< all that the child printed

  /// Its first line that says what is wrong.
  [[nodiscard]] std::string reason() const;
};
[[nodiscard]] verdict run_apart(const settings& chosen, const std::function<void()>& body);

}  // namespace ramie::sim
