#include "framework/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "framework/completion.hpp"
#include "framework/help.hpp"
#include "framework/output.hpp"
#include "framework/usage_errors.hpp"

namespace bench {
namespace {

const std::vector<std::string> exit_codes{"Exit codes:",
                                          "  0    everything was done, and every row verified",
                                          "  1    a row did not verify, or something could not be written",
                                          "  2    the command line is wrong; nothing was measured",
                                          "  130  after Ctrl-C, 143 after SIGTERM: what was finished is printed, and",
                                          "       written to the files; the second one ends at once"};

const lesson about_program{
    .examples = {{"ten seconds: how fast does a fiber switch here?", "ramie bench switch --quick"},
                 {"what else can be measured", "ramie bench --list"},
                 {"all options of a command", "ramie help bench"},
                 {"complete commands and options with TAB in this shell", "source <(ramie completion bash)"}},
    .more = exit_codes};

lesson about_bench(const std::vector<suite>& suites) {
  const std::string some = suites.empty() ? "" : " " + suites.front().name;
  lesson l{.examples = {{"everything, small: a first look", "ramie bench --quick"},
                        {"one suite beside Go, tokio, oneTBB and others, as far as they are there",
                         fmt::format("ramie bench{} --peers", some)},
                        {"how it scales: with 1, 2 and 4 workers", fmt::format("ramie bench{} --workers 1,2,4", some)},
                        {"another queue, no stealing, the same inputs again",
                         fmt::format("ramie bench{} --queue locked --stealing off --seed 7", some)},
                        {"keep the figures, with more repetitions",
                         fmt::format("ramie bench{} --runs 21 --json figures.json", some)},
                        {"in colour through a pager", fmt::format("ramie bench{} --color always | less -R", some)}},
           .more = exit_codes};
  return l;
}

const lesson about_completion{.examples = {{"in this shell only", "source <(ramie completion bash)"},
                                           {"for good (the installed package has done this)",
                                            "ramie completion bash > ~/.local/share/bash-completion/completions/ramie"},
                                           {"zsh: into a folder of $fpath", "ramie completion zsh > ~/.zfunc/_ramie"},
                                           {"fish", "ramie completion fish > ~/.config/fish/completions/ramie.fish"}}};

std::string one_of_these(const std::vector<std::string>& names, const std::string& what, const std::string& said) {
  if (std::find(names.begin(), names.end(), said) != names.end()) return {};
  return fmt::format("there is no {} '{}'; choose one of: {}{}", what, said, fmt::join(names, ", "),
                     did_you_mean(said, names));
}

}  // namespace

command_line::command_line(std::vector<suite> suites, const choices& offered, std::string version)
    : m_app(std::make_unique<CLI::App>("ramie runs plain blocking functions as fibers; this program measures how well.",
                                       "ramie")),
      m_version(std::move(version)) {
  m_app->require_subcommand(0, 1);  // one: otherwise CLI11 takes the name of a command for one wherever it stands
  m_app->add_flag("--version")->description("print the version, how it was built, and what it uses of this kernel");
  m_bench = std::make_unique<command>(*m_app, std::move(suites), offered);

  const auto& shells = completion_shells();
  m_completion = m_app->add_subcommand("completion", "print a script that completes this program's command line");
  m_completion->add_option("shell", m_shell, fmt::format("{}", fmt::join(shells, ", ")))
      ->type_name(fmt::format("{}", fmt::join(shells, "|")))
      ->required()
      ->check([&shells](const std::string& said) { return one_of_these(shells, "completion for the shell", said); });

  m_help = m_app->add_subcommand("help", "explain a command");
  std::vector<std::string> names;
  for (const CLI::App* c : commands_of(*m_app)) names.push_back(c->get_name());
  m_help->add_option("command", m_help_about, fmt::format("{}", fmt::join(names, ", ")))
      ->type_name(fmt::format("{}", fmt::join(names, "|")));
}

command_line::~command_line() = default;

void command_line::help(const CLI::App& about, const std::string& colour) const {
  const lesson taught = &about == m_app.get()         ? about_program
                        : about.get_name() == "bench" ? about_bench(m_bench->suites())
                        : &about == m_completion      ? about_completion
                                                      : lesson{};
  put(help_text(*m_app, about, taught, palette_for(stdout, colour)));
}

void command_line::explain(const std::vector<std::string>& about) const {
  if (about.empty()) return help(*m_app, "auto");
  const auto commands = commands_of(*m_app);
  for (const CLI::App* c : commands) {
    if (c->get_name() == about.front()) return help(*c, "auto");
  }
  std::vector<std::string> names;
  for (const CLI::App* c : commands) names.push_back(c->get_name());
  throw usage_error(one_of_these(names, "command", about.front()));
}

int command_line::obey(const std::vector<std::string>& arguments) {
  foresight seen;
  try {
    read_ahead(*m_app, arguments, seen);
  } catch (const usage_error&) {
    if (seen.command != m_app.get()) m_hint = seen.command->get_name();
    // An argument --help after a mistake still shows the help.
    if (!seen.help) throw;
  }
  if (seen.command != m_app.get()) m_hint = seen.command->get_name();
  if (seen.help || arguments.empty()) {
    help(*seen.command, seen.colour);
    return 0;
  }
  if (seen.version) {
    put(m_version);
    return 0;
  }
  if (seen.command == m_app.get()) throw usage_error("a command is missing");
  if (seen.command == m_help) {
    explain(seen.plain);
    return 0;
  }
  try {
    m_app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& problem) {
    throw usage_error(in_plain_words(*seen.command, problem.what()));
  }
  if (m_completion->parsed()) {
    put(completion_script(*m_app, m_shell));
    return 0;
  }
  return m_bench->run();
}

int command_line::run(const std::vector<std::string>& arguments) {
  int status = 1;
  try {
    status = obey(arguments);
  } catch (const usage_error& problem) {
    const std::string see = m_hint.empty() || m_hint == "help" ? "" : " " + m_hint;
    std::fputs(fmt::format("ramie: {}\nSee ramie{} --help.\n", problem.what(), see).c_str(), stderr);
    status = 2;
  } catch (const std::exception& problem) {
    std::fputs(fmt::format("ramie: {}\n", problem.what()).c_str(), stderr);
  }
  return output_status(status);
}

}  // namespace bench
