#include "framework/progress.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace bench {
namespace {

std::size_t terminal_width(int fd) {
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

progress_line::progress_line(std::FILE* to) : m_to(to), m_terminal(isatty(fileno(to)) == 1) {}

void progress_line::show(const progress& p) {
  const std::string group = p.suite + " " + p.group;
  if (!m_terminal) {
    if (group == m_group) return;
    m_group = group;
    fmt::print(m_to, "[{:3} %] {}\n", (p.step - 1) * 100 / p.steps, group);
    std::fflush(m_to);
    return;
  }
  std::string line = fmt::format("[{:3} %] {}: {}, {} worker{}, {}", (p.step - 1) * 100 / p.steps, group, p.runtime,
                                 p.workers, p.workers == 1 ? "" : "s",
                                 p.repetition == 0 ? "warm-up" : fmt::format("{}/{}", p.repetition, p.repetitions));
  // A line that wraps cannot be rewritten.
  line.resize(std::min(line.size(), terminal_width(fileno(m_to)) - 1));
  fmt::print(m_to, "\r{:<{}}", line, std::max(m_shown, line.size()));
  std::fflush(m_to);
  m_shown = line.size();
}

void progress_line::clear() {
  if (m_shown == 0) return;
  fmt::print(m_to, "\r{:{}}\r", "", m_shown);
  std::fflush(m_to);
  m_shown = 0;
}

}  // namespace bench
