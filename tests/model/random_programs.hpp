// Small random programs of a few threads and words, for comparing searches and memories.
#pragma once

#include <ramie/base/random.hpp>

#include <model/checker/mutation.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace ramie::model {

enum class kind : std::uint8_t {
  load,
  store,
  add,
  swap,
  replace,
  replace_weakly,
  fence,
  light,
  heavy,
  await,
  choose,
  lock,  // waits for 0 and makes it 1; unlocks behind the next instruction
  sleep,
  wake
};

struct instruction {
  kind what;
  unsigned location;
  unsigned value;
  std::memory_order order;
  std::memory_order failure;
};

using program = std::vector<std::vector<instruction>>;

template <std::size_t Count>
inline std::memory_order one_of(random_source& random, const std::array<std::memory_order, Count>& orders) {
  return orders[random.below(Count)];
}

inline instruction random_instruction(random_source& random, unsigned locations, std::uint32_t kinds) {
  using enum std::memory_order;
  instruction made{};
  made.location = random.below(locations);
  made.value = 1 + random.below(2);
  made.failure = one_of(random, std::array{relaxed, acquire, seq_cst});
  switch (random.below(kinds)) {
    case 0:
    case 1:
    case 2:
    case 3: made.what = kind::load; break;
    case 4:
    case 5:
    case 6:
    case 7: made.what = kind::store; break;
    case 8: made.what = kind::add; break;
    case 9: made.what = kind::swap; break;
    case 10: made.what = kind::replace; break;
    case 11: made.what = kind::fence; break;
    case 12: made.what = kind::light; break;
    case 13: made.what = kind::heavy; break;
    case 14: made.what = kind::await; break;
    case 15: made.what = kind::choose; break;
    case 16: made.what = kind::replace_weakly; break;
    case 17: made.what = kind::lock; break;
    case 18:
    case 19: made.what = kind::sleep; break;
    default: made.what = kind::wake; break;
  }
  switch (made.what) {
    case kind::load:
    case kind::await: made.order = one_of(random, std::array{relaxed, acquire, seq_cst}); break;
    case kind::store: made.order = one_of(random, std::array{relaxed, release, seq_cst}); break;
    case kind::fence: made.order = one_of(random, std::array{acquire, release, acq_rel, seq_cst}); break;
    default: made.order = one_of(random, std::array{relaxed, acquire, release, acq_rel, seq_cst}); break;
  }
  return made;
}

// The first 16 kinds of instructions are one event or two; those behind them wait, and are more.
inline constexpr unsigned plain_kinds = 16;
inline constexpr unsigned all_kinds = 22;

inline program random_program(std::uint64_t seed, unsigned most_locations, unsigned kinds) {
  random_source random(seed);
  program made(2 + random.below(2));
  const unsigned locations = 1 + random.below(most_locations);
  const unsigned longest = made.size() == 2 ? 4 : 3;
  for (auto& thread : made) {
    const unsigned length = 1 + random.below(longest);
    for (unsigned i = 0; i < length; ++i) thread.push_back(random_instruction(random, locations, kinds));
  }
  return made;
}

inline std::string text_of(const program& all) {
  static constexpr const char* names[] = {"load",  "store", "add",   "swap",   "replace", "replace_weakly", "fence",
                                          "light", "heavy", "await", "choose", "lock",    "sleep",          "wake"};
  std::string text;
  for (const auto& thread : all) {
    for (const instruction& each : thread) {
      text += std::string(names[static_cast<std::size_t>(each.what)]) + " " + "xyz"[each.location] + " " +
              std::to_string(each.value) + " " + name_of(each.order) + "/" + name_of(each.failure) + "; ";
    }
    text += "\n";
  }
  return text;
}

}  // namespace ramie::model
