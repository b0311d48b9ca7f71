// Findings of a model besides values: races, deadlocks, uses outside of a lifetime; choices, waiting, and the searches
// that are not exhaustive.
#include <model/litmus.hpp>

namespace ramie::model {
namespace {

// ---- Data races ----

std::function<void()> one_writes_one_reads(std::memory_order store, std::memory_order load) {
  return [=] {
    atomic<int> ready{0};
    plain<int> message{0};
    threads(
        [&] {
          message = 42;
          ready.store(1, store);
        },
        [&] {
          if (ready.load(load) == 1) require(message == 42, "sent");
        });
  };
}

TEST(DataRace, FoundWhereNothingSynchronizes) {
  expect_failure(one_writes_one_reads(relaxed, acquire), "data race: thread 2 reads what thread 1 writes");
  expect_failure(one_writes_one_reads(release, relaxed), "data race: thread 2 reads what thread 1 writes");
  expect_success(one_writes_one_reads(release, acquire));
}

TEST(DataRace, OfTwoWritersFound) {
  expect_failure(
      [] {
        plain<int> cell{0};
        threads([&] { cell = 1; }, [&] { cell = 2; });
      },
      "data race: thread 2 writes what thread 1 writes");
}

TEST(DataRace, WriterAfterUnsynchronizedReaderFound) {
  expect_failure(
      [] {
        atomic<int> turn{0};
        plain<int> cell{0};
        threads(
            [&] {
              static_cast<void>(cell.read());
              turn.store(1, relaxed);
            },
            [&] {
              if (turn.load(acquire) == 1) cell = 1;
            });
      },
      "data race: thread 2 writes what thread 1 reads");
}

TEST(DataRace, NoneBetweenReadersOrAcrossStartAndJoin) {
  expect_success([] {
    plain<int> cell{1};
    plain<int> own{0};
    threads(
        [&] {
          require(cell == 1, "written before the start");
          own = 2;
        },
        [&] { require(cell == 1, "written before the start"); });
    require(own == 2, "written before the join");
    cell = 2;
    threads([&] { require(cell == 1 || cell == 2, "no race"); });
  });
}

TEST(DataRace, NoneUnderLock) {
  const auto locked = [](std::memory_order unlock) {
    return [=] {
      atomic<int> lock{0};
      plain<int> count{0};
      const auto add = [&] {
        while (lock.exchange(1, acquire) == 1) provider::pause();
        count = count + 1;
        lock.store(0, unlock);
      };
      threads(add, add);
      require(count == 2, "both have counted");
    };
  };
  expect_success(locked(release));
  expect_success(locked(release), bounded_search);
  expect_success(locked(release), random_walks);
  expect_failure(locked(relaxed), "data race");
}

// ---- Lifetimes ----

TEST(Lifetime, UseAfterDestructionFound) {
  const auto destroy_when_told = [](std::memory_order store, std::memory_order load) {
    return [=] {
      atomic<int> done{0};
      auto* const shared = new atomic<int>(0);
      threads(
          [=, &done] {
            shared->store(1, relaxed);
            done.store(1, store);
          },
          [=, &done] {
            if (done.load(load) == 1) delete shared;
          });
    };
  };
  expect_success(destroy_when_told(release, acquire));
  expect_failure(destroy_when_told(release, relaxed), "destroyed");
  expect_failure(destroy_when_told(relaxed, acquire), "destroyed");
}

TEST(Lifetime, UseBesideDestructionFound) {
  expect_failure(
      [] {
        auto* const shared = new atomic<int>(0);
        threads([=] { delete shared; }, [=] { shared->fetch_add(1, seq_cst); });
      },
      "used after its destruction");
}

TEST(Lifetime, UseBeforeConstructionIsVisibleFound) {
  const auto hand_over = [](std::memory_order store, std::memory_order load) {
    return [=] {
      atomic<atomic<int>*> shared{nullptr};
      threads([&] { shared.store(new atomic<int>(7), store); },
              [&] {
                if (auto* const there = shared.load(load)) require(there->load(relaxed) == 7, "made with 7");
              });
    };
  };
  expect_success(hand_over(release, acquire));
  expect_failure(hand_over(relaxed, acquire), "by a thread that may not see its construction");
  expect_failure(hand_over(release, relaxed), "by a thread that may not see its construction");
}

// ---- Choices ----

TEST(Choose, EveryNumberOnce) {
  const report found = found_in([] {
    const unsigned first = choose(3);
    const unsigned second = choose(first + 1);
    outcome(std::to_string(first * 10 + second));
  });
  EXPECT_EQ(found.outcomes, (results{"0", "10", "11", "20", "21", "22"}));
  EXPECT_EQ(found.complete, 6U);
}

TEST(CompareExchangeWeak, FailsSpuriouslyAsOftenAsAllowed) {
  const auto failures = [](unsigned allowed) {
    return outcomes_of(
        [] {
          cells at;
          int failed = 0;
          threads([&] {
            int expected = 0;
            while (failed < 3 && !at.x.compare_exchange_weak(expected, 1, acq_rel, acquire)) ++failed;
            require(expected == 0, "what was found is what was expected");
          });
          registers(failed, at.x.load(relaxed));
        },
        {.spurious_failures = allowed});
  };
  EXPECT_EQ(failures(0), (results{"0 1"}));
  EXPECT_EQ(failures(2), (results{"0 1", "1 1", "2 1"}));
  EXPECT_EQ(failures(9), (results{"0 1", "1 1", "2 1", "3 0"}));
}

TEST(CompareExchangeStrong, NeverFailsSpuriously) {
  const results found = outcomes_of(
      [] {
        cells at;
        int expected = 0;
        bool done = false;
        threads([&] { done = at.x.compare_exchange_strong(expected, 1, relaxed, relaxed); });
        registers(int{done});
      },
      {.spurious_failures = 2});
  EXPECT_EQ(found, (results{"1"}));
}

// ---- Requirements, limits ----

TEST(Require, FailsTheCheck) {
  const report found = found_in([] {
    cells at;
    threads([&] { at.x.store(1, relaxed); }, [&] { require(at.x.load(relaxed) == 0, "x is never seen"); });
  });
  EXPECT_TRUE(found.failed);
  EXPECT_EQ(found.what, "x is never seen");
}

TEST(Limits, OfExecutions) {
  const auto body = [] { static_cast<void>(choose(10)); };
  expect_failure(body, "not finished after 9 executions", {.executions = 9});
  expect_success(body, {.executions = 10});
  expect_failure(body, "not finished after 9 executions", {.how = search::bounded, .executions = 9});
  expect_success(body, {.how = search::bounded, .executions = 10});
}

TEST(Limits, OfThreads) {
  const auto nothing = [] {};
  expect_success([&] { threads(nothing, nothing, nothing, nothing, nothing, nothing, nothing); });
  expect_failure(
      [&] {
        threads(nothing, nothing, nothing, nothing);
        threads(nothing, nothing, nothing, nothing);
      },
      "an execution has at most 7 threads");
}

// ---- The other searches ----

void store_buffering(std::memory_order order) {
  cells at;
  int r1 = -1, r2 = -1;
  threads(
      [&] {
        at.x.store(1, order);
        r1 = at.y.load(order);
      },
      [&] {
        at.y.store(1, order);
        r2 = at.x.load(order);
      });
  registers(r1, r2);
}

void message_passing(std::memory_order store, std::memory_order load) {
  cells at;
  int r1 = -1, r2 = -1;
  threads(
      [&] {
        at.x.store(1, relaxed);
        at.y.store(1, store);
      },
      [&] {
        r1 = at.y.load(load);
        r2 = at.x.load(relaxed);
      });
  registers(r1, r2);
}

void independent_reads() {
  cells at;
  int r1 = -1, r2 = -1, r3 = -1, r4 = -1;
  threads([&] { at.x.store(1, release); }, [&] { at.y.store(1, release); },
          [&] {
            r1 = at.x.load(acquire);
            r2 = at.y.load(acquire);
          },
          [&] {
            r3 = at.y.load(acquire);
            r4 = at.x.load(acquire);
          });
  registers(r1, r2, r3, r4);
}

void two_and_two_writes() {
  cells at;
  threads(
      [&] {
        at.x.store(1, relaxed);
        at.y.store(2, relaxed);
      },
      [&] {
        at.y.store(1, relaxed);
        at.x.store(2, relaxed);
      });
  registers(at.x.load(relaxed), at.y.load(relaxed));
}

void updates_and_stores() {
  cells at;
  int r1 = -1, r2 = -1;
  threads([&] { r1 = at.x.fetch_add(1, relaxed); }, [&] { r2 = at.x.exchange(5, acq_rel); },
          [&] { at.x.store(7, release); });
  registers(r1, r2, at.x.load(relaxed));
}

TEST(Searches, FindTheSameOutcomes) {
  const std::vector<std::function<void()>> bodies = {[] { store_buffering(relaxed); },
                                                     [] { store_buffering(seq_cst); },
                                                     [] { message_passing(relaxed, relaxed); },
                                                     [] { message_passing(release, acquire); },
                                                     independent_reads,
                                                     two_and_two_writes,
                                                     updates_and_stores};
  for (const auto& body : bodies) {
    const results all = outcomes_of(body);
    EXPECT_EQ(outcomes_of(body, bounded_search), all);
    // Walks reach all of so few, but none is promised.
    const results walked = outcomes_of(body, random_walks);
    EXPECT_TRUE(std::ranges::includes(all, walked));
    EXPECT_GT(walked.size(), all.size() / 2);
  }
}

// The value that a thread waits for may be old already when the thread comes to look, and still be read.
TEST(Searches, AgreeOnWaitingForAnOldValue) {
  const comparison found = compare_searches([] {
    cells at;
    threads(
        [&] {
          at.x.store(1, relaxed);
          at.x.store(0, relaxed);
          at.y.store(1, relaxed);
        },
        [&] {
          static_cast<void>(at.y.load(relaxed));
          machine::current().load(at.x.location(), relaxed, where::current(), predicate{predicate::test::equal, 1});
        });
  });
  EXPECT_EQ(found.by_graphs.size(), 2U);
  EXPECT_EQ(found.by_interleavings, (std::set<std::string>(found.by_graphs.begin(), found.by_graphs.end())));
}

}  // namespace
}  // namespace ramie::model
