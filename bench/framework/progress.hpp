// Progress on standard error: one line that is rewritten on a terminal, otherwise lines of their own.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "framework/runner.hpp"

namespace bench {

/// How many lines there are where there is no terminal.
enum class progress_lines { every_group, five };

class progress_line {
 public:
  explicit progress_line(std::FILE* to, progress_lines lines = progress_lines::every_group);
  ~progress_line() { clear(); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void show(const progress& p);
  /// Takes the line off the terminal, before something else is printed.
  void clear();

 private:
  std::FILE* m_to;
  bool m_terminal;
  progress_lines m_lines;
  std::chrono::steady_clock::time_point m_started = std::chrono::steady_clock::now();
  std::size_t m_shown = 0;  ///< characters on the terminal now
  std::string m_last;       ///< what was announced, where there is no terminal
};

/// ", about 40 s left", if the steps go on as they went; empty while that is no more than a guess.
[[nodiscard]] std::string time_left_text(double elapsed_seconds, std::size_t done, std::size_t steps);

}  // namespace bench
