#include "framework/usage_errors.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <unistd.h>

#include "framework/contender.hpp"
#include "framework/options.hpp"
#include "framework/report.hpp"
#include "report/page.hpp"

namespace bench {
namespace {

/// Edits (a letter more, less, other, or two swapped) between two words.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), 0U);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1, i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last.back();
}

bool is_option(const std::string& argument) { return argument.size() > 1 && argument.front() == '-'; }

const CLI::Option* find_option(const CLI::App& command, const std::string& name) {
  for (const CLI::Option* option : options_of(command)) {
    const auto names = names_of(*option);
    if (std::find(names.begin(), names.end(), name) != names.end()) return option;
  }
  return nullptr;
}

std::vector<std::string> long_names(const CLI::App& command) {
  std::vector<std::string> all;
  for (const CLI::Option* option : options_of(command)) {
    for (std::string& name : names_of(*option)) {
      if (name.starts_with("--")) all.push_back(std::move(name));
    }
  }
  return all;
}

/// Hidden commands too.
const CLI::App* find_command(const CLI::App& program, const std::string& name) {
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

[[noreturn]] void refuse_option(const CLI::App& program, const CLI::App& command, const std::string& name) {
  if (&command == &program) {
    for (const CLI::App* other : commands_of(program)) {
      if (find_option(*other, name) == nullptr) continue;
      throw usage_error(
          fmt::format("{0} belongs behind the command: {1} {2} {0}", name, program.get_name(), other->get_name()));
    }
  }
  throw usage_error(fmt::format("there is no option {}{}", name, did_you_mean(name, long_names(command))));
}

std::string value_name(const CLI::Option& option) {
  const auto values = values_of(option);
  return values.empty() ? option.get_type_name() : fmt::format("one of: {}", fmt::join(values, ", "));
}

class reader {
 public:
  reader(const CLI::App& program, const std::vector<std::string>& arguments, foresight& seen)
      : m_program(program), m_arguments(arguments), m_seen(seen) {
    m_seen.command = &program;
  }

  void read() {
    while (m_next < m_arguments.size()) {
      const std::string& argument = m_arguments[m_next++];
      if (argument == "--" && !m_plain) {
        m_plain = true;
      } else if (!m_plain && is_option(argument)) {
        read_option(argument);
      } else {
        read_plain(argument);
      }
    }
  }

 private:
  void read_option(const std::string& argument) {
    const std::size_t equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
    const std::string name = argument.substr(0, equals);
    const CLI::Option* option = find_option(*m_seen.command, name);
    if (option == nullptr) refuse_option(m_program, *m_seen.command, name);
    if (!takes_value(*option)) {
      if (equals != std::string::npos) throw usage_error(fmt::format("{} takes no value", name));
    } else {
      if (m_given.contains(option)) throw usage_error(fmt::format("{} is given twice", name));
      const std::string value = equals == std::string::npos ? next_value(*option, name) : argument.substr(equals + 1);
      if (value.empty()) lacks_value(*option, name);
      if (name == "--color") m_seen.colour = value;
    }
    for (const CLI::Option* other : option->get_excludes()) {
      const auto before = m_given.find(other);
      if (before != m_given.end()) {
        throw usage_error(fmt::format("{} and {} exclude each other", before->second, name));
      }
    }
    m_given[option] = name;
  }

  [[noreturn]] static void lacks_value(const CLI::Option& option, const std::string& name) {
    throw usage_error(fmt::format("{} needs a value ({})", name, value_name(option)));
  }

  std::string next_value(const CLI::Option& option, const std::string& name) {
    if (m_next == m_arguments.size()) lacks_value(option, name);
    const std::string& value = m_arguments[m_next];
    // A number may be negative, which the parser then refuses with its range.
    if (value.starts_with("--") || find_option(*m_seen.command, value) != nullptr) lacks_value(option, name);
    ++m_next;
    return value;
  }

  void read_plain(const std::string& argument) {
    if (m_seen.command == &m_program) {
      const CLI::App* command = find_command(m_program, argument);
      if (command == nullptr) refuse_command(argument);
      m_seen.command = command;
      m_given.clear();
      return;
    }
    std::size_t room = 0;
    for (const CLI::Option* positional : positionals_of(*m_seen.command)) {
      room += static_cast<std::size_t>(positional->get_items_expected_max());
    }
    if (m_seen.plain.size() == room)
      throw usage_error(fmt::format("there is nothing to do with the argument '{}'", argument));
    m_seen.plain.push_back(argument);
  }

  [[noreturn]] void refuse_command(const std::string& name) const {
    std::vector<std::string> names;
    for (const CLI::App* command : commands_of(m_program)) names.push_back(command->get_name());
    std::string what = fmt::format("there is no command '{}'", name);
    // "ramie switch": the suite is right, the command is missing.
    for (const CLI::App* command : commands_of(m_program)) {
      for (const CLI::Option* positional : positionals_of(*command)) {
        const auto values = values_of(*positional);
        if (std::find(values.begin(), values.end(), name) == values.end()) continue;
        throw usage_error(
            fmt::format("{}; did you mean '{} {} {}'?", what, m_program.get_name(), command->get_name(), name));
      }
    }
    const std::string meant = did_you_mean(name, names);
    throw usage_error(what + (meant.empty() ? fmt::format("; there are: {}", fmt::join(names, ", ")) : meant));
  }

  const CLI::App& m_program;
  const std::vector<std::string>& m_arguments;
  foresight& m_seen;
  std::size_t m_next = 0;
  bool m_plain = false;
  std::map<const CLI::Option*, std::string> m_given;
};

void check_image_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw std::runtime_error(fmt::format("cannot make the folder '{}': {}", directory, error.message()));
  try {
    check_writable((std::filesystem::path(directory) / "picture.png").string());
  } catch (const std::runtime_error&) {
    throw std::runtime_error(fmt::format("cannot write into '{}'", directory));
  }
}

void check_image(const std::vector<suite>& chosen) {
  const auto draws = [](const suite& s) { return static_cast<bool>(s.why_no_images); };
  const auto drawing = std::find_if(chosen.begin(), chosen.end(), draws);
  if (drawing == chosen.end()) throw usage_error("--image: none of the chosen suites makes pictures");
  if (const std::string why = drawing->why_no_images(); !why.empty()) throw usage_error("--image: " + why);
}

/// The folders are there, and all can be written to.
void check_apart(const options& o) {
  namespace fs = std::filesystem;
  if (o.json_file.empty()) return;
  if (!o.report_directory.empty()) {
    for (const std::string& file : report_files(o.report_directory)) {
      if (same_place(o.json_file, file))
        throw usage_error(fmt::format("--json and --report would both write '{}'", file));
    }
  }
  // The name of a picture is the suite's business, but for its end.
  const fs::path json = o.json_file;
  if (!o.image_directory.empty() && json.extension() == ".png" &&
      same_place(o.json_file, (fs::path(o.image_directory) / json.filename()).string())) {
    throw usage_error(fmt::format("--json and --image would both write '{}'", o.json_file));
  }
}

}  // namespace

