#include "framework/progress.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "framework/output.hpp"

namespace bench {
namespace {

// fmt::print throws where a pipe is closed, and a progress line is not worth that.
void write_to(std::FILE* to, const std::string& text) {
  std::fputs(text.c_str(), to);
  std::fflush(to);
}

}  // namespace

progress_line::progress_line(std::FILE* to) : m_to(to), m_terminal(isatty(fileno(to)) == 1) {}

void progress_line::show(const progress& p) {
  const std::string group = p.suite + " " + p.group;
  if (!m_terminal) {
    if (group == m_group) return;
    m_group = group;
    write_to(m_to, fmt::format("[{:3} %] {}\n", (p.step - 1) * 100 / p.steps, group));
    return;
  }
  std::string line = fmt::format("[{:3} %] {}: {}, {} worker{}, {}", (p.step - 1) * 100 / p.steps, group, p.runtime,
                                 p.workers, p.workers == 1 ? "" : "s",
                                 p.repetition == 0 ? "warm-up" : fmt::format("{}/{}", p.repetition, p.repetitions));
  // A line that wraps cannot be rewritten.
  line.resize(std::min(line.size(), std::max<std::size_t>(terminal_columns(m_to), 2) - 1));
  write_to(m_to, fmt::format("\r{:<{}}", line, std::max(m_shown, line.size())));
  m_shown = line.size();
}

void progress_line::clear() {
  if (m_shown == 0) return;
  write_to(m_to, fmt::format("\r{:{}}\r", "", m_shown));
  m_shown = 0;
}

}  // namespace bench
