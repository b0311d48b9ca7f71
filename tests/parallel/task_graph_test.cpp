#include <ramie/parallel/task_graph.hpp>
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <parallel/ways.hpp>
#include <stack/child.hpp>
#include <support/fibers.hpp>
#include <support/tracked.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using test::message_of;
using test::tracked;
using test::watchdog;
using test::with_workers;
using node = task_graph::node;
using adder = task_graph::adder;

class TaskGraph : public test::in_each_way {};
INSTANTIATE_TEST_SUITE_P(Ways, TaskGraph, ::testing::ValuesIn(test::all_ways({1, 2, 5})),
                         ::testing::PrintToStringParamName());

TEST_P(TaskGraph, NodesBegin_WhenTheirPredecessorsHaveEnded) {
  const watchdog limit("diamonds");
  test::in_runtime(GetParam().chosen(), [] {
    int load = 0, left = 0, right = 0, merge = 0;  // no atomics: the edges order them
    task_graph graph;
    auto [a, b, c, d] = graph.emplace([&] { ++load; },
                                      [&] {
                                        yield();
                                        left = load;
                                      },
                                      [&, owned = std::make_unique<int>(1)] { right = load * *owned; },
                                      [&] { return merge += left + right; });
    a.precede(b, c);
    d.succeed(b, c);
    EXPECT_EQ(graph.size(), 4U);
    int expected = 0;
    for (int round = 1; round <= 100; ++round) {
      graph.run();
      EXPECT_EQ(load, round);
      EXPECT_EQ(merge, expected += 2 * round);
    }
  });
}

TEST_P(TaskGraph, GraphsOfOneNodeOrNone) {
  test::in_runtime(GetParam().chosen(), [] {
    task_graph graph;
    graph.run();
    int ran = 0;
    node only = graph.emplace([&] { ++ran; });
    graph.run();
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(only.name(), "");
    EXPECT_EQ(only.name("only").name(), "only");
    // It may grow between its runs.
    graph.emplace([&] { ran *= 10; }).succeed(only);
    graph.run();
    EXPECT_EQ(ran, 20);
  });
}

TEST_P(TaskGraph, NodesWithoutAnEdge_MayWaitForEachOther) {
  const watchdog limit("nodes that wait for each other");
  test::in_runtime(GetParam().chosen(), [] {
    task_graph graph;
    counter first(1), second(1), third(1);
    const node root = graph.emplace([] {});
    auto [a, b, c] = graph.emplace(
        [&] {
          wait_for_counter(first);
          second.decrement();
        },
        [&] {
          wait_for_counter(third);
          first.decrement();
        },
        [&] {
          third.decrement();
          wait_for_counter(second);
        });
    graph.run();
    for (counter* each : {&first, &second, &third}) each->add();
    a.succeed(root);
    b.succeed(root);
    c.succeed(root);
    graph.run();
  });
}

TEST_P(TaskGraph, ALongChain_TakesNoStack_AndAWideOneIsShared) {
  const watchdog limit("long and wide graphs");
  test::in_runtime(GetParam().chosen(), [] {
    constexpr int count = 50'000;
    task_graph chain;
    int length = 0;
    node last;
    for (int i = 0; i < count; ++i) {
      const node next = chain.emplace([&length, i] { length += length == i ? 1 : 0; });
      if (i > 0) last.precede(next);
      last = next;
    }
    chain.run();
    EXPECT_EQ(length, count);

    task_graph fan;
    std::atomic<int> ran{0};
    int seen = 0;
    const node begin = fan.emplace([&] { ran = 0; });
    const node end = fan.emplace([&] { seen = ran; });
    for (int i = 0; i < 5000; ++i) fan.emplace([&] { ++ran; }).succeed(begin).precede(end);
    for (int round = 0; round < 3; ++round) {
      seen = 0;
      fan.run();
      EXPECT_EQ(seen, 5000);
    }
  });
}

TEST_P(TaskGraph, AnException_LeavesIt_AndWhatDependsOnItIsNotRun) {
  const watchdog limit("nodes that throw");
  test::in_runtime(GetParam().chosen(), [] {
    bool throws = true;
    int before = 0;
    int behind = 0;
    task_graph graph;
    auto [a, b, c, d] = graph.emplace([&] { ++before; },
                                      [&] {
                                        yield();
                                        if (throws) throw 7;
                                      },
                                      [] { yield(); }, [&] { ++behind; });
    a.precede(b, c);
    d.succeed(b, c);
    for (int round = 1; round <= 20; ++round) {
      throws = true;
      EXPECT_THROW(graph.run(), int);
      EXPECT_EQ(behind, round - 1);
      throws = false;
      graph.run();
      EXPECT_EQ(before, 2 * round);
      EXPECT_EQ(behind, round);
    }
  });
}

