#include "c/options.hpp"

#include "c/extensible.hpp"

#include <chrono>
#include <string>

namespace ramie::c {
namespace {

// As the first version had them. A field without padding before it can be told from what an older program left there.
constexpr std::size_t first_options = 72;
constexpr std::size_t first_spawn_options = 24;
static_assert(sizeof(ramie_options) == first_options + sizeof(size_t));
static_assert(sizeof(ramie_spawn_options) == first_spawn_options);
static_assert(offsetof(ramie_options, profile) + sizeof(const char*) == first_options);

constexpr unsigned known_flags = RAMIE_PIN | RAMIE_STEAL_CONTINUATIONS | RAMIE_UNGUARDED_STACKS;

template <class Kind, class Find, class All>
Kind named(const char* option, const char* name, Find&& find, const All& all) {
  if (const std::optional<Kind> found = find(name)) return *found;
  std::string names;
  for (const Kind each : all) names += (names.empty() ? "\"" : ", \"") + std::string(name_of(each)) + "\"";
  throw bad_option("options." + std::string(option) + " is \"" + name + "\"; it must be one of " + names);
}

}  // namespace

options options_of(const ramie_options* given) {
  const ramie_options read = read_extensible<ramie_options>("options", given, RAMIE_OPTIONS_INIT, first_options);
  options chosen;
  chosen.workers = read.workers;
  if ((read.flags & ~known_flags) != 0) {
    throw unknown_option("options.flags has bits that this version of ramie does not know, of " +
                         std::to_string(read.flags) + "; leave them 0, or use a newer library");
  }
  chosen.pin = (read.flags & RAMIE_PIN) != 0;
  if ((read.flags & RAMIE_STEAL_CONTINUATIONS) != 0) chosen.fork_stealing = fork_stealing::continuation;
  if ((read.flags & RAMIE_UNGUARDED_STACKS) != 0) chosen.unguarded = unguarded_stacks::allow;
  if (read.stack_size != 0) chosen.stack_size = bytes(read.stack_size);
  chosen.guard_size = bytes(read.guard_size);
  chosen.retained_stacks = read.retained_stacks;
  chosen.seed = read.seed;
  if (read.spin_ns < -1) {
    throw bad_option("options.spin_ns is " + std::to_string(read.spin_ns) +
                     "; it must be 0 or more, or -1 for what is usual");
  }
  if (read.spin_ns >= 0) chosen.spin = std::chrono::nanoseconds(read.spin_ns);
  if (read.queue != nullptr) chosen.queue = named<queue_kind>("queue", read.queue, queue::kind_of, queue::all_kinds);
  if (read.victim != nullptr)
    chosen.victim = named<victim_policy>("victim", read.victim, victim_policy_of, all_victim_policies);
  if (read.profile != nullptr) chosen.profile = read.profile;
  return chosen;
}

spawn_options spawn_options_of(const ramie_spawn_options& given) {
  const ramie_spawn_options read =
      read_extensible<ramie_spawn_options>("spawn_options", &given, RAMIE_SPAWN_OPTIONS_INIT, first_spawn_options);
  return {.name = read.name != nullptr ? read.name : "", .stack_size = bytes(read.stack_size)};
}

}  // namespace ramie::c
