// Small things that most tests of the scheduler need.
#pragma once

#include <support/eventually.hpp>
#include <support/repetitions.hpp>

#include <ramie/ramie.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace ramie::test {

inline options with_workers(unsigned workers) {
  options chosen;
  chosen.workers = workers;
  return chosen;
}

/// eventually() in a fiber: lets other fibers run meanwhile.
template <class Condition>
testing::AssertionResult eventually_yielding(std::string_view what, Condition&& holds) {
  const waiting_time left;
  while (!holds()) {
    if (left.over()) return testing::AssertionFailure() << "never in " << patience.count() << " minutes: " << what;
    ramie::yield();
  }
  return testing::AssertionSuccess();
}

/// Keeps the processor busy without giving way to anything.
inline void compute(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// The message of a call when it throws Error; "" if it does not throw, or something else.
template <class Error, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  } catch (...) {
  }
  return "";
}

}  // namespace ramie::test