void read_ahead(const CLI::App& program, const std::vector<std::string>& arguments, foresight& seen) {
  const auto asked = [&](const std::string& one, const std::string& other) {
    return std::any_of(arguments.begin(), std::find(arguments.begin(), arguments.end(), "--"),
                       [&](const std::string& argument) { return argument == one || argument == other; });
  };
  seen.help = asked("--help", "-h");
  seen.version = !arguments.empty() && arguments.front() == "--version";
  reader(program, arguments, seen).read();
}

void check_places(const options& o, const std::vector<suite>& chosen) {
  namespace fs = std::filesystem;
  const auto check = [](const char* option, const std::string& place, void (*writable)(const std::string&)) {
    if (place.empty()) return;
    try {
      writable(place);
    } catch (const std::runtime_error& problem) {
      throw usage_error(fmt::format("{}: {}", option, problem.what()));
    }
  };
  if (!o.peers && !o.peers_directory.empty()) throw usage_error("--peers-dir needs --peers");
  if (o.victim != "hierarchical") {
    if (!o.topology.empty()) throw usage_error("--topology needs --victim hierarchical");
    if (o.steal_threshold) throw usage_error("--steal-threshold needs --victim hierarchical");
  }
  if (!o.image_directory.empty()) check_image(chosen);
  // Folders first: the file may lie in one of them.
  check("--report", o.report_directory, &check_report_directory);
  check("--image", o.image_directory, &check_image_directory);
  check("--json", o.json_file, &check_writable);
  check_apart(o);
  std::error_code error;
  if (!o.peers_directory.empty() && !fs::is_directory(o.peers_directory, error)) {
    throw usage_error(
        fmt::format("--peers-dir: there is no folder '{}'; bench/build_peers.sh makes build/peers", o.peers_directory));
  }
}

std::string in_plain_words(const CLI::App& command, const std::string& said) {
  for (const CLI::Option* positional : positionals_of(command)) {
    const std::string prefix = positional->get_name() + ": ";
    if (said.starts_with(prefix)) return said.substr(prefix.size());
    if (said == positional->get_name() + " is required") {
      const bool listed = !values_of(*positional).empty();
      return fmt::format("an argument is missing: {}{}", value_name(*positional),
                         listed ? "" : fmt::format(", {}", positional->get_description()));
    }
  }
  return said;
}

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t edits = distance(word, candidate);
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  if (!best.empty()) return best;
  // The beginning of exactly one.
  const auto begins = [&](const std::string& candidate) { return word.size() > 2 && candidate.starts_with(word); };
  if (std::count_if(known.begin(), known.end(), begins) != 1) return {};
  return *std::find_if(known.begin(), known.end(), begins);
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string meant = nearest(word, known);
  if (meant.empty()) return {};
  return meant.starts_with('-') ? fmt::format("; did you mean {}?", meant) : fmt::format("; did you mean '{}'?", meant);
}

std::vector<std::string> values_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.find('|') == std::string::npos) return {};
  return CLI::detail::split(type, '|');
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return !option->get_positional(); });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

}  // namespace bench
