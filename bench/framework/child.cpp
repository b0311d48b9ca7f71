#include "framework/child.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "framework/interruption.hpp"
#include "framework/usage.hpp"

namespace bench {
namespace {

using clock = std::chrono::steady_clock;

// Between fork and exec: only calls that are safe after a fork of a process with threads.
[[noreturn]] void become(const std::vector<char*>& argv, int input, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (input >= 0 && dup2(input, STDIN_FILENO) < 0) _exit(127);
  if (dup2(output, STDOUT_FILENO) >= 0) execv(argv[0], argv.data());
  _exit(127);
}

/// Reads until the child closes its output or the time is up; true if it closed.
bool read_all(int from, std::string& into, clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
    if (left <= 0) return false;
    pollfd wait{.fd = from, .events = POLLIN, .revents = 0};
    const int ready = poll(&wait, 1, static_cast<int>(std::min<long>(left, 60'000)));
    if (ready <= 0) continue;  // a signal (which has killed the child if it ends the run) or a quiet minute
    char buffer[4096];
    const ssize_t got = read(from, buffer, sizeof buffer);
    if (got == 0) return true;
    if (got > 0) into.append(buffer, static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) return true;
  }
}

/// A file in memory with this content, from which a child reads: unlike a pipe it never waits for a reader. -1: errno.
int file_of(const std::string& content) {
  const int file = memfd_create("input", MFD_CLOEXEC);
  if (file < 0) return -1;
  std::size_t written = 0;
  while (written < content.size()) {
    const ssize_t n = write(file, content.data() + written, content.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    written += static_cast<std::size_t>(n);
  }
  if (written == content.size() && lseek(file, 0, SEEK_SET) == 0) return file;
  const int problem = errno;
  close(file);
  errno = problem;
  return -1;
}

sample failed(const row_name& row, std::string why) {
  sample s;
  s.row = row.row;
  s.complaint = std::move(why);
  return s;
}

}  // namespace

std::string own_path() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

child_result run_child(const std::vector<std::string>& arguments, std::chrono::seconds limit,
                       const std::optional<std::string>& input, when_interrupted then) {
  child_result result;
  const int input_file = input ? file_of(*input) : -1;
  if (input && input_file < 0) {
    result.error = fmt::format("cannot hand {} its input: {}", arguments[0], std::strerror(errno));
    return result;
  }
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
    result.error = fmt::format("cannot make a pipe: {}", std::strerror(errno));
    if (input_file >= 0) close(input_file);
    return result;
  }
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  const pid_t child = fork();
  if (child == 0) become(argv, input_file, pipe_ends[1]);
  if (input_file >= 0) close(input_file);
  close(pipe_ends[1]);
  if (child < 0) {
    result.error = fmt::format("cannot start {}: {}", arguments[0], std::strerror(errno));
    close(pipe_ends[0]);
    return result;
  }
  result.started = true;
  {
    // Only while it is certainly not waited for: a process id is used again afterwards.
    std::optional<interruptible_child> named;
    if (then == when_interrupted::dies) named.emplace(child);
    result.timed_out = !read_all(pipe_ends[0], result.output, clock::now() + limit);
  }
  close(pipe_ends[0]);
  if (result.timed_out) kill(child, SIGKILL);

  int status = 0;
  while (wait4(child, &status, 0, &result.usage) < 0 && errno == EINTR) {
  }
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (result.timed_out) {
    result.error = fmt::format("{} did not end within {} s", arguments[0], limit.count());
  } else if (WIFSIGNALED(status)) {
    result.error =
        fmt::format("{} died of signal {} ({})", arguments[0], WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else if (result.exit_status == 127) {
    result.error = fmt::format("cannot start {}", arguments[0]);
  } else if (result.exit_status != 0) {
    result.error = fmt::format("{} ended with status {}", arguments[0], result.exit_status);
  }
  return result;
}

std::vector<sample> samples_of_child(const std::vector<std::string>& arguments, const std::vector<row_name>& rows,
                                     std::chrono::seconds limit) {
  const child_result child = run_child(arguments, limit, std::nullopt, when_interrupted::dies);
  std::map<std::string, sample> found;
  std::istringstream lines(child.output);
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("row")) continue;
    try {
      sample s;
      s.row = json.at("row").get<std::string>();
      s.value = json.at("median").get<double>();
      s.verified = json.at("verified").get<bool>();
      s.complaint = json.value("complaint", s.verified ? "" : "the program's own check failed");
      add_usage(s.stats, child.usage);
      for (const auto& [name, value] : json.at("stats").items()) s.stats[name] = value.get<double>();
      found[s.row] = std::move(s);
    } catch (const nlohmann::json::exception& problem) {
      found.clear();
      break;
    }
  }
  std::vector<sample> samples;
  for (const row_name& row : rows) {
    const auto it = found.find(row.row);
    if (!child.error.empty() && (it == found.end() || it->second.verified)) {
      samples.push_back(failed(row, child.error));
    } else if (it == found.end()) {
      samples.push_back(failed(row, fmt::format("{} printed no row '{}' as JSON", arguments[0], row.row)));
    } else {
      samples.push_back(it->second);
    }
  }
  return samples;
}

std::string to_lines(const std::vector<sample>& samples) {
  std::string text;
  for (const sample& s : samples) {
    nlohmann::json json{{"row", s.row}, {"median", s.value}, {"verified", s.verified}, {"stats", s.stats}};
    if (!s.complaint.empty()) json["complaint"] = s.complaint;
    text += json.dump() + "\n";
  }
  return text;
}

}  // namespace bench
