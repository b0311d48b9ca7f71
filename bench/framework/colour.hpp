// Colour for people: only on a terminal, unless the user says otherwise. See https://no-color.org.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace bench {

enum class tint { plain, heading, ours, bad, faint };

class palette {
 public:
  palette() = default;
  explicit palette(bool on) : m_on(on) {}

  /// `text` in that tint. Escape codes take no place on the terminal: measure widths before.
  [[nodiscard]] std::string paint(tint how, const std::string& text) const;

 private:
  bool m_on = false;
};

/// The values of --color.
[[nodiscard]] const std::vector<std::string>& colour_choices();

/// "always" and "never" are obeyed. "auto" wants a terminal that is not dumb, and no NO_COLOR in the environment (set
/// to nothing counts as not set).
[[nodiscard]] bool wants_colour(const std::string& choice, bool terminal, const char* no_color, const char* term);

/// For text on `to`, by this process's environment.
[[nodiscard]] palette palette_for(std::FILE* to, const std::string& choice);

}  // namespace bench
