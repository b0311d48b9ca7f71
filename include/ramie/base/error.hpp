// The errors that ramie throws. Each what() is a sentence that ends in what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace ramie {

/// A call was made where the rules forbid it (for example yield() on a thread that is no fiber).
class misuse : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// A fiber could not be made or started. what() names the limit that was hit (vm.max_map_count, address space,
/// memory) and how to raise it. Thrown by spawn, or by join when the stack was refused only when the fiber started.
class spawn_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option has a value that cannot work. what() names the option, the value and the range.
class bad_option : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace ramie
