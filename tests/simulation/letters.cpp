// Everything by which one fiber hands memory to another: what was written before is read after, from cells of plain
// memory. So where an order is missing on the way, a weak memory shows a data race, even where the value is right.
#include <simulation/scenarios.hpp>

#include <simulation/drawn_options.hpp>
#include <simulation/simulator/chronicle.hpp>
#include <support/threads.hpp>

#include <ramie/job/parallel_for.hpp>
#include <ramie/ramie.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ramie::scenarios {
namespace {

using cell = native_provider::plain<std::uint32_t>;

struct letter {
  cell question = 0;
  cell answer = 0;
};

// A tree of fibers, each of which answers with the number of fibers below it, and itself.
class correspondence {
 public:
  std::uint32_t node(std::uint64_t seed, unsigned depth) {
    random_source random(seed);
    cell mine = depth;  // goes along where the fiber goes
    for (std::uint32_t i = random.below(3); i > 0; --i) {
      yield();
      mine = mine + 1;
    }
    if (depth == 0) return 1;
    switch (random.below(8)) {
      case 0: return 1 + joined(random, depth);
      case 1: return 1 + counted(random, depth);
      case 2:
      case 3: return 1 + forked(random, depth);
      case 4: return 1 + answered(random, depth);
      case 5: return 1 + by_jobs(random, depth);
      case 6: return 1 + in_a_loop(random, depth);
      default: return 1 + in_stages(random, depth);
    }
  }

  /// The same by plain recursion.
  static std::uint32_t expected(std::uint64_t seed, unsigned depth) {
    random_source random(seed);
    static_cast<void>(random.below(3));
    if (depth == 0) return 1;
    std::uint32_t sum = 1;
    const std::uint32_t way = random.below(8);
    const std::uint32_t children = way == 4 ? 1 : way == 2 || way == 3 ? 2 : 1 + random.below(3);
    for (std::uint32_t i = 0; i < children; ++i) sum += expected(random.next(), depth - 1);
    return sum;
  }

 private:
  struct child : letter {
    std::uint64_t seed = 0;
  };
  std::vector<child> children(random_source& random, std::uint32_t count) {
    std::vector<child> all(count);
    for (child& each : all) {
      each.seed = random.next();
      each.question = static_cast<std::uint32_t>(each.seed);
    }
    return all;
  }
  void reply(child& to, unsigned depth) {
    EXPECT_EQ(to.question, static_cast<std::uint32_t>(to.seed));
    to.answer = node(to.seed, depth - 1);
  }
  static std::uint32_t sum(const std::vector<child>& of) {
    std::uint32_t all = 0;
    for (const child& each : of) all += each.answer;
    return all;
  }

  std::uint32_t joined(random_source& random, unsigned depth) {
    std::vector<child> all = children(random, 1 + random.below(3));
    std::vector<join_handle<void>> handles;
    for (child& each : all) handles.push_back(spawn([&] { reply(each, depth); }));
    for (auto& each : handles) each.join();
    return sum(all);
  }

  std::uint32_t counted(random_source& random, unsigned depth) {
    std::vector<child> all = children(random, 1 + random.below(3));
    counter left;
    for (child& each : all) spawn_with_counter(left, [&] { reply(each, depth); });
    wait_for_counter(left);
    return sum(all);
  }

  std::uint32_t forked(random_source& random, unsigned depth) {
    std::vector<child> both = children(random, 2);
    fork_join([&] { reply(both[0], depth); }, [&] { reply(both[1], depth); });
    return sum(both);
  }

  // By a fiber that is there already, and goes on after its answer.
  std::uint32_t answered(random_source& random, unsigned depth) {
    std::vector<child> one(1);
    counter asked(1), answered(1);
    auto other = spawn([&] {
      wait_for_counter(asked);
      reply(one[0], depth);
      answered.decrement();
      yield();
    });
    one[0].seed = random.next();
    one[0].question = static_cast<std::uint32_t>(one[0].seed);
    asked.decrement();
    wait_for_counter(answered);
    const std::uint32_t all = sum(one);
    other.join();
    return all;
  }

  std::uint32_t by_jobs(random_source& random, unsigned depth) {
    std::vector<child> all = children(random, 1 + random.below(3));
    cell total = 0;
    job::handle root = job::create([&](job::context& here) {
      for (child& each : all) here.run_child([this, &each, depth] { reply(each, depth); });
    });
    job::handle last = job::create([&] { total = sum(all); });
    job::add_continuation(root, last);
    job::run(std::move(root));
    job::wait(last);
    return total;
  }

  std::uint32_t in_a_loop(random_source& random, unsigned depth) {
    std::vector<child> all = children(random, 1 + random.below(3));
    parallel_for(parallel_policy{.grain = 1}, std::size_t{0}, all.size(), [&](std::size_t i) { reply(all[i], depth); });
    return sum(all);
  }

  std::uint32_t in_stages(random_source& random, unsigned depth) {
    std::vector<child> all = children(random, 1 + random.below(3));
    std::size_t given = 0;
    cell total = 0;
    pipeline(
        {.in_flight = 2},
        [&]() -> std::optional<child*> {
          if (given == all.size()) return {};
          return &all[given++];
        },
        stage::parallel([&](child* each) {
          reply(*each, depth);
          return each;
        }),
        stage::in_order([&](child* each) { total = total + each->answer; }));
    return total;
  }
};

void letters_with(options chosen, std::uint64_t seed) {
  if (seed % 4 != 0) chosen.events = nullptr;  // an observer sees every fork taken
  std::array<std::uint32_t, 4> answers{};
  correspondence program;
  {
    runtime home(chosen);
    home.start();
    // From outside, by threads that wait for the answers.
    const auto ask = [&](std::uint64_t from) {
      for (std::uint64_t i = from; i < from + 2; ++i) {
        letter one;
        one.question = static_cast<std::uint32_t>(i);
        const auto reply = [&, i] {
          EXPECT_EQ(one.question, static_cast<std::uint32_t>(i));
          one.answer = program.node(seed * 100 + i, 3);
        };
        if (seed % 2 == 0) {
          home.spawn(reply).join();
        } else {
          counter left(1);
          home.spawn([&] {
                reply();
                left.decrement();
              })
              .detach();
          wait_for_counter(left);
        }
        answers[i] = one.answer;
      }
    };
    test::thread first([&] { ask(0); }), second([&] { ask(2); });
    first.join();
    second.join();
    home.stop();
  }
  for (std::uint64_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i], correspondence::expected(seed * 100 + i, 3));
  }
}

}  // namespace

void letters(std::uint64_t seed) {
  sim::chronicle events;
  letters_with(sim::drawn_options(seed, events), seed);
}

void letters_on(queue_kind kind, std::uint64_t seed) {
  sim::chronicle events;
  options chosen = sim::drawn_options(seed, events);
  chosen.queue = kind;
  chosen.stealing = true;
  chosen.workers = 2 + static_cast<unsigned>(seed % 3);
  letters_with(chosen, seed);
}

}  // namespace ramie::scenarios
