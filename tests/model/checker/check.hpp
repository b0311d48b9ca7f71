// The model checker: runs a small concurrent program in every way that C++20 allows, and says what went wrong in one.
//
//     const model::report found = model::check("message passing", [] {
//       model::provider::atomic<int> ready{0};
//       model::provider::plain<int> message{0};
//       model::threads([&] { message = 42; ready.store(1, std::memory_order_release); },
//                      [&] { if (ready.load(std::memory_order_acquire) == 1) model::require(message == 42, "sent"); });
//     });
//     EXPECT_TRUE(found.ok()) << found.text();
//
// The body runs anew for every execution, and must do the same every time but for what it reads from the model: no
// clocks, no random numbers, no addresses. Memory that it allocates is thrown away after each.
//
// Environment: RAMIE_MODEL_REPLAY=<steps> runs one execution of every check again, as a failure's text has printed it.
#pragma once

#include <model/checker/machine.hpp>
#include <model/checker/provider.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace ramie::model {

enum class search : std::uint8_t {
  exhaustive,  ///< every execution once
  bounded,     ///< every schedule with few preemptions and few old values
  walks        ///< random ones
};

struct limits {
  search how = search::exhaustive;
  /// Exhaustive and bounded: gives up, and fails, after so many. 0: no limit.
  std::uint64_t executions = 20'000'000;
  unsigned preemptions = 2;        ///< bounded
  unsigned old_values = 1;         ///< bounded: reads and writes that take another place than the newest
  std::uint64_t walks = 10'000;    ///< walks
  std::uint64_t seed = 1;          ///< walks
  std::size_t steps = 5000;        ///< of one thread in one execution
  unsigned spurious_failures = 0;  ///< of compare_exchange_weak, and returns of futex_wait for nothing, a thread
};

struct report {
  std::string name;
  bool failed = false;
  std::string what;    // what failed, in a sentence
  std::string trace;   // the execution that did, threads in columns
  std::string replay;  // for RAMIE_MODEL_REPLAY
  std::uint64_t complete = 0;
  std::uint64_t blocked = 0;  // executions in which a thread waits for what it gets in another one
  std::chrono::nanoseconds took{};
  std::set<std::string> outcomes;

  [[nodiscard]] bool ok() const { return !failed; }
  [[nodiscard]] std::string text() const;
};

/// Explores `body`.
report explore(std::string_view name, const std::function<void()>& body, const limits& within = {});
/// The same, and prints a line about it.
report check(std::string_view name, const std::function<void()>& body, const limits& within = {});

// ---- In the body ----

/// Runs the functions side by side, as threads 1, 2, ..., and returns when all have ended. At most 7 in one execution.
template <class... Bodies>
void threads(Bodies&&... bodies) {
  const std::array<std::function<void()>, sizeof...(Bodies)> all = [&] {
    const checker_code here;
    return std::array<std::function<void()>, sizeof...(Bodies)>{std::function<void()>(std::ref(bodies))...};
  }();
  machine::current().run_threads(all);
}

/// Ends the check with this sentence unless `holds`.
inline void require(bool holds, const std::string& what) {
  if (!holds) machine::current().fail(what);
}

/// Each of 0, 1, ..., count - 1, in executions of their own.
inline unsigned choose(unsigned count, where at = where::current()) {
  return static_cast<unsigned>(machine::current().choose(count, at));
}

/// In this execution the time of no wait for `from` or longer runs out. At its beginning: an hour.
inline void waits_never_end_after(std::chrono::nanoseconds from) { machine::current().set_for_ever(from); }

/// Adds to report::outcomes if the execution completes.
void outcome(const std::string& text);

/// Every complete execution, by two independent searches: exhaustive.hpp, and all interleavings with all values. For
/// the checker's own test.
struct comparison {
  std::multiset<std::string> by_graphs;
  std::set<std::string> by_interleavings;
  bool too_large = false;  // `most` interleavings have been run, and there are more
};
[[nodiscard]] comparison compare_searches(const std::function<void()>& body, unsigned spurious_failures = 0,
                                          std::uint64_t most = 1'000'000);

}  // namespace ramie::model
