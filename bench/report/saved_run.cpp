#include "report/saved_run.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench {
namespace {

/// The members of an object in the file. A member that is missing or of another type: throws std::runtime_error that
/// names the place.
class fields {
 public:
  fields(const nlohmann::json& json, std::string where) : m_json(json), m_where(std::move(where)) {
    if (!m_json.is_object())
      throw std::runtime_error(fmt::format("{} is no object", m_where.empty() ? "the whole" : m_where));
  }

  [[nodiscard]] std::string text(const char* name) const {
    return at(name, &nlohmann::json::is_string, "no text").get<std::string>();
  }
  [[nodiscard]] bool flag(const char* name) const {
    return at(name, &nlohmann::json::is_boolean, "neither true nor false").get<bool>();
  }
  /// JSON has no infinity: what could not be written as a number is null there.
  [[nodiscard]] double number(const char* name) const {
    const nlohmann::json& value = member(name);
    if (value.is_null()) return 0;
    return at(name, &nlohmann::json::is_number, "no number").get<double>();
  }
  template <class Whole>
  [[nodiscard]] Whole whole(const char* name) const {
    return whole<Whole>(member(name), name);
  }
  template <class Whole>
  [[nodiscard]] Whole whole(const nlohmann::json& value, const std::string& name) const {
    const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() <= std::numeric_limits<Whole>::max();
    if (!fits) {
      throw std::runtime_error(
          fmt::format("{} is no whole number from 0 to {}", place(name), std::numeric_limits<Whole>::max()));
    }
    return value.get<Whole>();
  }
  [[nodiscard]] const nlohmann::json& list(const char* name) const {
    return at(name, &nlohmann::json::is_array, "no list");
  }
  [[nodiscard]] fields object(const char* name) const { return {member(name), place(name)}; }
  [[nodiscard]] bool has(const char* name) const { return m_json.contains(name); }
  [[nodiscard]] bool is_null(const char* name) const { return member(name).is_null(); }
  [[nodiscard]] const nlohmann::json& members() const { return m_json; }

 private:
  [[nodiscard]] std::string place(const std::string& name) const {
    return m_where.empty() ? name : m_where + "." + name;
  }

  using kind = bool (nlohmann::json::*)() const noexcept;

  [[nodiscard]] const nlohmann::json& member(const char* name) const {
    const auto found = m_json.find(name);
    if (found == m_json.end()) throw std::runtime_error(fmt::format("{} is missing", place(name)));
    return *found;
  }
  [[nodiscard]] const nlohmann::json& at(const char* name, kind is_right, const char* otherwise) const {
    const nlohmann::json& value = member(name);
    if (!(value.*is_right)()) throw std::runtime_error(fmt::format("{} is {}", place(name), otherwise));
    return value;
  }

  const nlohmann::json& m_json;
  std::string m_where;
};

machine machine_from(const fields& from) {
  machine m;
  m.cpu = from.text("cpu");
  m.cores = from.whole<unsigned>("cores");
  m.usable_cores = from.whole<unsigned>("usable_cores");
  m.virtual_machine = from.flag("virtual_machine");
  m.kernel = from.text("kernel");
  m.system = from.text("system");
  m.memory_bytes = from.whole<std::size_t>("memory_bytes");
  m.load = from.number("load");
  m.compiler = from.text("compiler");
  m.flags = from.text("flags");
  return m;
}

options options_from(const fields& from) {
  options o;
  for (const auto& name : from.list("suites")) {
    if (!name.is_string()) throw std::runtime_error("options.suites is no list of texts");
    o.suites.push_back(name.get<std::string>());
  }
  for (const auto& count : from.list("workers")) o.workers.push_back(from.whole<unsigned>(count, "workers"));
  o.queue = from.text("queue");
  // Absent from runs that were saved before there were such queues.
  if (from.has("bwos_blocks")) o.bwos_blocks = from.whole<std::size_t>("bwos_blocks");
  if (from.has("bwos_entries")) o.bwos_entries = from.whole<std::size_t>("bwos_entries");
  if (from.has("bwos_grant")) o.bwos_grant = from.text("bwos_grant");
  o.victim = from.text("victim");
  o.stealing = from.flag("stealing") ? "on" : "off";
  o.pin = from.flag("pin");
  o.backoff = from.text("backoff");
  // Absent from runs that were saved before there was a policy that has them.
  if (from.has("topology")) o.topology = from.text("topology");
  if (from.has("steal_threshold") && !from.is_null("steal_threshold"))
    o.steal_threshold = from.whole<unsigned>("steal_threshold");
  if (!from.is_null("spin_ns")) o.spin_ns = from.whole<std::uint64_t>("spin_ns");
  o.seed = from.whole<std::uint64_t>("seed");
  o.duration_ms = from.whole<unsigned>("duration_ms");
  o.quick = from.flag("quick");
  o.full = from.flag("full");
  o.peers = from.flag("peers");
  o.runs = from.whole<unsigned>("runs");
  // Absent from runs that were saved before one could ask for them.
  if (from.has("neighbours")) o.neighbours = from.whole<unsigned>("neighbours");
  return o;
}

row_result row_from(const fields& from) {
  row_result r;
  r.suite = from.text("suite");
  r.row = from.text("row");
  r.runtime = from.text("runtime");
  r.workers = from.whole<unsigned>("workers");
  r.queue = from.text("queue");
  r.unit = from.text("unit");
  r.values = {.median = from.number("median"),
              .min = from.number("min"),
              .max = from.number("max"),
              .runs = from.whole<std::size_t>("runs")};
  r.verified = from.flag("verified");
  if (from.has("complaint")) r.complaint = from.text("complaint");
  const fields stats = from.object("stats");
  for (const auto& [name, value] : stats.members().items()) r.stats[name] = stats.number(name.c_str());
  return r;
}

/// The whole of a file. Throws std::runtime_error with a sentence that names it.
std::string content_of(const std::string& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) throw std::runtime_error(fmt::format("'{}' is a folder", file));
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) {
    throw std::runtime_error(fmt::format("cannot read '{}': {}", file, std::strerror(errno != 0 ? errno : EIO)));
  }
  return text;
}

report report_from(const nlohmann::json& json) {
  const fields all(json, "");
  report r;
  r.on = machine_from(all.object("machine"));
  r.with = options_from(all.object("options"));
  std::size_t number = 0;
  for (const auto& row : all.list("rows")) {
    row_result read = row_from({row, fmt::format("rows[{}]", number++)});
    if (r.sections.empty() || r.sections.back().name != read.suite) r.sections.push_back({read.suite, "", {}});
    r.sections.back().rows.push_back(std::move(read));
  }
  return r;
}

}  // namespace

report read_saved_run(const std::string& file) {
  const std::string text = content_of(file);
  const std::string no_result = fmt::format("'{}' is no result of `ramie bench --json`", file);
  try {
    return report_from(nlohmann::json::parse(text));
  } catch (const nlohmann::json::parse_error& problem) {
    throw std::runtime_error(fmt::format("'{}' is no JSON (byte {} of {})", file, problem.byte, text.size()));
  } catch (const nlohmann::json::out_of_range&) {
    // The one thing besides syntax that parse() refuses.
    throw std::runtime_error(fmt::format("{}: a number in it is too large", no_result));
  } catch (const std::runtime_error& problem) {
    throw std::runtime_error(fmt::format("{}: {}", no_result, problem.what()));
  }
}

}  // namespace bench
