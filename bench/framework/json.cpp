#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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
          {"bwos_blocks", o.bwos_blocks},
          {"bwos_entries", o.bwos_entries},
          {"bwos_grant", o.bwos_grant},
          {"victim", o.victim},
          {"stealing", o.stealing == "on"},
          {"pin", o.pin},
          {"backoff", o.backoff},
          {"topology", o.topology},
          {"steal_threshold", o.steal_threshold ? json(*o.steal_threshold) : json(nullptr)},
          {"spin_ns", o.spin_ns ? json(*o.spin_ns) : json(nullptr)},
          {"seed", o.seed},
          {"duration_ms", o.duration_ms},
          {"quick", o.quick},
          {"full", o.full},
          {"peers", o.peers},
          {"runs", o.runs},
          {"neighbours", o.neighbours}};
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

/// Where what is written to a file ends up.
struct target {
  std::string path;         ///< behind all symbolic links, which stay what they are
  bool write_into = false;  ///< a device or a pipe (/dev/null, /dev/stdout): renaming would replace it
  bool is_output = false;   ///< the same file as standard output, which goes on where this process left it
};

target target_of(const std::string& file) {
  namespace fs = std::filesystem;
  struct stat existing{};
  if (stat(file.c_str(), &existing) == 0) {
    if (S_ISDIR(existing.st_mode)) refuse(file, EISDIR);
    struct stat output{};
    const bool same =
        fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == existing.st_dev && output.st_ino == existing.st_ino;
    if (same || !S_ISREG(existing.st_mode)) return {.path = file, .write_into = true, .is_output = same};
  } else if (errno == ELOOP) {
    refuse(file, ELOOP);
  }
  // Also a link to what is not there yet.
  fs::path path = file;
  std::error_code error;
  for (int links = 0; links < 40 && fs::is_symlink(fs::symlink_status(path, error)); ++links) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return {.path = path.string()};
}

/// 0, or errno.
int write_all(int fd, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(fd, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    written += static_cast<std::size_t>(n);
  }
  return 0;
}

struct temporary_file {
  int fd;
  std::string path;
};

/// A new file in the folder of the target, so that it can be renamed to it. Its mode is that of the file in whose place
/// it comes, or what the umask leaves.
temporary_file make_beside(const std::string& file, const target& to) {
  struct stat existing{};
  const bool replaces = stat(to.path.c_str(), &existing) == 0;
  const mode_t mode = replaces ? existing.st_mode & 0777U : 0666U;
  for (int attempt = 0;; ++attempt) {
    std::string path = fmt::format("{}.{}.{}", to.path, getpid(), attempt);
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0 && errno == EEXIST && attempt < 100) continue;
    if (fd < 0) refuse(file, errno);
    if (replaces) fchmod(fd, mode);  // also what the umask took
    return {fd, std::move(path)};
  }
}

}  // namespace

std::string to_json(const machine& m, const options& o, const std::vector<row_result>& rows) {
  json all{{"machine", describe(m)}, {"options", describe(o)}, {"rows", json::array()}};
  for (const row_result& row : rows) all["rows"].push_back(describe(row));
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

void check_writable(const std::string& file) {
  const target to = target_of(file);
  if (to.write_into) {
    if (!to.is_output && access(to.path.c_str(), W_OK) != 0) refuse(file, errno);
    return;
  }
  const temporary_file beside = make_beside(file, to);
  close(beside.fd);
  unlink(beside.path.c_str());
}

bool same_place(const std::string& file, const std::string& other) {
  namespace fs = std::filesystem;
  const target one = target_of(file);
  const target two = target_of(other);
  if (one.write_into || two.write_into) return false;
  const auto folder_of = [](const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
  };
  std::error_code error;
  return fs::path(one.path).filename() == fs::path(two.path).filename() &&
         fs::equivalent(folder_of(one.path), folder_of(two.path), error);
}

void write_atomically(const std::string& file, const std::string& text) {
  const target to = target_of(file);
  if (to.write_into) {
    std::fflush(stdout);
    const int fd =
        to.is_output ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0) : open(to.path.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) refuse(file, errno);
    const int problem = write_all(fd, text);
    close(fd);
    if (problem != 0) refuse(file, problem);
    return;
  }
  const auto [fd, temporary] = make_beside(file, to);
  int problem = write_all(fd, text);
  if (problem == 0 && fsync(fd) != 0) problem = errno;
  if (close(fd) != 0 && problem == 0) problem = errno;
  if (problem == 0 && std::rename(temporary.c_str(), to.path.c_str()) != 0) problem = errno;
  if (problem != 0) {
    unlink(temporary.c_str());
    refuse(file, problem);
  }
}

}  // namespace bench
