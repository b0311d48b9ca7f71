#include <simulation/simulator/trail.hpp>

#include <simulation/simulator/thread.hpp>

#include <cstdio>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <map>
#include <string_view>
#include <vector>

namespace ramie::sim {
namespace {

// User-space addresses, with flags in their lowest bits. Such a value differs between equal runs.
bool is_address(std::uint64_t value) { return value >> 40U != 0 && value >> 47U == 0; }

std::string_view relative(where at) {
  std::string_view file = at.file_name();
  for (const std::string_view root : {"include/ramie/", "/src/", "/tests/"}) {
    if (const std::size_t found = file.rfind(root); found != std::string_view::npos) {
      return file.substr(found + (root.front() == '/' ? 1 : root.size()));
    }
  }
  return file;
}

// (Not operator+: gcc 12 takes "literal" + std::string&& for an overlapping copy and warns.)
std::string joined(std::initializer_list<std::string_view> parts) {
  std::string all;
  for (const std::string_view part : parts) all += part;
  return all;
}

// The line of the source, where the source still lies where it was compiled.
std::string source_line(where at) {
  static std::map<std::string, std::vector<std::string>, std::less<>> files;
  const std::string_view file = at.file_name();
  auto found = files.find(file);
  if (found == files.end()) {
    std::size_t begin = std::string_view::npos;
    for (const std::string_view folder : {"include/ramie/", "src/", "tests/"}) {
      if (begin == std::string_view::npos) begin = file.rfind(folder);
    }
    std::ifstream text(begin == std::string_view::npos ? std::string(file)
                                                       : std::string(RAMIE_SOURCE_DIR "/").append(file.substr(begin)));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    found = files.emplace(file, std::move(lines)).first;
  }
  if (at.line() == 0 || at.line() > found->second.size()) return "";
  const std::string& line = found->second[at.line() - 1];
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? "" : line.substr(begin, 80);
}

}  // namespace

const char* to_string(operation what) {
  switch (what) {
    case operation::load: return "load";
    case operation::store: return "store";
    case operation::exchange: return "exchange";
    case operation::add: return "add";
    case operation::compare_exchange: return "compare_exchange";
    case operation::fence: return "fence";
    case operation::light_fence: return "light fence";
    case operation::heavy_fence: return "heavy fence";
    case operation::pause: return "pause";
    case operation::yield_thread: return "yield_thread";
    case operation::now: return "now";
    case operation::futex_wait: return "futex_wait";
    case operation::futex_wake: return "futex_wake";
    case operation::start_thread: return "start_thread";
    case operation::join_thread: return "join_thread";
    case operation::plain_read: return "read";
    case operation::plain_write: return "write";
  }
  return "?";
}

std::string text_of(where at) { return joined({relative(at), ":", std::to_string(at.line())}); }

trail::record& trail::next(std::uint64_t number, const thread& by) {
  if (m_print_all) flush();
  record& fresh = m_records[m_count++ % kept];
  fresh = {};
  fresh.number = number;
  fresh.thread = by.number;
  fresh.worker = by.worker;
  fresh.fiber = by.fiber;
  fresh.home = by.home;
  return fresh;
}

void trail::step(std::uint64_t number, const thread& by, operation what, const void* word, where at) {
  record& fresh = next(number, by);
  fresh.what = what;
  fresh.word = word;
  fresh.at = at;
  mix(by.number + (static_cast<std::uint64_t>(what) << 8U) + (std::uint64_t{at.line()} << 16U));
}

void trail::note(std::uint64_t before, std::uint64_t after) {
  record& last = m_records[(m_count - 1) % kept];
  last.has_values = true;
  last.before = before;
  last.after = after;
  mix(is_address(before) ? 1 : before);
  mix(is_address(after) ? 1 : after);
}

void trail::note_old() {
  m_records[(m_count - 1) % kept].old = true;
  mix(0x01D);
}

void trail::happened(std::uint64_t number, const thread& to, happening what, std::uint64_t a, std::uint64_t b) {
  record& fresh = next(number, to);
  fresh.event = what;
  fresh.before = a;
  fresh.after = b;
  mix(0x5EED + static_cast<std::uint64_t>(what));
  mix(a);
  mix(b);
}

void trail::flush() {
  if (!m_print_all || m_count == 0) return;
  record& last = m_records[(m_count - 1) % kept];
  if (last.number != 0 || last.event != happening::none) std::fputs(line(last).c_str(), stderr);
}

std::string trail::last() {
  std::string text;
  for (std::size_t i = m_count > kept ? m_count - kept : 0; i < m_count; ++i) text += line(m_records[i % kept]);
  return text;
}

std::string trail::name_of(const void* word) {
  return joined({"w", std::to_string(m_names.try_emplace(word, m_names.size() + 1).first->second)});
}

std::string trail::value(std::uint64_t of) {
  if (is_address(of)) return joined({"&", name_of(reinterpret_cast<const void*>(of & ~std::uint64_t{7}))});
  if (of >> 32U == 0) return std::to_string(of);
  return joined({std::to_string(of >> 32U), "<<32|", std::to_string(of & 0xFFFF'FFFFU)});
}

std::string trail::values(const record& of) {
  if (of.what == operation::futex_wait) return joined({"is ", value(of.before), ", sleeps on ", value(of.after)});
  if (of.what == operation::futex_wake) return joined({"wakes ", value(of.after), " of ", value(of.before)});
  if (of.before == of.after) return value(of.before);
  return joined({value(of.before), " -> ", value(of.after)});
}

std::string trail::line(const record& of) {
  const std::string dot = *of.home != '\0' ? joined({of.home, "."}) : "";
  const auto fiber = [&](std::uint64_t id) { return joined({"fiber ", dot, std::to_string(id)}); };
  const auto worker = [&](std::uint64_t index) { return joined({"worker ", dot, std::to_string(index)}); };
  std::string who = joined({"thread ", std::to_string(of.thread)});
  if (of.worker >= 0) who += joined({"  ", worker(static_cast<std::uint64_t>(of.worker))});
  if (of.fiber != 0) who += joined({"  ", fiber(of.fiber)});

  const std::string subject = of.event != happening::none ? fiber(of.before) : "";
  const std::string by = of.after != 0 ? joined({", by ", fiber(of.after)}) : ", from outside";
  std::string what, place;
  switch (of.event) {
    case happening::none:
      what = joined({to_string(of.what), of.word != nullptr ? " " : "", of.word != nullptr ? name_of(of.word) : "",
                     of.has_values ? ": " : "", of.has_values ? values(of) : "", of.old ? ", old" : ""});
      place = text_of(of.at);
      break;
    case happening::spawned: what = joined({"== spawned ", subject, by}); break;
    case happening::started: what = joined({"== starts ", subject}); break;
    case happening::suspended: what = joined({"== suspends ", subject}); break;
    case happening::resumed: what = joined({"== resumes ", subject}); break;
    case happening::woken: what = joined({"== wakes ", subject, by}); break;
    case happening::finished: what = joined({"== ends ", subject}); break;
    case happening::stole: what = joined({"== stole ", std::to_string(of.after), " from ", worker(of.before)}); break;
    case happening::worker_sleeps: what = "== goes to sleep"; break;
    case happening::worker_wakes: what = "== is awake"; break;
    case happening::spurious_wakeup: what = "-- wakes for no reason"; break;
    case happening::woke_thread: what = joined({"-- wakes thread ", std::to_string(of.before)}); break;
    case happening::timed_out: what = "-- its time has run out"; break;
    case happening::test_failed: what = joined({"!! wrong, says line ", std::to_string(of.before)}); break;
  }
  char text[400];
  std::snprintf(text, sizeof text, "%8llu  %-34s  %-44s  %-36s  %s", static_cast<unsigned long long>(of.number),
                who.c_str(), what.c_str(), place.c_str(),
                of.event == happening::none ? source_line(of.at).c_str() : "");
  std::string trimmed(text);
  trimmed.erase(trimmed.find_last_not_of(' ') + 1);
  return trimmed.append("\n");
}

}  // namespace ramie::sim
