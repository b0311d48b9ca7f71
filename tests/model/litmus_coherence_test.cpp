// One location: coherence, read-modify-writes, compare_exchange. [intro.races], [atomics.order].
#include <model/litmus.hpp>

#include <array>

namespace ramie::model {
namespace {

// ---- Coherence ----

TEST(Coherence, ReadRead_NeverGoesBack) {
  const results found = outcomes_of([] {
    cells at;
    int r1 = -1, r2 = -1;
    threads([&] { at.x.store(1, relaxed); },
            [&] {
              r1 = at.x.load(relaxed);
              r2 = at.x.load(relaxed);
            });
    registers(r1, r2);
  });
  EXPECT_EQ(found, (results{"0 0", "0 1", "1 1"}));
}

TEST(Coherence, TwoReaders_AgreeOnTheOrderOfWrites) {
  const results found = outcomes_of([] {
    cells at;
    std::array<int, 4> r{};
    threads([&] { at.x.store(1, relaxed); }, [&] { at.x.store(2, relaxed); },
            [&] {
              r[0] = at.x.load(relaxed);
              r[1] = at.x.load(relaxed);
            },
            [&] {
              r[2] = at.x.load(relaxed);
              r[3] = at.x.load(relaxed);
            });
    registers(r[0], r[1], r[2], r[3]);
  });
  // Each order of the two writes lets both readers see any pair that does not go back in it.
  results expected;
  for (const auto& pairs :
       {std::array{"0 0", "0 1", "0 2", "1 1", "1 2", "2 2"}, std::array{"0 0", "0 1", "0 2", "2 2", "2 1", "1 1"}}) {
    for (const char* const first : pairs) {
      for (const char* const second : pairs) expected.insert(std::string(first).append(" ").append(second));
    }
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(found.count("1 2 2 1"), 0U);
}

TEST(Coherence, WriteWrite_InProgramOrder) {
  const results found = outcomes_of([] {
    cells at;
    int r1 = -1, r2 = -1;
    threads(
        [&] {
          at.x.store(1, relaxed);
          at.x.store(2, relaxed);
        },
        [&] {
          r1 = at.x.load(relaxed);
          r2 = at.x.load(relaxed);
        });
    registers(r1, r2, at.x.load(relaxed));
  });
  EXPECT_EQ(found, (results{"0 0 2", "0 1 2", "0 2 2", "1 1 2", "1 2 2", "2 2 2"}));
}

// A value read before a write is older than the write.
TEST(Coherence, ReadWrite) {
  const results found = outcomes_of([] {
    cells at;
    int r = -1;
    threads(
        [&] {
          r = at.x.load(relaxed);
          at.x.store(1, relaxed);
        },
        [&] { at.x.store(2, relaxed); });
    registers(r, at.x.load(relaxed));
  });
  EXPECT_EQ(found, (results{"0 1", "0 2", "2 1"}));
}

// A value read after a write is the write or newer.
TEST(Coherence, WriteRead) {
  const results found = outcomes_of([] {
    cells at;
    int r = -1;
    threads(
        [&] {
          at.x.store(1, relaxed);
          r = at.x.load(relaxed);
        },
        [&] { at.x.store(2, relaxed); });
    registers(r, at.x.load(relaxed));
  });
  EXPECT_EQ(found, (results{"1 1", "1 2", "2 2"}));
}

// ---- compare_exchange ----

results replaced(int expected, std::memory_order success, std::memory_order failure) {
  return outcomes_of([=] {
    cells at;
    int seen = expected, r = -1;
    bool done = false;
    threads(
        [&] {
          at.x.store(1, relaxed);
          at.y.store(1, release);
        },
        [&] {
          done = at.y.compare_exchange_strong(seen, 5, success, failure);
          r = at.x.load(relaxed);
        });
    registers(int{done}, seen, r);
  });
}

TEST(CompareExchange, ThatFails_HasTheOrderOfFailure) {
  EXPECT_EQ(replaced(7, relaxed, acquire), (results{"0 0 0", "0 0 1", "0 1 1"}));
  EXPECT_EQ(replaced(7, acq_rel, relaxed), (results{"0 0 0", "0 0 1", "0 1 0", "0 1 1"}));
}

TEST(CompareExchange, ThatSucceeds_HasTheOrderOfSuccess) {
  EXPECT_EQ(replaced(1, acquire, relaxed), (results{"0 0 0", "0 0 1", "1 1 1"}));
  EXPECT_EQ(replaced(1, relaxed, acquire), (results{"0 0 0", "0 0 1", "1 1 0", "1 1 1"}));
  EXPECT_EQ(replaced(1, release, relaxed), (results{"0 0 0", "0 0 1", "1 1 0", "1 1 1"}));
}

TEST(CompareExchange, OfTwo_OneSucceeds) {
  const results found = outcomes_of([] {
    cells at;
    int seen1 = 0, seen2 = 0;
    bool done1 = false, done2 = false;
    threads([&] { done1 = at.x.compare_exchange_strong(seen1, 1, relaxed, relaxed); },
            [&] { done2 = at.x.compare_exchange_strong(seen2, 2, relaxed, relaxed); });
    registers(int{done1}, int{done2}, at.x.load(relaxed));
  });
  EXPECT_EQ(found, (results{"1 0 1", "0 1 2"}));
}

// The one that fails may be in S, too, as a load.
TEST(CompareExchange, ThatFails_IsSeqCstLoad) {
  const auto run = [](std::memory_order failure) {
    return outcomes_of([=] {
      cells at;
      int r1 = 7, r2 = 7;
      threads(
          [&] {
            at.x.store(1, seq_cst);
            at.y.compare_exchange_strong(r1, 9, seq_cst, failure);
          },
          [&] {
            at.y.store(1, seq_cst);
            at.x.compare_exchange_strong(r2, 9, seq_cst, failure);
          });
      registers(r1, r2);
    });
  };
  EXPECT_EQ(run(seq_cst), without(every_bit(2), {"0 0"}));
  EXPECT_EQ(run(acquire), every_bit(2));
}

// ---- Read-modify-writes ----

TEST(Update, TwoNeverReadTheSame) {
  const results found = outcomes_of([] {
    cells at;
    int r1 = -1, r2 = -1;
    threads([&] { r1 = at.x.fetch_add(1, relaxed); }, [&] { r2 = at.x.fetch_add(1, relaxed); });
    registers(r1, r2, at.x.load(relaxed));
  });
  EXPECT_EQ(found, (results{"0 1 2", "1 0 2"}));
}

TEST(Update, ThreeMakeEveryOrder) {
  const results found = outcomes_of([] {
    cells at;
    std::array<int, 3> r{};
    threads([&] { r[0] = at.x.fetch_add(1, relaxed); }, [&] { r[1] = at.x.fetch_add(1, relaxed); },
            [&] { r[2] = at.x.fetch_add(1, relaxed); });
    registers(r[0], r[1], r[2]);
  });
  EXPECT_EQ(found, (results{"0 1 2", "0 2 1", "1 0 2", "1 2 0", "2 0 1", "2 1 0"}));
}

TEST(Update, LoadAndStore_LoseOne) {
  const results found = outcomes_of([] {
    cells at;
    const auto add = [&] { at.x.store(at.x.load(seq_cst) + 1, seq_cst); };
    threads(add, add);
    registers(at.x.load(relaxed));
  });
  EXPECT_EQ(found, (results{"1", "2"}));
}

TEST(Update, Exchanges_HandOnEachValueOnce) {
  const results found = outcomes_of([] {
    cells at;
    int r1 = -1, r2 = -1;
    threads([&] { r1 = at.x.exchange(1, relaxed); }, [&] { r2 = at.x.exchange(2, relaxed); });
    registers(r1, r2, at.x.load(relaxed));
  });
  EXPECT_EQ(found, (results{"0 1 2", "2 0 1"}));
}

// No store comes between what an exchange reads and what it writes.
TEST(Update, AgainstStore) {
  const results found = outcomes_of([] {
    cells at;
    int r = -1;
    threads([&] { r = at.x.exchange(1, relaxed); }, [&] { at.x.store(2, relaxed); });
    registers(r, at.x.load(relaxed));
  });
  EXPECT_EQ(found, (results{"0 2", "2 1"}));
}

}  // namespace
}  // namespace ramie::model
