#include "framework/completion.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdexcept>

#include "framework/usage_errors.hpp"

namespace bench {
namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// For a text in single quotes, which all three shells have.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4) text.replace(at, 1, "'\\''");
  return "'" + text + "'";
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(program)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options_of(command)) {
    for (const std::string& name : names_of(*option)) names.push_back(name);
  }
  return names;
}

std::vector<std::string> positional_values(const CLI::App& command) {
  std::vector<std::string> all;
  for (const CLI::Option* positional : positionals_of(command)) {
    for (const std::string& value : values_of(*positional)) all.push_back(value);
  }
  return all;
}

bool takes_paths(const CLI::App& command) {
  const auto positionals = positionals_of(command);
  return std::any_of(positionals.begin(), positionals.end(), [](const CLI::Option* positional) {
    return positional->get_type_name() == "FILE" || positional->get_type_name() == "DIR";
  });
}

// ---- bash. Its words break at '=', so that --queue=x arrives as three.

std::string bash_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type == "FILE") return "paths=-f";
  if (type == "DIR") return "paths=-d";
  const auto values = values_of(option);
  return values.empty() ? ":" : "words=" + quoted(joined(values));
}

std::string bash_script(const CLI::App& program) {
  const std::string& name = program.get_name();
  std::string values;
  std::string words = fmt::format("      ':-'*) words={} ;;\n      ':'*) words={} ;;\n",
                                  quoted(joined(option_names(program))), quoted(joined(command_names(program))));
  for (const CLI::App* command : commands_of(program)) {
    for (const CLI::Option* option : options_of(*command)) {
      if (!takes_value(*option)) continue;
      for (const std::string& spelling : names_of(*option)) {
        values += fmt::format("    {}:{}) {} ;;\n", command->get_name(), spelling, bash_values(*option));
      }
    }
    // Not told apart by their place: a file is among the files and folders, and so is a folder.
    words += fmt::format("      '{}:-'*) words={} ;;\n      '{}:'*) {} ;;\n", command->get_name(),
                         quoted(joined(option_names(*command))), command->get_name(),
                         takes_paths(*command) ? "paths=-f" : "words=" + quoted(joined(positional_values(*command))));
  }
  return fmt::format(R"(# bash completion for {0}; made by: {0} completion bash
_{0}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} option=${{COMP_WORDS[COMP_CWORD-1]}} command= words= paths= i
  COMPREPLY=()
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $option == '=' ]]; then
    option=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      {1}) command=${{COMP_WORDS[i]}}; break ;;
    esac
  done
  case $command:$option in
{2}    *) case $command:$cur in
{3}    esac ;;
  esac
  if [[ -n $paths ]]; then
    compopt -o filenames 2>/dev/null
    local IFS=$'\n'
    COMPREPLY=($(compgen "$paths" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}}
complete -F _{0} {0}
)",
                     name, fmt::join(command_names(program), "|"), values, words);
}

// ---- zsh

/// For the inside of an _arguments specification in single quotes.
std::string zsh_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string zsh_action(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type == "FILE") return "_files";
  if (type == "DIR") return "_files -/";
  const auto values = values_of(option);
  return values.empty() ? " " : "(" + joined(values) + ")";
}

std::string zsh_specifications(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : options_of(command)) {
    for (const std::string& name : names_of(*option)) {
      const bool value = takes_value(*option);
      const bool lengthy = name.starts_with("--");
      std::string specification =
          fmt::format("{}{}[{}]", name, value && lengthy ? "=" : "", zsh_text(option->get_description()));
      if (value)
        specification += fmt::format(
            ":{}:{}", option->get_type_name().find('|') == std::string::npos ? option->get_type_name() : "value",
            zsh_action(*option));
      text += " \\\n        " + quoted(specification);
    }
  }
  std::size_t place = 0;
  for (const CLI::Option* positional : positionals_of(command)) {
    ++place;
    const std::string where = positional->get_items_expected_max() > 1 ? "*" : std::to_string(place);
    text += " \\\n        " + quoted(fmt::format("{}:{}:{}", where, positional->get_name(), zsh_action(*positional)));
  }
  return text;
}

std::string zsh_script(const CLI::App& program) {
  std::string commands;
  std::string cases;
  for (const CLI::App* command : commands_of(program)) {
    commands += "    " + quoted(command->get_name() + ":" + zsh_text(command->get_description())) + "\n";
    cases += fmt::format("        {}) _arguments -s{} ;;\n", command->get_name(), zsh_specifications(*command));
  }
  return fmt::format(R"(#compdef {0}
# zsh completion for {0}; made by: {0} completion zsh
_{0}() {{
  local curcontext=$curcontext state line
  local -a commands
  commands=(
{1}  )
  _arguments -C{2} '1:command:->command' '*::argument:->argument' && return
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
{3}      esac ;;
  esac
}}
# Autoloaded from a folder of $fpath, or sourced.
if [ "$funcstack[1]" = _{0} ]; then
  _{0} "$@"
else
  compdef _{0} {0}
fi
)",
                     program.get_name(), commands, zsh_specifications(program), cases);
}

// ---- fish

std::string fish_option(const std::string& name, const std::string& condition, const CLI::Option& option) {
  std::string line = fmt::format("complete -c {} -n {}", name, quoted(condition));
  for (const std::string& spelling : option.get_snames()) line += " -s " + spelling;
  for (const std::string& spelling : option.get_lnames()) line += " -l " + spelling;
  if (takes_value(option)) {
    const std::string type = option.get_type_name();
    const auto values = values_of(option);
    line += type == "FILE"  ? " -r -F"
            : type == "DIR" ? " -x -a '(__fish_complete_directories)'"
                            : " -x" + (values.empty() ? "" : " -a " + quoted(joined(values)));
  }
  return line + " -d " + quoted(option.get_description()) + "\n";
}

std::string fish_script(const CLI::App& program) {
  const std::string& name = program.get_name();
  std::string text = fmt::format("# fish completion for {0}; made by: {0} completion fish\ncomplete -c {0} -f\n", name);
  for (const CLI::Option* option : options_of(program)) {
    text += fish_option(name, "__fish_use_subcommand", *option);
  }
  for (const CLI::App* command : commands_of(program)) {
    text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", name, command->get_name(),
                        quoted(command->get_description()));
    const std::string condition = "__fish_seen_subcommand_from " + command->get_name();
    const auto values = positional_values(*command);
    if (!values.empty()) {
      text += fmt::format("complete -c {} -n {} -a {}\n", name, quoted(condition), quoted(joined(values)));
    }
    if (takes_paths(*command)) text += fmt::format("complete -c {} -n {} -F\n", name, quoted(condition));
    for (const CLI::Option* option : options_of(*command)) text += fish_option(name, condition, *option);
  }
  return text;
}

}  // namespace

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> shells{"bash", "zsh", "fish"};
  return shells;
}

std::string completion_script(const CLI::App& program, const std::string& shell) {
  if (shell == "bash") return bash_script(program);
  if (shell == "zsh") return zsh_script(program);
  if (shell == "fish") return fish_script(program);
  throw std::invalid_argument("there is no completion for " + shell);
}

}  // namespace bench
