#include "framework/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "framework/colour.hpp"
#include "framework/machine.hpp"
#include "framework/usage_errors.hpp"
#include "framework/whole_number.hpp"

namespace bench {
namespace {

// Not CLI11's own lists: they drop an empty element, and `1,,2` is a mistake.
CLI::Validator whole_numbers(std::uint64_t low, std::uint64_t high) {
  return CLI::Validator(
      [each = whole_number(low, high)](std::string& text) -> std::string {
        for (std::string part : CLI::detail::split(text, ',')) {
          if (std::string problem = each(part); !problem.empty()) return problem;
        }
        return {};
      },
      "");
}

CLI::Validator one_of(std::vector<std::string> allowed, const char* what) {
  return CLI::Validator(
      [allowed = std::move(allowed), what](std::string& text) -> std::string {
        if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return {};
        return fmt::format("there is no {} '{}'; choose one of: {}{}", what, text, fmt::join(allowed, ", "),
                           did_you_mean(text, allowed));
      },
      "");
}

// The grammar of --bwos-blocks, N×M or NxM, as {N, M}.
std::optional<std::pair<std::size_t, std::size_t>> blocks_from(const std::string& text) {
  constexpr std::string_view times = "\u00d7";
  const auto whole = [](std::string_view part) -> std::optional<std::size_t> {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
    return value;
  };
  const bool sign = text.find(times) != std::string::npos;
  const std::size_t at = sign ? text.find(times) : text.find('x');
  if (at == std::string::npos) return std::nullopt;
  const std::string_view all = text;
  const auto blocks = whole(all.substr(0, at));
  const auto entries = whole(all.substr(at + (sign ? times.size() : 1)));
  if (!blocks || !entries || *blocks < 2 || *blocks > 65'536 || *entries < 1 || *entries > 4'095) return std::nullopt;
  return std::pair{*blocks, *entries};
}

CLI::Validator blocks_and_entries() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        if (blocks_from(text)) return {};
        return fmt::format(
            "'{}' is not blocks \u00d7 entries, such as 16\u00d764 or 16x64: 2 to 65536 blocks of 1 to 4095", text);
      },
      "");
}

CLI::Validator topology_text(const choices& offered) {
  return CLI::Validator(
      [knows = offered.knows_topology](std::string& text) -> std::string {
        if (!knows || knows(text)) return {};
        return fmt::format("'{}' is no synthetic description of hwloc, such as 'pack:2 l3:2 core:4 pu:1'", text);
      },
      "");
}

}  // namespace

