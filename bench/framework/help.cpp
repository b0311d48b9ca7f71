#include "framework/help.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/usage_errors.hpp"

namespace bench {
namespace {

constexpr std::size_t indent = 26;
constexpr std::size_t width = 100;

std::string upper(std::string name) {
  for (char& c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return name;
}

/// `text` behind `left`, wrapped.
std::string entry(const std::string& left, const std::string& text) {
  std::string all = "  " + left;
  if (all.size() + 2 > indent) {
    all += "\n" + std::string(indent, ' ');
  } else {
    all.resize(indent, ' ');
  }
  std::size_t column = indent;
  for (const std::string& word : CLI::detail::split(text, ' ')) {
    if (column > indent && column + 1 + word.size() > width) {
      all += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      all += ' ';
      ++column;
    }
    all += word;
    column += word.size();
  }
  return all + "\n";
}

std::string describe(const CLI::Option& option) {
  std::string left = fmt::format("{}", fmt::join(names_of(option), ", "));
  std::string text = option.get_description();
  if (takes_value(option)) {
    const auto values = values_of(option);
    const std::string type = option.get_type_name();
    const bool listed = !values.empty() && type.size() > 10;
    left += " " + (listed ? "NAME" : type);
    if (listed) text += fmt::format(": {}", fmt::join(values, ", "));
    if (!option.get_default_str().empty()) text += fmt::format(" (default: {})", option.get_default_str());
  }
  return entry(left, text);
}

std::string usage_of(const CLI::App& program, const CLI::App& command) {
  if (&program == &command) return program.get_name() + " COMMAND [ARGUMENT...]";
  std::string text = program.get_name() + " " + command.get_name();
  for (const CLI::Option* positional : positionals_of(command)) {
    const std::string name = upper(positional->get_name());
    text += positional->get_required()                 ? " " + name
            : positional->get_items_expected_max() > 1 ? fmt::format(" [{}...]", name)
                                                       : fmt::format(" [{}]", name);
  }
  return text + " [OPTION...]";
}

}  // namespace

std::string help_text(const CLI::App& program, const CLI::App& command, const lesson& taught, const palette& colours) {
  const auto heading = [&](const std::string& text) { return "\n" + colours.paint(tint::heading, text + ":") + "\n"; };
  std::string text = command.get_description() + "\n" + heading("Usage") + "  " + usage_of(program, command) + "\n";

  const auto commands = commands_of(command);
  if (!commands.empty()) text += heading("Commands");
  for (const CLI::App* c : commands) text += entry(c->get_name(), c->get_description());

  const auto positionals = positionals_of(command);
  if (!positionals.empty()) text += heading("Arguments");
  for (const CLI::Option* p : positionals) {
    text += entry(upper(p->get_name()), p->get_description());
  }

  const auto options = options_of(command);
  std::vector<std::string> groups;
  for (const CLI::Option* o : options) {
    const bool known = std::find(groups.begin(), groups.end(), o->get_group()) != groups.end();
    if (!known && o != command.get_help_ptr()) groups.push_back(o->get_group());
  }
  if (groups.empty()) groups.emplace_back("Options");
  for (const std::string& group : groups) {
    text += heading(group);
    for (const CLI::Option* o : options) {
      if (o->get_group() == group && o != command.get_help_ptr()) text += describe(*o);
    }
  }
  text += entry("-h, --help", "print this");

  if (!taught.examples.empty()) text += heading("Examples");
  for (const example& e : taught.examples) {
    text += fmt::format("{}\n    {}\n", colours.paint(tint::faint, "  # " + e.why), e.line);
  }
  if (!taught.more.empty()) text += "\n";
  for (const std::string& line : taught.more) text += line + "\n";
  return text;
}

}  // namespace bench
