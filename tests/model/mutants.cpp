#include <model/mutants.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace ramie::model {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  // Recorded names are relative to the source folder where the build makes them so (-ffile-prefix-map).
  for (const std::string& name : {path, std::string(RAMIE_SOURCE_DIR) + "/" + path}) {
    std::ifstream file(name);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    if (!lines.empty()) break;
  }
  return lines;
}

bool is_comment(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first != std::string::npos && line.compare(first, 2, "//") == 0;
}

// The comment on the line, or the block of comment lines nearest above it, has the word.
bool said_to_be_kept(const site& where) {
  const std::vector<std::string> lines = lines_of(where.file);
  if (where.line == 0 || where.line > lines.size()) return false;
  const auto has_word = [](const std::string& line) {
    const std::size_t comment = line.find("//");
    return comment != std::string::npos && line.find("Kept", comment) != std::string::npos;
  };
  std::size_t at = where.line - 1;
  if (has_word(lines[at])) return true;
  while (at > 0 && !is_comment(lines[at - 1]) && !lines[at - 1].ends_with(';') && !lines[at - 1].ends_with('}')) --at;
  for (; at > 0 && is_comment(lines[at - 1]); --at) {
    if (has_word(lines[at - 1])) return true;
  }
  return false;
}

report explore(const scenario& each) { return explore(each.name, each.body, each.within); }

// Where all executions would be too much: which operations there are, and whether what is said to survive does.
report explore_some(const scenario& each) {
  limits some = each.within;
  some.how = search::walks;
  some.walks = std::min<std::uint64_t>(each.within.walks, 1'000);
  return explore(each.name, each.body, some);
}

}  // namespace

hunt hunt_mutants(const subject& of) {
  std::vector<place_in_code> places;
  mutation::met = &places;
  for (const scenario& each : of.scenarios) static_cast<void>(explore_some(each));
  mutation::met = nullptr;
  // Locks are taken by std::lock_guard, whose line it then is.
  std::erase_if(places, [&](const place_in_code& each) {
    return each.what != operation::lock && !std::string_view(each.where.file).ends_with(of.header);
  });
  std::ranges::sort(places, {},
                    [](const place_in_code& each) { return std::pair(each.where.line, each.where.column); });

  hunt found;
  for (const place_in_code& place : places) {
    for (const mutant& each : mutants_of(place)) {
      const bool kept = each.how == mutant::fault::weaker_order && said_to_be_kept(place.where);
      mutation::active = &each;
      report last;
      std::chrono::nanoseconds took{};
      std::uint64_t executions = 0;
      for (const scenario& one : of.scenarios) {
        last = kept ? explore_some(one) : explore(one);
        took += last.took;
        executions += last.complete + last.blocked;
        if (last.failed) break;
      }
      mutation::active = nullptr;
      const double ms = static_cast<double>(took.count()) * 1e-6;
      std::printf("[  mutant  ] %s: ", each.text().c_str());
      if (last.failed) {
        ++found.killed;
        std::printf("killed after %llu executions, %.1f ms, by \"%s\": %s\n",
                    static_cast<unsigned long long>(executions), ms, last.name.c_str(), last.what.c_str());
      } else if (kept) {
        ++found.kept;
        std::printf("kept, %llu executions, %.1f ms\n", static_cast<unsigned long long>(executions), ms);
      } else {
        std::printf("SURVIVES %llu executions, %.1f ms\n", static_cast<unsigned long long>(executions), ms);
        found.survivors.push_back(each);
      }
    }
  }
  std::printf("[  mutants ] %s: %zu killed, %zu kept, %zu survive\n", of.header.c_str(), found.killed, found.kept,
              found.survivors.size());
  return found;
}

}  // namespace ramie::model
