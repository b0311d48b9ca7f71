#include <simulation/simulator/fault_place.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace ramie::sim {

bool fault_place::holds(where at) {
  const std::string_view file = at.file_name();
  if (!file.ends_with(m_file)) return false;
  if (m_mark.empty()) return true;
  if (!m_read) read(at.file_name());
  return std::find(m_lines.begin(), m_lines.end(), at.line()) != m_lines.end();
}

// From each comment that begins with the mark to the end of the statement behind it, or the line that it ends.
void fault_place::read(const char* file) {
  m_read = true;
  std::string path = file;
  if (const std::size_t begin = path.rfind("include/ramie/"); begin != std::string::npos) {
    path = std::string(RAMIE_SOURCE_DIR "/") + path.substr(begin);
  }
  std::ifstream text(path);
  const std::string comment = "// " + std::string(m_mark);
  bool inside = false;
  std::uint32_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    const std::size_t first = line.find_first_not_of(' ');
    const bool only_comment = first != std::string::npos && line.compare(first, 2, "//") == 0;
    if (line.find(comment) != std::string::npos) {
      inside = only_comment;
      if (!only_comment) m_lines.push_back(number);
    }
    if (!inside || only_comment) continue;
    m_lines.push_back(number);
    inside = line.find(';') == std::string::npos && line.find('{') == std::string::npos;
  }
  if (m_lines.empty()) {
    std::fprintf(stderr, "simulation: no statement of %s has the mark %s\n", file, std::string(m_mark).c_str());
    std::abort();
  }
}

}  // namespace ramie::sim
