#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "framework/report.hpp"

namespace bench {
namespace {

using json = nlohmann::ordered_json;

/// Counts as whole numbers.
json number(double value) {
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  return whole ? json(static_cast<std::int64_t>(value)) : json(value);
}

json describe(const machine& m) {
  return {{"cpu", m.cpu},
          {"cores", m.cores},
          {"usable_cores", m.usable_cores},
          {"virtual_machine", m.virtual_machine},
          {"kernel", m.kernel},
          {"system", m.system},
          {"memory_bytes", m.memory_bytes},
          {"load", m.load},
          {"compiler", m.compiler},
          {"flags", m.flags}};
}

json describe(const options& o) {
  return {{"suites", o.suites},
          {"workers", o.workers},
          {"queue", o.queue},
          {"victim", o.victim},
          {"stealing", o.stealing == "on"},
          {"pin", o.pin},
          {"backoff", o.backoff},
          {"spin_ns", o.spin_ns ? json(*o.spin_ns) : json(nullptr)},
          {"seed", o.seed},
          {"duration_ms", o.duration_ms},
          {"quick", o.quick},
          {"full", o.full},
          {"peers", o.peers},
          {"runs", o.runs}};
}

json describe(const row_result& r) {
  json row{{"suite", r.suite},    {"row", r.row},          {"runtime", r.runtime},      {"workers", r.workers},
           {"queue", r.queue},    {"unit", r.unit},        {"median", r.values.median}, {"min", r.values.min},
           {"max", r.values.max}, {"runs", r.values.runs}, {"verified", r.verified},    {"stats", json::object()}};
  for (const auto& [name, value] : r.stats) row["stats"][name] = number(value);
  if (!r.complaint.empty()) row["complaint"] = r.complaint;
  return row;
}

[[noreturn]] void refuse(const std::string& file, int why) {
  throw std::runtime_error(fmt::format("cannot write '{}': {}", file, std::strerror(why)));
}

}  // namespace

std::string to_json(const machine& m, const options& o, const std::vector<row_result>& rows) {
  json all{{"machine", describe(m)}, {"options", describe(o)}, {"rows", json::array()}};
  for (const row_result& row : rows) all["rows"].push_back(describe(row));
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

void check_writable(const std::string& file) {
  std::string temporary = file + ".XXXXXX";
  struct stat existing{};
  if (stat(file.c_str(), &existing) == 0 && S_ISDIR(existing.st_mode)) refuse(file, EISDIR);
  const int fd = mkstemp(temporary.data());
  if (fd < 0) refuse(file, errno);
  close(fd);
  unlink(temporary.c_str());
}

void write_atomically(const std::string& file, const std::string& text) {
  std::string temporary = file + ".XXXXXX";
  const int fd = mkstemp(temporary.data());
  if (fd < 0) refuse(file, errno);
  fchmod(fd, 0644);  // mkstemp made it 0600
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(fd, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    written += static_cast<std::size_t>(n);
  }
  const bool complete = written == text.size() && fsync(fd) == 0;
  const bool closed = close(fd) == 0;
  if (!complete || !closed || std::rename(temporary.c_str(), file.c_str()) != 0) {
    const int problem = errno;
    unlink(temporary.c_str());
    refuse(file, problem);
  }
}

}  // namespace bench
