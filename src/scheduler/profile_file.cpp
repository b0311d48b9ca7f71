#include "scheduler/profile_file.hpp"

#include <ramie/base/error.hpp>
#include <ramie/base/fork.hpp>
#include <ramie/base/futex_lock.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace ramie::detail {
namespace {

constinit futex_lock<> g_profiles_lock;

// The second runtime of a process that is to write out.html writes out-2.html.
std::string numbered(const std::string& path) {
  hold_during_fork<g_profiles_lock>();
  const std::lock_guard hold(g_profiles_lock);
  static std::map<std::string, unsigned> profiles;
  const unsigned number = ++profiles[path];
  if (number == 1) return path;
  const std::size_t name = path.find_last_of('/') + 1;  // npos + 1 is 0
  std::size_t dot = path.find_last_of('.');
  if (dot == std::string::npos || dot <= name) dot = path.size();
  return path.substr(0, dot) + "-" + std::to_string(number) + path.substr(dot);
}

std::string why_not_writable(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "ae");
  if (file == nullptr) return "the profile cannot be written to " + path + ": " + std::strerror(errno);
  std::fclose(file);
  return {};
}

}  // namespace

std::unique_ptr<profile_file> profile_file::wanted(const options& chosen) {
  std::string path = chosen.profile;
  if (path.empty()) {
    // secure: a program with more rights than its caller must not write where the caller says.
    const char* const of_environment = ::secure_getenv("RAMIE_PROFILE");
    if (of_environment == nullptr || *of_environment == '\0') return nullptr;
    path = of_environment;
  }
  path = numbered(path);
  if (const std::string problem = why_not_writable(path); !problem.empty()) {
    if (!chosen.profile.empty()) throw bad_option("options.profile: " + problem + "; name a file that can be written");
    std::fprintf(stderr, "ramie: RAMIE_PROFILE: %s; going on without it\n", problem.c_str());
    return nullptr;
  }
  return std::unique_ptr<profile_file>(new profile_file(std::move(path), chosen.events));
}

void profile_file::write() noexcept try {
  const work_span_result measured = result();
  reset();
  if (measured.fibers == 0) return;
  const std::string program = ::program_invocation_short_name;
  std::fprintf(stderr, "ramie: work and span of %s\n%s", program.c_str(), to_text(measured).c_str());
  const std::string page = to_html(measured, "Work and span of " + program);
  std::FILE* const file = std::fopen(m_path.c_str(), "we");
  const bool whole = file != nullptr && std::fwrite(page.data(), 1, page.size(), file) == page.size();
  if (file == nullptr || std::fclose(file) != 0 || !whole) {
    std::fprintf(stderr, "ramie: %s could not be written: %s\n", m_path.c_str(), std::strerror(errno));
    return;
  }
  std::fprintf(stderr, "plot: %s\n", m_path.c_str());
} catch (...) {
  std::fputs("ramie: no memory left for the profile\n", stderr);
}

}  // namespace ramie::detail