// On one worker the order is that of the roots.
TEST(TaskGraphOrder, OfSeveralExceptions_TheFirstInTimeLeaves_AndNoOtherNodeBegins) {
  test::in_runtime(with_workers(1), [] {
    int ran = 0;
    task_graph graph;
    graph.emplace([&] { ++ran, yield(), throw 1; }, [&] { ++ran, throw 2; }, [&] { ++ran; });
    try {
      graph.run();
      ADD_FAILURE() << "nothing was thrown";
    } catch (int which) {
      EXPECT_EQ(which, 2);
    }
    EXPECT_EQ(ran, 2);
  });
}

TEST_P(TaskGraph, AStopRequest_EndsIt_AndItCanBeRunAgain) {
  const watchdog limit("graphs that are stopped");
  test::in_runtime(GetParam().chosen(), [] {
    std::stop_source stop;
    int ran = 0;
    task_graph graph;
    node last;
    for (int i = 0; i < 10; ++i) {
      const node next = graph.emplace([&, i] {
        ++ran;
        if (i == 4) stop.request_stop();
      });
      if (i > 0) next.succeed(last);
      last = next;
    }
    EXPECT_THROW(graph.run(stop.get_token()), stopped);
    EXPECT_EQ(ran, 5);
    EXPECT_THROW(graph.run(stop.get_token()), stopped);
    EXPECT_EQ(ran, 5);
    graph.run();
    EXPECT_EQ(ran, 15);
    // Everything was done all the same.
    stop = {};
    task_graph single;
    single.emplace([&] { stop.request_stop(); });
    single.run(stop.get_token());
  });
}

TEST(TaskGraphCircle, IsNamed_BeforeAnythingIsRun) {
  test::in_runtime(with_workers(1), [] {
    int ran = 0;
    const auto count = [&] { ++ran; };
    task_graph graph;
    auto [root, a, b, c, behind] = graph.emplace(count, count, count, count, count);
    root.precede(a);
    a.precede(b);
    b.precede(c);
    c.precede(behind);
    a.name("a");
    c.name("c");
    graph.run();
    EXPECT_EQ(ran, 5);
    c.precede(a);
    const std::string said = message_of<misuse>([&] { graph.run(); });
    EXPECT_NE(said.find("task_graph::run()"), std::string::npos) << said;
    EXPECT_NE(said.find("node 2 (without a name) waits for \"a\", which waits for \"c\", which waits for node 2"),
              std::string::npos)
        << said;
    EXPECT_EQ(said.find("node 0"), std::string::npos) << said;
    EXPECT_EQ(said.find("node 4"), std::string::npos) << said;
    EXPECT_EQ(ran, 5);
    EXPECT_THROW(graph.run(), misuse);

    task_graph itself;
    node alone = itself.emplace(count).name("alone");
    alone.precede(alone);
    EXPECT_NE(message_of<misuse>([&] { itself.run(); }).find("\"alone\" waits for \"alone\""), std::string::npos);

    task_graph large;
    std::vector<node> all;
    for (int i = 0; i < 100; ++i) {
      all.push_back(large.emplace(count));
      if (i > 0) all.back().succeed(all[all.size() - 2]);
    }
    all.front().succeed(all.back());
    EXPECT_NE(message_of<misuse>([&] { large.run(); }).find("90 more"), std::string::npos);
    EXPECT_EQ(ran, 5);
  });
}

TEST(TaskGraphMisuse, IsAnsweredWithASentence) {
  test::in_runtime(with_workers(2), [] {
    task_graph graph, other;
    node first = graph.emplace([] {});
    node foreign = other.emplace([] {});
    node none;
    EXPECT_THROW(first.precede(foreign), misuse);
    EXPECT_THROW(first.precede(none), misuse);
    EXPECT_THROW(none.succeed(first), misuse);
    EXPECT_THROW(none.name("none"), misuse);
    node second = graph.emplace([&] {
      EXPECT_NE(message_of<misuse>([&] { graph.run(); }).find("wait for the other run"), std::string::npos);
      EXPECT_NE(message_of<misuse>([&] { graph.emplace([] {}); }).find("adder&"), std::string::npos);
      EXPECT_NE(message_of<misuse>([&] { first.precede(first); }).find("adder&"), std::string::npos);
      other.run();
    });
    graph.run();
    EXPECT_EQ(graph.size(), 2U);
    EXPECT_NE(first, second);
  });
}

TEST(TaskGraphMisuse, DestroyedWhileItRuns_EndsTheProcess) {
  const auto child = stack::test::in_child([] {
    test::in_runtime(with_workers(1), [] {
      auto graph = std::make_unique<task_graph>();
      graph->emplace([&] { graph.reset(); });
      graph->run();
    });
    return 0;
  });
  EXPECT_TRUE(child.died_of(SIGABRT)) << child.status << child.text;
  EXPECT_TRUE(child.says("Let run() return first")) << child.text;
}

