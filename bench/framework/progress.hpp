// Progress on standard error: one line that is rewritten on a terminal, otherwise one line a group.
#pragma once

#include <cstdio>
#include <string>

#include "framework/runner.hpp"

namespace bench {

class progress_line {
 public:
  explicit progress_line(std::FILE* to);
  ~progress_line() { clear(); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void show(const progress& p);
  /// Takes the line off the terminal, before something else is printed.
  void clear();

 private:
  std::FILE* m_to;
  bool m_terminal;
  std::size_t m_shown = 0;  ///< characters on the terminal now
  std::string m_group;      ///< last announced, where there is no terminal
};

}  // namespace bench
