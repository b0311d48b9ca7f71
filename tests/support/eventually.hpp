// Waiting for what must come, however slow the machine is: for the event itself, with a limit that nothing but a fault
// runs into.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string_view>
#include <thread>

namespace ramie::test {

/// How long a test waits for what it is sure of. Never a measure of anything: a machine that does ten other things at
/// the same time must not come near it.
inline constexpr std::chrono::minutes patience{3};

/// Runs out when nothing has happened for as long as a test is patient. For loops that end with an event.
class waiting_time {
 public:
  [[nodiscard]] bool over() const { return std::chrono::steady_clock::now() > m_end; }

 private:
  const std::chrono::steady_clock::time_point m_end = std::chrono::steady_clock::now() + patience;
};

/// Waits on a kernel thread until holds() does:
/// EXPECT_TRUE(eventually("the worker sleeps", [&] { return asleep(worker); }));
template <class Condition>
testing::AssertionResult eventually(std::string_view what, Condition&& holds) {
  const waiting_time left;
  while (!holds()) {
    if (left.over()) return testing::AssertionFailure() << "never in " << patience.count() << " minutes: " << what;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return testing::AssertionSuccess();
}

}  // namespace ramie::test
