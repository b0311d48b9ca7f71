// The exhaustive search against an independent one: all interleavings, with all values and places that each step may
// have. On small random programs both must find the same executions, and the exhaustive search each of them once.
#include <model/checker/check.hpp>
#include <model/random_programs.hpp>

#include <gtest/gtest.h>

#include <support/repetitions.hpp>

namespace ramie::model {
namespace {

using enum std::memory_order;

struct memory {
  atomic<std::uint32_t> cells[3];
};

void perform(const instruction& each, atomic<std::uint32_t>& cell) {
  switch (each.what) {
    case kind::load: static_cast<void>(cell.load(each.order)); break;
    case kind::store: cell.store(each.value, each.order); break;
    case kind::add: cell.fetch_add(each.value, each.order); break;
    case kind::swap: cell.exchange(each.value, each.order); break;
    case kind::replace: {
      std::uint32_t expected = each.value - 1;
      cell.compare_exchange_strong(expected, each.value + 1, each.order, each.failure);
      break;
    }
    case kind::replace_weakly: {
      std::uint32_t expected = each.value - 1;
      cell.compare_exchange_weak(expected, each.value + 1, each.order, each.failure);
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
    case kind::lock:
      machine::current().update(
          cell.location(), [](std::uint64_t) { return 1; }, each.order, where::current(),
          predicate{predicate::test::equal, 0});
      break;
    case kind::sleep: provider::futex_wait(cell, each.value - 1); break;
    case kind::wake: provider::futex_wake(cell, static_cast<int>(each.value)); break;
  }
}

void perform(const std::vector<instruction>& all, memory& shared) {
  atomic<std::uint32_t>* locked = nullptr;
  for (const instruction& each : all) {
    atomic<std::uint32_t>& cell = shared.cells[each.location];
    perform(each, cell);
    if (locked != nullptr) locked->store(0, release);
    locked = each.what == kind::lock ? &cell : nullptr;
  }
  if (locked != nullptr) locked->store(0, relaxed);
}

void run(const program& all) {
  memory shared;
  if (all.size() == 2) {
    threads([&] { perform(all[0], shared); }, [&] { perform(all[1], shared); });
  } else {
    threads([&] { perform(all[0], shared); }, [&] { perform(all[1], shared); }, [&] { perform(all[2], shared); });
  }
}

void expect_agreement(unsigned programs, program (*made_of)(std::uint64_t), std::uint64_t most_interleavings) {
  // Nothing here runs on two kernel threads: the sanitizers, much slower, see enough in a few.
  programs /= RAMIE_TSAN ? 30 : RAMIE_ASAN ? 5 : 1;
  std::uint64_t first = 1, last = programs, executions = 0, too_large = 0;
  if (const char* const seed = std::getenv("RAMIE_SEED")) first = last = std::strtoull(seed, nullptr, 0);
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const program all = made_of(seed);
    const comparison found = compare_searches([&] { run(all); }, 1, most_interleavings);
    if (found.too_large) {
      ++too_large;
      continue;
    }
    executions += found.by_graphs.size();
    const std::set<std::string> once(found.by_graphs.begin(), found.by_graphs.end());
    ASSERT_EQ(once.size(), found.by_graphs.size()) << "found twice; RAMIE_SEED=" << seed << "\n" << text_of(all);
    ASSERT_TRUE(once == found.by_interleavings)
        << once.size() << " executions instead of " << found.by_interleavings.size() << "; RAMIE_SEED=" << seed << "\n"
        << text_of(all);
  }
  std::printf("%u programs, %llu of them too large, %llu executions\n", programs,
              static_cast<unsigned long long>(too_large), static_cast<unsigned long long>(executions));
}

TEST(Oracle, ExhaustiveSearch_FindsEachExecutionOfRandomProgramsOnce) {
  expect_agreement(
      test::repetitions(300), [](std::uint64_t seed) { return random_program(seed, 3, plain_kinds); }, 100'000);
}

TEST(Oracle, ExhaustiveSearch_FindsEachExecutionOfProgramsThatWaitOnce) {
  expect_agreement(
      test::repetitions(300), [](std::uint64_t seed) { return random_program(seed, 2, all_kinds); }, 10'000);
}

}  // namespace
}  // namespace ramie::model
