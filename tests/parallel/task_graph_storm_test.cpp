// Random graphs whose nodes yield, wait, compute, add, throw and stop, from a seed, each run several times.
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <parallel/ways.hpp>
#include <support/fibers.hpp>
#include <support/repetitions.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

namespace ramie {
namespace {

using test::watchdog;

class random_graph {
 public:
  explicit random_graph(std::uint64_t seed) : m_random(static_cast<std::uint32_t>(seed * 7919 + 1)) {
    m_random.discard(3);
    const std::size_t count = 1 + m_random() % 300;
    const std::size_t edges = m_random() % 5;
    for (std::size_t i = 0; i < count; ++i) {
      m_vertices.push_back(std::make_unique<vertex>());
      vertex& mine = *m_vertices.back();
      mine.kind = static_cast<unsigned>(m_random() % 12);
      mine.node = m_graph.emplace([this, &mine](task_graph::adder& more) { visit(mine, more); });
      for (std::size_t e = 0; e < edges && i > 0; ++e) {
        vertex& before = *m_vertices[m_random() % i];
        before.node.precede(mine.node);
        mine.predecessors.push_back(&before);
        before.successors.push_back(&mine);
      }
    }
  }

  void run_once(std::uint64_t how) {
    ++m_run;
    m_added = m_added_ran = 0;
    m_stop = {};
    m_thrower = how % 3 == 1 ? m_vertices[how % m_vertices.size()].get() : nullptr;
    m_stopper = how % 3 == 2 ? m_vertices[how % m_vertices.size()].get() : nullptr;
    bool thrown = false, was_stopped = false;
    try {
      m_graph.run(m_stop.get_token());
    } catch (int) {
      thrown = true;
    } catch (const stopped&) {
      was_stopped = true;
    }
    ASSERT_EQ(thrown, m_thrower != nullptr);
    ASSERT_FALSE(was_stopped && m_stopper == nullptr);
    if (thrown || was_stopped) return;
    for (const auto& each : m_vertices) ASSERT_EQ(each->ran_in, m_run);
    ASSERT_EQ(m_added_ran, m_added);
  }

 private:
  struct vertex {
    task_graph::node node;
    std::vector<vertex*> predecessors, successors;
    unsigned kind = 0;
    // No atomics: edges order them.
    int ran_in = 0;
    int added_in = 0;
  };

  void visit(vertex& mine, task_graph::adder& more) {
    for (const vertex* const each : mine.predecessors) EXPECT_EQ(each->ran_in, m_run);
    EXPECT_LT(mine.ran_in, m_run);
    switch (mine.kind) {
      case 0: yield(); break;
      case 1: spawn([] { yield(); }).join(); break;
      case 2: test::compute(std::chrono::microseconds(10)); break;
      case 3: add(mine, more); break;
      case 4: test::erased_for(0, 10, [](int i) { i == 5 ? yield() : void(); }); break;
      default: break;
    }
    mine.ran_in = m_run;
    if (&mine == m_thrower) throw 1;
    if (&mine == m_stopper) m_stop.request_stop();
  }

  // A small fan before each successor, one of whose nodes adds once more.
  void add(vertex& mine, task_graph::adder& more) {
    auto from = more.emplace([this] { ++m_added_ran; });
    ++m_added;
    for (vertex* const each : mine.successors) {
      auto between = more.emplace([this, each](task_graph::adder& again) {
        ++m_added_ran;
        yield();
        again
            .emplace([this, each] {
              EXPECT_LT(each->ran_in, m_run);
              ++m_added_ran;
            })
            .precede(each->node);
        ++m_added;
      });
      ++m_added;
      from.precede(between);
      between.precede(each->node);
    }
  }

  std::minstd_rand m_random;
  std::vector<std::unique_ptr<vertex>> m_vertices;
  task_graph m_graph;
  int m_run = 0;
  std::atomic<int> m_added{0};
  std::atomic<int> m_added_ran{0};
  std::stop_source m_stop;
  vertex* m_thrower = nullptr;
  vertex* m_stopper = nullptr;
};

class TaskGraphStorm : public test::in_each_way {};
INSTANTIATE_TEST_SUITE_P(Ways, TaskGraphStorm, ::testing::ValuesIn(test::all_ways({1, 2, 4, 16})),
                         ::testing::PrintToStringParamName());

TEST_P(TaskGraphStorm, NodesRunOnce_InTheOrderOfTheirEdges) {
  const watchdog limit("storm of graphs");
  for (const std::uint64_t seed : test::seeds(test::sanitized ? 5 : 40)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::in_runtime(GetParam().chosen(), [&] {
      random_graph graph(seed);
      for (std::uint64_t round = 0; round < 12; ++round) {
        graph.run_once(seed + round);
        if (::testing::Test::HasFatalFailure()) return;
      }
    });
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace ramie
