// Names for parameterized tests.
#pragma once

#include <cctype>
#include <string>

namespace ramie::test {

/// A sentence as the name of a test: letters, digits and underscores.
inline std::string test_name(std::string text) {
  for (char& each : text) {
    if (std::isalnum(static_cast<unsigned char>(each)) == 0) each = '_';
  }
  return text;
}

}  // namespace ramie::test
