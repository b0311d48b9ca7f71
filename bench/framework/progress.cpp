#include "framework/progress.hpp"

#include <algorithm>
#include <cmath>
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

progress_line::progress_line(std::FILE* to, progress_lines lines)
    : m_to(to), m_terminal(isatty(fileno(to)) == 1), m_lines(lines) {}

void progress_line::show(const progress& p) {
  const std::size_t percent = (p.step - 1) * 100 / p.steps;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - m_started;
  const std::string left = time_left_text(elapsed.count(), p.step - 1, p.steps);
  const std::string group = p.suite + " " + p.group;
  if (!m_terminal) {
    const bool few = m_lines == progress_lines::five;
    const std::string here = few ? std::to_string(percent / 20) : group;
    if (here == m_last) return;
    m_last = here;
    write_to(m_to, fmt::format("[{:3} %] {}{}\n", percent, few ? p.suite : group, left));
    return;
  }
  std::string line = fmt::format("[{:3} %{}] {}: {}, {} worker{}, {}", percent, left, group, p.runtime, p.workers,
                                 p.workers == 1 ? "" : "s",
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

std::string time_left_text(double elapsed_seconds, std::size_t done, std::size_t steps) {
  if (done == 0 || elapsed_seconds < 3 || done * 50 < steps) return {};
  const double left = elapsed_seconds * static_cast<double>(steps - done) / static_cast<double>(done);
  if (left < 55) return fmt::format(", about {:.0f} s left", std::max(1.0, std::ceil(left / 10)) * 10);
  return fmt::format(", about {:.0f} min left", std::max(1.0, std::round(left / 60)));
}

}  // namespace bench