void add_options(CLI::App& app, options& into, const choices& offered) {
  into.queue = offered.default_queue;
  into.victim = offered.default_victim;
  into.backoff = offered.default_backoff;
  const auto list = [](const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, "|")); };

  const auto group = [&app](const char* name) { app.option_defaults()->group(name); };

  group("What to measure");
  auto* quick = app.add_flag("--quick", into.quick, "smaller sizes: each suite ends within 40 seconds");
  app.add_flag("--full", into.full, "the exact sizes of the published source")->excludes(quick);
  app.add_flag("--peers", into.peers, "also measure the peers that are present, and say which are absent");
  app.add_option("--peers-dir", into.peers_directory,
                 "where bench/build_peers.sh put its programs (default: build/peers beside this build)")
      ->type_name("DIR");
  app.add_flag("--list", into.list, "list the suites and their rows, and do nothing else");

  group("The runtime under test");
  const auto set_workers = [&into](const std::string& checked) {
    into.workers.clear();
    for (const std::string& part : CLI::detail::split(checked, ','))
      into.workers.push_back(static_cast<unsigned>(std::stoul(part)));
  };
  app.add_option_function<std::string>("--workers", set_workers,
                                       "worker counts, for example 1,2,4 (default: 1 and one per core)")
      ->type_name("LIST")
      ->check(whole_numbers(1, 1024));
  app.add_option("--queue", into.queue, "queue of the workers")
      ->type_name(list(offered.queues))
      ->check(one_of(offered.queues, "queue"))
      ->each([&into](const std::string&) { into.queue_given = true; })
      ->capture_default_str();
  const auto set_blocks = [&into](const std::string& checked) {
    std::tie(into.bwos_blocks, into.bwos_entries) = blocks_from(checked).value();
  };
  app.add_option_function<std::string>("--bwos-blocks", set_blocks,
                                       "blocks, and entries of each, of the queues bwos_lifo and bwos_fifo")
      ->type_name("NxM")
      ->check(blocks_and_entries())
      ->default_str(fmt::format("{}x{}", into.bwos_blocks, into.bwos_entries));
  app.add_option("--bwos-grant", into.bwos_grant,
                 "when thieves get a block of these: as soon as one asks, or when it is full and left")
      ->type_name("early|faithful")
      ->check(one_of({"early", "faithful"}, "grant"))
      ->capture_default_str();
  app.add_option("--victim", into.victim, "how a thief chooses its victim")
      ->type_name(list(offered.victims))
      ->check(one_of(offered.victims, "victim policy"))
      ->capture_default_str();
  app.add_option("--backoff", into.backoff, "what a thief does between attempts")
      ->type_name(list(offered.backoffs))
      ->check(one_of(offered.backoffs, "backoff policy"))
      ->capture_default_str();
  app.add_option("--topology", into.topology,
                 "hierarchical victims only: a machine to imagine, as hwloc describes it, for example "
                 "'pack:2 l3:2 core:4 pu:1' (default: this one)")
      ->type_name("TEXT")
      ->check(topology_text(offered));
  app.add_option("--steal-threshold", into.steal_threshold,
                 "hierarchical victims only: fruitless rounds before a thief looks farther (default: the library's)")
      ->type_name("N")
      ->transform(whole_number(0, UINT32_MAX));
  app.add_option("--stealing", into.stealing, "work stealing")
      ->type_name("on|off")
      ->check(one_of({"on", "off"}, "setting"))
      ->capture_default_str();
  app.add_flag("--pin", into.pin, "pin each worker to a core");
  app.add_option("--spin", into.spin_ns,
                 "nanoseconds that an idle worker spins before it sleeps (default: the library's)")
      ->type_name("N")
      ->transform(whole_number(0, 10'000'000'000));
  app.add_option("--seed", into.seed, "seed of the random choices and inputs")
      ->type_name("N")
      ->transform(whole_number(0, UINT64_MAX))
      ->capture_default_str();

  group("How to measure");
  app.add_option("--runs", into.runs, "repetitions of each row")
      ->type_name("N")
      ->transform(whole_number(1, 1000))
      ->capture_default_str();
  app.add_option("--duration-ms", into.duration_ms,
                 "length of one repetition, where the work has no size of its own (default: 200; with --quick 50)")
      ->type_name("N")
      ->transform(whole_number(1, 60'000));

  app.add_option("--neighbours", into.neighbours,
                 "busy processes of the lowest priority beside every row, as on a machine that is shared")
      ->type_name("N")
      ->transform(whole_number(0, 1024))
      ->capture_default_str();

  group("Output");
  app.add_flag("--summary", into.summary,
               "of several suites a line each instead of their tables, worst first; --report keeps the tables");
  app.add_option("--json", into.json_file, "also write the result to FILE")->type_name("FILE");
  app.add_option("--image", into.image_directory,
                 "heat only: also write about 20 PNG pictures of the temperatures into DIR, in a run of their own")
      ->type_name("DIR");
  app.add_option("--report", into.report_directory,
                 "also write the result with its plots as a page, DIR/index.html, and as text, DIR/tables.txt")
      ->type_name("DIR");
  app.add_option("--color", into.color, "colour: on a terminal unless NO_COLOR is set, or as told")
      ->type_name(list(colour_choices()))
      ->check(one_of(colour_choices(), "setting"))
      ->capture_default_str();
}

void add_suites(CLI::App& app, options& into, const std::vector<std::string>& names) {
  app.add_option("suites", into.suites, fmt::format("what to measure (default: all): {}", fmt::join(names, ", ")))
      ->type_name(fmt::format("{}", fmt::join(names, "|")))
      ->check(one_of(names, "suite"));
}

std::vector<std::string> to_arguments(const options& from) {
  std::vector<std::string> arguments;
  const auto add = [&](const char* name, std::string value) {
    arguments.emplace_back(name);
    arguments.push_back(std::move(value));
  };
  if (!from.workers.empty()) add("--workers", fmt::format("{}", fmt::join(from.workers, ",")));
  // Not where it is the default: the child shall not believe that it was asked for.
  if (from.queue_given) add("--queue", from.queue);
  add("--bwos-blocks", fmt::format("{}x{}", from.bwos_blocks, from.bwos_entries));
  add("--bwos-grant", from.bwos_grant);
  add("--victim", from.victim);
  add("--backoff", from.backoff);
  if (!from.topology.empty()) add("--topology", from.topology);
  if (from.steal_threshold) add("--steal-threshold", std::to_string(*from.steal_threshold));
  add("--stealing", from.stealing);
  if (from.pin) arguments.emplace_back("--pin");
  if (from.spin_ns) add("--spin", std::to_string(*from.spin_ns));
  add("--seed", std::to_string(from.seed));
  if (from.duration_ms != 0) add("--duration-ms", std::to_string(from.duration_ms));
  if (from.quick) arguments.emplace_back("--quick");
  if (from.full) arguments.emplace_back("--full");
  return arguments;
}

std::vector<unsigned> worker_list(const options& from, std::vector<unsigned> otherwise) {
  return from.workers.empty() ? std::move(otherwise) : from.workers;
}

std::vector<unsigned> one_and_all() {
  const unsigned all = usable_cpus();
  return all > 1 ? std::vector<unsigned>{1, all} : std::vector<unsigned>{1};
}

}  // namespace bench
