#include "framework/output.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace bench {
namespace {

int problem = 0;  // errno of the first write that failed

}  // namespace

void put(const std::string& text) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written) return;
  if (problem == 0) problem = errno != 0 ? errno : EIO;
  std::clearerr(stdout);
}

int output_status(int status) {
  const int why = std::exchange(problem, 0);
  if (why == 0) return status;
  if (why == EPIPE) return 128 + SIGPIPE;
  std::fprintf(stderr, "ramie: cannot write to standard output: %s\n", std::strerror(why));
  return 1;
}

bool reader_gone() {
  pollfd out{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

std::size_t terminal_columns(std::FILE* to) {
  if (isatty(fileno(to)) != 1) return 0;
  winsize size{};
  if (ioctl(fileno(to), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* said = std::getenv("COLUMNS");
  const unsigned long columns = said != nullptr ? std::strtoul(said, nullptr, 10) : 0;
  return columns > 0 && columns < 100'000 ? columns : 80;
}

}  // namespace bench