TEST(TaskGraphFromOutside, AThread_RunsItOnTheProcessRuntime) {
  const watchdog limit("a graph from a thread");
  std::atomic<int> ran{0};
  task_graph graph;
  graph.emplace([&] { ++ran; }).precede(graph.emplace([&] { ++ran, yield(); }));
  EXPECT_THROW(graph.run(), misuse);
  scheduler_init(2);
  counter over(1);
  spawn([&] { wait_for_counter(over); }).detach();
  std::thread workers([] { scheduler_run(); });
  graph.run();
  EXPECT_EQ(ran, 2);
  over.decrement();
  workers.join();
}

// A node that is known only when the graph runs, and nodes below it, down to the leaves of a tree.
void grow(adder& more, node merge, std::atomic<int>& leaves, int depth) {
  if (depth == 0) {
    ++leaves;
    return;
  }
  for (int i = 0; i < 2; ++i) {
    more.emplace([merge, &leaves, depth](adder& below) {
          if (depth % 2 == 0) yield();
          grow(below, merge, leaves, depth - 1);
        })
        .precede(merge);
  }
}

TEST_P(TaskGraph, AddedNodes_RunInThisRun_BeforeWhatTheyPrecede) {
  const watchdog limit("graphs that grow");
  test::in_runtime(GetParam().chosen(), [] {
    std::atomic<int> leaves{0};
    int seen = 0;
    task_graph graph;
    const node merge = graph.emplace([&] { seen = leaves.exchange(0); });
    graph.emplace([&, merge](adder& more) { grow(more, merge, leaves, 8); }).precede(merge);
    for (int round = 0; round < 5; ++round) {
      graph.run();
      EXPECT_EQ(seen, 256);
      EXPECT_EQ(graph.size(), 2U);
    }
  });
}

TEST_P(TaskGraph, AddedNodes_KeepTheOrderOfTheirEdges) {
  const watchdog limit("added chains");
  test::in_runtime(GetParam().chosen(), [] {
    std::vector<int> order;
    task_graph graph;
    const node last = graph.emplace([&] { order.push_back(4); });
    graph
        .emplace([&, last](adder& more) {
          order.push_back(0);
          auto [three, one, two] = more.emplace([&] { order.push_back(3); }, [&] { order.push_back(1); },
                                                [&] {
                                                  yield();
                                                  order.push_back(2);
                                                });
          one.precede(two);
          three.succeed(one, two).precede(last);
        })
        .precede(last);
    for (int round = 0; round < 20; ++round) {
      order.clear();
      graph.run();
      EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
    }
  });
}

TEST_P(TaskGraph, AFunctionThatAddsAndThrows_AddsNothing) {
  const watchdog limit("adders that throw");
  test::in_runtime(GetParam().chosen(), [] {
    enum class ways { throws, circle, adds } way = ways::throws;
    int added = 0;
    int ended = 0;
    task_graph graph;
    const node last = graph.emplace([&] { ++ended; });
    graph
        .emplace([&, last](adder& more) {
          const tracked captured("x");
          auto [a, b] = more.emplace([&added, captured] { ++added; }, [&added, captured] { ++added; });
          a.name("a").precede(b, last);
          if (way == ways::throws) throw 1;
          if (way == ways::circle) b.precede(a);
        })
        .precede(last);
    for (int round = 1; round <= 10; ++round) {
      way = ways::throws;
      EXPECT_THROW(graph.run(), int);
      way = ways::circle;
      const std::string said = message_of<misuse>([&] { graph.run(); });
      EXPECT_NE(said.find("task_graph::adder"), std::string::npos) << said;
      EXPECT_NE(said.find("added node 1 (without a name) waits for \"a\""), std::string::npos) << said;
      EXPECT_EQ(added, 2 * (round - 1));
      EXPECT_EQ(ended, round - 1);
      way = ways::adds;
      graph.run();
      EXPECT_EQ(added, 2 * round);
      EXPECT_EQ(ended, round);
      EXPECT_EQ(tracked::alive, 0);
    }
  });
}

TEST(TaskGraphMisuse, AnEdgeToANodeThatHasBegun_IsRefused) {
  test::in_runtime(with_workers(1), [] {
    int refused = 0;
    task_graph graph;
    const node early = graph.emplace([] {}).name("early");
    node adding;
    adding = graph.emplace([&](adder& more) {
      node fresh = more.emplace([] {});
      const std::string said = message_of<misuse>([&] { fresh.precede(early); });
      if (said.find("\"early\", which may have begun") != std::string::npos) ++refused;
      if (!message_of<misuse>([&] { fresh.precede(adding); }).empty()) ++refused;
      if (!message_of<misuse>([&] { early.precede(fresh); }).empty()) ++refused;
      if (!message_of<misuse>([&] { fresh.precede(node()); }).empty()) ++refused;
    });
    adding.succeed(early);
    graph.run();
    EXPECT_EQ(refused, 4);
    graph.run();
    EXPECT_EQ(refused, 8);
  });
}

}  // namespace
}  // namespace ramie
