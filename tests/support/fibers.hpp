// Small things that most tests of the scheduler need.
#pragma once

#include <support/repetitions.hpp>

#include <ramie/ramie.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace ramie::test {

inline options with_workers(unsigned workers) {
  options chosen;
  chosen.workers = workers;
  return chosen;
}

/// Lets other fibers run until ready() holds; false if that took longer than `limit`.
template <class Condition>
bool yield_until(Condition&& ready, std::chrono::seconds limit = std::chrono::seconds(20)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!ready()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ramie::yield();
  }
  return true;
}

/// The same on a thread that runs no fiber.
template <class Condition>
bool sleep_until(Condition&& ready, std::chrono::seconds limit = std::chrono::seconds(20)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!ready()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

/// Keeps the processor busy without giving way to anything.
inline void compute(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// What a call says when it throws Error; "" if it does not throw, or something else.
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
