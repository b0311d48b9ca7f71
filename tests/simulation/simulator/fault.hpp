// Faults to plant in the simulated machine: tests with it must find them.
#pragma once

#include <simulation/simulator/operations.hpp>

#include <cstdint>
#include <string_view>

namespace ramie::sim {

/// The library is as it is shipped; it is the machine that does not do what was asked.
struct fault {
  enum class kind : std::uint8_t {
    none,
    dropped_wake,   ///< a futex_wake that has somebody to wake wakes nobody
    blind_wait,     ///< a futex_wait sleeps although the word has changed
    torn,           ///< a read-modify-write is a load and a store
    weaker,         ///< an operation is relaxed, a fence is none; for weak memory
    refused_start,  ///< no more threads can be started: no fault of the machine, but of the world
  };
  kind what = kind::none;
  /// Where: the end of a file's name, and the operation if it is a torn or weaker one. Empty: everywhere.
  std::string_view file{};
  operation torn = operation::compare_exchange;
  /// Torn or weaker: at the statements alone whose comments begin with this mark, as "[N4]". Empty: in all of the file.
  std::string_view mark{};
  /// How many of those are done right before. Waits and torn ones are wrong from then on; the others happen once.
  std::uint64_t after = 0;
};

}  // namespace ramie::sim
