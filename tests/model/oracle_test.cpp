// The exhaustive search against an independent one: all interleavings, with all values and places that each step may
// have. On small random programs both must find the same executions, and the exhaustive search each of them once.
#include <model/checker/check.hpp>

#include <ramie/base/random.hpp>

#include <gtest/gtest.h>

#include <support/repetitions.hpp>

#include <array>
#include <optional>

namespace ramie::model {
namespace {

enum class kind : std::uint8_t { load, store, add, swap, replace, fence, light, heavy, await, choose };

struct instruction {
  kind what;
  unsigned location;
  unsigned value;
  std::memory_order order;
  std::memory_order failure;
};

using program = std::vector<std::vector<instruction>>;

template <std::size_t Count>
std::memory_order one_of(random_source& random, const std::array<std::memory_order, Count>& orders) {
  return orders[random.below(Count)];
}

using enum std::memory_order;

instruction random_instruction(random_source& random, unsigned locations) {
  instruction made{};
  made.location = random.below(locations);
  made.value = 1 + random.below(2);
  made.failure = one_of(random, std::array{relaxed, acquire, seq_cst});
  switch (random.below(16)) {
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
    default: made.what = kind::choose; break;
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

program random_program(std::uint64_t seed) {
  random_source random(seed);
  program made(2 + random.below(2));
  const unsigned locations = 1 + random.below(3);
  const unsigned longest = made.size() == 2 ? 4 : 3;
  for (auto& thread : made) {
    const unsigned length = 1 + random.below(longest);
    for (unsigned i = 0; i < length; ++i) thread.push_back(random_instruction(random, locations));
  }
  return made;
}

struct memory {
  atomic<unsigned> cells[3];
};

void perform(const std::vector<instruction>& all, memory& shared) {
  for (const instruction& each : all) {
    atomic<unsigned>& cell = shared.cells[each.location];
    switch (each.what) {
      case kind::load: static_cast<void>(cell.load(each.order)); break;
      case kind::store: cell.store(each.value, each.order); break;
      case kind::add: cell.fetch_add(each.value, each.order); break;
      case kind::swap: cell.exchange(each.value, each.order); break;
      case kind::replace: {
        unsigned expected = each.value - 1;
        cell.compare_exchange_strong(expected, each.value + 1, each.order, each.failure);
        break;
      }
      case kind::fence: machine::current().fence(event_kind::fence, each.order, where::current()); break;
      case kind::light: provider::fence_light(); break;
      case kind::heavy: provider::fence_heavy(); break;
      case kind::await:
        machine::current().load(cell.location(), each.order, where::current(),
                                predicate{predicate::test::equal, each.value});
        break;
      case kind::choose: cell.store(each.value + choose(2), relaxed); break;
    }
  }
}

void run(const program& all) {
  memory shared;
  if (all.size() == 2) {
    threads([&] { perform(all[0], shared); }, [&] { perform(all[1], shared); });
  } else {
    threads([&] { perform(all[0], shared); }, [&] { perform(all[1], shared); }, [&] { perform(all[2], shared); });
  }
}

std::string text_of(const program& all) {
  static constexpr const char* names[] = {"load",  "store", "add",   "swap",  "replace",
                                          "fence", "light", "heavy", "await", "choose"};
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

TEST(Oracle, ExhaustiveSearch_FindsEachExecutionOfRandomProgramsOnce) {
  const unsigned programs = test::repetitions(400);
  std::uint64_t first = 1, last = programs, executions = 0;
  if (const char* const seed = std::getenv("RAMIE_SEED")) first = last = std::strtoull(seed, nullptr, 0);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const program all = random_program(seed);
    const comparison found = compare_searches([&] { run(all); });
    executions += found.by_graphs.size();
    const std::set<std::string> once(found.by_graphs.begin(), found.by_graphs.end());
    ASSERT_EQ(once.size(), found.by_graphs.size()) << "found twice; RAMIE_SEED=" << seed << "\n" << text_of(all);
    ASSERT_TRUE(once == found.by_interleavings)
        << once.size() << " executions instead of " << found.by_interleavings.size() << "; RAMIE_SEED=" << seed << "\n"
        << text_of(all);
  }
  std::printf("%u programs, %llu executions\n", programs, static_cast<unsigned long long>(executions));
}

}  // namespace
}  // namespace ramie::model
