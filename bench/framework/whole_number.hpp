// Numbers of the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace bench {

/// A decimal number. To be used with transform(): CLI11 then converts it without its leading zeros, which it would take
/// for the sign of an octal one. Its own messages ("Could not convert") do not say what would be right; this one does.
[[nodiscard]] inline CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  return CLI::Validator(
      [low, high](std::string& text) -> std::string {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < low || value > high)
          return fmt::format("'{}' is not a whole number from {} to {}", text, low, high);
        text = std::to_string(value);
        return {};
      },
      "");
}

}  // namespace bench
