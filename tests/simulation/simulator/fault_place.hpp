// Where in the source a planted fault is: all of a file, or the statements with one mark.
#pragma once

#include <simulation/simulator/fault.hpp>

#include <cstdint>
#include <vector>

namespace ramie::sim {

class fault_place {
 public:
  explicit fault_place(const fault& planted) : m_file(planted.file), m_mark(planted.mark) {}

  [[nodiscard]] bool holds(where at);

 private:
  void read(const char* file);

  std::string_view m_file;
  std::string_view m_mark;
  bool m_read = false;
  std::vector<std::uint32_t> m_lines;
};

}  // namespace ramie::sim
