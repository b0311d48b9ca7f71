#include "library/convert.hpp"
#include "library/choices.hpp"

#include <ramie/base/error.hpp>
#include <ramie/queue/kind.hpp>
#include <ramie/topology/hierarchy.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "framework/usage.hpp"

namespace bench {
namespace {

template <class Kind>
using name = std::pair<const char*, Kind>;

constexpr std::array backoffs{name<ramie::backoff_policy>{"none", ramie::backoff_policy::none},
                              name<ramie::backoff_policy>{"fixed", ramie::backoff_policy::fixed},
                              name<ramie::backoff_policy>{"exponential", ramie::backoff_policy::exponential}};

template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.first);
  return names;
}

template <class Table>
auto kind_of(const Table& table, const std::string& text) {
  const auto it = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return text == entry.first; });
  if (it == table.end()) throw std::invalid_argument("the library has no '" + text + "'");
  return it->second;
}

template <class Table, class Kind>
std::string name_of(const Table& table, Kind kind) {
  const auto it = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return kind == entry.second; });
  if (it == table.end()) throw std::logic_error("a default of the library has no name in the options");
  return it->first;
}

bool knows_topology(const std::string& text) {
  try {
    static_cast<void>(ramie::topology::hierarchy::described(text));
    return true;
  } catch (const ramie::bad_option&) {
    return false;
  }
}

}  // namespace

const choices& library_choices() {
  static const choices offered = [] {
    const ramie::options defaults;
    std::vector<std::string> queues;
    for (const ramie::queue_kind each : ramie::queue::all_kinds) queues.emplace_back(ramie::queue::name_of(each));
    std::vector<std::string> victims;
    for (const ramie::victim_policy each : ramie::all_victim_policies) victims.emplace_back(ramie::name_of(each));
    return choices{.queues = std::move(queues),
                   .victims = std::move(victims),
                   .backoffs = names_of(backoffs),
                   .default_queue = std::string(ramie::queue::name_of(defaults.queue)),
                   .default_victim = std::string(ramie::name_of(defaults.victim)),
                   .default_backoff = name_of(backoffs, defaults.backoff),
                   .knows_topology = knows_topology};
  }();
  return offered;
}

ramie::options library_options(const options& o, unsigned workers) {
  ramie::options out;
  out.workers = workers;
  const auto queue = ramie::queue::kind_of(o.queue);
  if (!queue) throw std::invalid_argument("the library has no '" + o.queue + "'");
  out.queue = *queue;
  out.queue_settings.blocks = {
      .blocks = o.bwos_blocks,
      .entries = o.bwos_entries,
      .granting = o.bwos_grant == "early" ? ramie::queue::grant::early : ramie::queue::grant::faithful};
  const auto victim = ramie::victim_policy_of(o.victim);
  if (!victim) throw std::invalid_argument("the library has no '" + o.victim + "'");
  out.victim = *victim;
  out.backoff = kind_of(backoffs, o.backoff);
  out.topology = o.topology;
  if (o.steal_threshold) out.steal_threshold = *o.steal_threshold;
  out.stealing = o.stealing == "on";
  out.pin = o.pin;
  out.seed = o.seed;
  if (o.spin_ns) out.spin = std::chrono::nanoseconds(*o.spin_ns);
  return out;
}

void add_statistics(statistics& into, std::span<const ramie::worker_statistics> workers) {
  const auto add = [&](const char* name, auto member) {
    double total = 0;
    for (const ramie::worker_statistics& w : workers) total += static_cast<double>(w.*member);
    into[name] += total;
  };
  add(stat_steals, &ramie::worker_statistics::steals);
  add(stat_attempts, &ramie::worker_statistics::steal_attempts);
  add(stat_stolen_items, &ramie::worker_statistics::stolen_items);
  add(stat_lost_races, &ramie::worker_statistics::lost_races);
  add(stat_empties, &ramie::worker_statistics::empties);
  add(stat_parks, &ramie::worker_statistics::parks);
  add(stat_wakeups, &ramie::worker_statistics::wakeups);
}

}  // namespace bench
