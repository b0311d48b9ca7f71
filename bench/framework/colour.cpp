#include "framework/colour.hpp"

#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace bench {

std::string palette::paint(tint how, const std::string& text) const {
  if (!m_on || how == tint::plain || text.empty()) return text;
  const char* code = how == tint::heading ? "1" : how == tint::ours ? "36" : how == tint::bad ? "1;31" : "2";
  return "\033[" + std::string(code) + "m" + text + "\033[0m";
}

const std::vector<std::string>& colour_choices() {
  static const std::vector<std::string> choices{"auto", "always", "never"};
  return choices;
}

bool wants_colour(const std::string& choice, bool terminal, const char* no_color, const char* term) {
  if (choice == "always") return true;
  if (choice == "never" || !terminal) return false;
  if (no_color != nullptr && *no_color != '\0') return false;
  return term == nullptr || std::string_view(term) != "dumb";
}

palette palette_for(std::FILE* to, const std::string& choice) {
  return palette(wants_colour(choice, isatty(fileno(to)) == 1, std::getenv("NO_COLOR"), std::getenv("TERM")));
}

}  // namespace bench
