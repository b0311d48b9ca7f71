// The memory of the simulated machine (simulation/memory/) against the model checker: on small random programs it does
// nothing that C++20 forbids, and whatever C++20 allows it does sometimes.
#include <model/checker/check.hpp>
#include <model/random_programs.hpp>
#include <simulation/memory/weak_memory.hpp>

#include <support/repetitions.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <ranges>
#include <set>
#include <string>

namespace ramie::model {
namespace {

using enum std::memory_order;

// The kinds before the ones that wait or choose.
constexpr unsigned compared_kinds = 14;
constexpr unsigned most_locations = 3;

// ---- By the checker: every outcome ----

std::uint32_t perform(const instruction& each, atomic<std::uint32_t>& cell) {
  switch (each.what) {
    case kind::load: return cell.load(each.order);
    case kind::store: cell.store(each.value, each.order); return 0;
    case kind::add: return cell.fetch_add(each.value, each.order);
    case kind::swap: return cell.exchange(each.value, each.order);
    case kind::replace: {
      std::uint32_t expected = each.value - 1;
      cell.compare_exchange_strong(expected, each.value + 1, each.order, each.failure);
      return expected;
    }
    case kind::fence: machine::current().fence(event_kind::fence, each.order, where::current()); return 0;
    case kind::light: provider::fence_light(); return 0;
    default: provider::fence_heavy(); return 0;
  }
}

// The value that each instruction has read, and the final memory.
struct registers {
  std::vector<std::vector<std::uint32_t>> read;
  std::vector<std::uint32_t> left;

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const auto& thread : read) {
      for (const std::uint32_t each : thread) all += std::to_string(each) + " ";
      all += "| ";
    }
    for (const std::uint32_t each : left) all += std::to_string(each) + " ";
    return all;
  }
};

std::set<std::string> all_outcomes(const program& of) {
  const auto body = [&] {
    atomic<std::uint32_t> cells[most_locations];
    registers found;
    found.read.resize(of.size());
    const auto run = [&](std::size_t thread) {
      for (const instruction& each : of[thread]) found.read[thread].push_back(perform(each, cells[each.location]));
    };
    if (of.size() == 2) {
      threads([&] { run(0); }, [&] { run(1); });
    } else {
      threads([&] { run(0); }, [&] { run(1); }, [&] { run(2); });
    }
    for (auto& each : cells) found.left.push_back(each.load(relaxed));
    outcome(found.text());
  };
  const report every = explore("random program", body);
  EXPECT_TRUE(every.ok()) << every.text();
  return every.outcomes;
}

// ---- By the memory: one outcome a seed ----

class any_place final : public weak::chooser {
 public:
  explicit any_place(random_source& random) : m_random(random), m_of_eight(2 + m_random.below(6)) {}
  bool old_place(weak::slot /*thread*/) override { return m_random.below(8) < m_of_eight; }
  std::size_t which(weak::slot /*thread*/, std::size_t count) override {
    return m_random.below(static_cast<std::uint32_t>(count));
  }

 private:
  random_source& m_random;
  std::uint32_t m_of_eight;
};

std::uint32_t perform(weak::weak_memory& memory, weak::slot by, const instruction& each, const int& word) {
  const auto update = [&](std::memory_order failure, auto change) {
    return static_cast<std::uint32_t>(memory.update(by, &word, 0, each.order, failure, change).found);
  };
  const auto into = [](std::uint64_t value) { return std::optional<std::uint64_t>(value); };
  switch (each.what) {
    case kind::load: return static_cast<std::uint32_t>(memory.load(by, &word, 0, each.order));
    case kind::store: memory.store(by, &word, 0, each.value, each.order); return 0;
    case kind::add: return update(each.order, [&](std::uint64_t found) { return into(found + each.value); });
    case kind::swap: return update(each.order, [&](std::uint64_t) { return into(each.value); });
    case kind::replace:
      return update(each.failure, [&](std::uint64_t found) {
        return found == each.value - 1 ? into(each.value + 1) : std::optional<std::uint64_t>();
      });
    case kind::fence: memory.fence(by, each.order); return 0;
    case kind::light: memory.light_fence(by); return 0;
    default: memory.heavy_fence(by); return 0;
  }
}

std::string one_outcome(const program& of, std::uint64_t seed) {
  random_source random(seed);
  any_place places(random);
  weak::weak_memory memory(places);
  const std::uint32_t stays = random.below(4);
  const int cells[most_locations] = {};
  const weak::slot first = memory.begin_first();
  for (const int& each : cells) memory.create(first, &each, 0);
  std::vector<weak::slot> slots;
  for (std::size_t i = 0; i < of.size(); ++i) slots.push_back(memory.begin(first));
  registers found;
  found.read.resize(of.size());
  const auto ended = [&](std::size_t thread) { return found.read[thread].size() == of[thread].size(); };
  std::size_t running = 0;
  while (!std::ranges::all_of(std::views::iota(std::size_t{0}, of.size()), ended)) {
    if (ended(running) || random.below(4) >= stays) running = random.below(static_cast<std::uint32_t>(of.size()));
    if (ended(running)) continue;
    const instruction& next = of[running][found.read[running].size()];
    found.read[running].push_back(perform(memory, slots[running], next, cells[next.location]));
  }
  for (const weak::slot each : slots) memory.join(first, each);
  for (const int& each : cells) {
    found.left.push_back(static_cast<std::uint32_t>(memory.load(first, &each, 0, relaxed)));
  }
  EXPECT_EQ(memory.error(), nullptr);
  return found.text();
}

TEST(WeakMemory, DoesWhatTheModelAllows_AndAllOfIt) {
  std::uint64_t allowed = 0, met = 0;
  for (const std::uint64_t seed : test::seeds(test::sanitized ? 20 : 200)) {
    const program all = random_program(seed, most_locations, compared_kinds);
    const std::set<std::string> every = all_outcomes(all);
    std::set<std::string> some;
    for (std::uint64_t walk = 1; walk <= 500 * every.size() && walk <= 10'000; ++walk) {
      some.insert(one_outcome(all, seed * 1'000'000 + walk));
    }
    for (const std::string& each : some) {
      ASSERT_TRUE(every.contains(each)) << each << " is forbidden; RAMIE_SEED=" << seed << "\n" << text_of(all);
    }
    allowed += every.size();
    met += some.size();
  }
  std::printf("%llu outcomes of %llu\n", static_cast<unsigned long long>(met),
              static_cast<unsigned long long>(allowed));
  EXPECT_GE(met * 100, allowed * 98);
}

}  // namespace
}  // namespace ramie::model
