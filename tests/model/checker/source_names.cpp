#include <model/checker/source_names.hpp>

#include <model/checker/mutation.hpp>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <regex>
#include <set>

namespace ramie::model {
namespace {

bool in_identifier(char each) { return std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '_'; }

// The identifier that ends before `end`.
std::string identifier_before(const std::string& line, std::size_t end) {
  while (end > 0 && line[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && in_identifier(line[begin - 1])) --begin;
  if (begin == end || std::isdigit(static_cast<unsigned char>(line[begin])) != 0) return "";
  return line.substr(begin, end - begin);
}

}  // namespace

const std::string& source_lines::at(const site& where) {
  static const std::string none;
  const auto [found, fresh] = m_files.try_emplace(where.file);
  std::vector<std::string>& lines = found->second;
  if (fresh) {
    // Names are relative to the source folder where the build makes them so (-ffile-prefix-map).
    for (const std::string& name : {std::string(where.file), std::string(RAMIE_SOURCE_DIR "/").append(where.file)}) {
      std::ifstream file(name);
      for (std::string line; std::getline(file, line);) lines.push_back(line);
      if (!lines.empty()) break;
    }
  }
  return where.line == 0 || where.line > lines.size() ? none : lines[where.line - 1];
}

std::string operated_on(const std::string& line, std::size_t column) {
  static const std::regex operation(
      R"(([A-Za-z_]\w*)(?:\[[^\]]*\]|\([^()]*\))*\s*(?:\.|->)\s*(?:load|store|exchange|fetch_\w+|compare_exchange_\w+)\s*\()"
      R"(|futex_(?:wait|wait_for|wake)\s*\(\s*(?:[A-Za-z_]\w*\s*(?:\.|->)\s*)*([A-Za-z_]\w*))");
  std::string nearest;
  std::size_t distance = std::string::npos;
  for (std::sregex_iterator each(line.begin(), line.end(), operation), end; each != end; ++each) {
    const auto begin = static_cast<std::size_t>(each->position()) + 1;  // as columns count
    const std::size_t last = begin + static_cast<std::size_t>(each->length()) - 1;
    // Clang: at or before the identifier (`a->b.c.load(` begins at a). gcc: the parenthesis, or within for futex calls.
    const std::size_t away = column > last ? column - last + line.size() : column < begin ? begin - column : 0;
    if (away >= distance) continue;
    distance = away;
    nearest = (*each)[(*each)[1].matched ? 1 : 2].str();
  }
  return nearest;
}

std::string declared(const std::string& line, std::size_t column) {
  // The last declarator that begins at or before the column.
  static const std::regex declaration(R"(atomic\s*<[^;{}()]*>\s*([A-Za-z_]\w*))");
  std::smatch type;
  if (!std::regex_search(line, type, declaration)) {
    // auto x = make_it<atomic<int>>(...); auto* x = new atomic<int>(0);
    const std::size_t equals = line.find(" = ");
    return equals != std::string::npos ? identifier_before(line, equals) : "";
  }
  std::string name = type[1].str();
  static const std::regex further(R"(,\s*([A-Za-z_]\w*)\s*[\[{(=;,])");
  const auto begin = line.begin() + type.position(1);
  for (std::sregex_iterator each(begin, line.end(), further), end; each != end; ++each) {
    if (static_cast<std::size_t>(type.position(1) + each->position(1)) + 1 <= column) name = (*each)[1].str();
  }
  return name;
}

std::vector<std::string> names_of(const execution& graph, const std::vector<event_id>& order) {
  const std::vector<execution::location>& locations = graph.locations();
  std::vector<std::string> names(locations.size());
  source_lines lines;
  for (const event_id id : order) {
    const event& each = graph.at(id);
    if ((!each.is_read() && each.kind != event_kind::write) || !names[each.location].empty()) continue;
    names[each.location] = operated_on(lines.at(each.where), each.where.column);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty() || locations[i].created == nobody) continue;
    const site& where = graph.at(locations[i].created).where;
    names[i] = declared(lines.at(where), where.column);
    if (names[i].empty()) names[i] = text_of(where);
  }
  // In the order of their creation.
  std::map<std::string, std::vector<std::size_t>> same;
  for (const event_id id : order) {
    const event& each = graph.at(id);
    if (each.kind == event_kind::create) same[names[each.location]].push_back(each.location);
  }
  for (const auto& [name, all] : same) {
    for (std::size_t i = 0; all.size() > 1 && i < all.size(); ++i) names[all[i]].append("#").append(std::to_string(i));
  }
  for (const execution::location& each : locations) {
    if (each.futex == no_location) continue;
    names[each.futex] = names[static_cast<std::size_t>(&each - locations.data())];
    names[each.futex] += "'s sleepers";
  }
  return names;
}

}  // namespace ramie::model
