// Happens-before: release and acquire, release sequences, fences. [intro.races], [atomics.fences].
#include <model/litmus.hpp>

namespace ramie::model {
namespace {

// ---- Message passing: x = 1; y = 1 || r1 = y; r2 = x.  1 0: the flag without the message. ----

template <class Writer, class Reader>
results message_passing(std::memory_order store, std::memory_order load, Writer writer, Reader reader) {
  return outcomes_of([=] {
    cells at;
    int r1 = -1, r2 = -1;
    threads(
        [&] {
          at.x.store(1, relaxed);
          writer();
          at.y.store(1, store);
        },
        [&] {
          r1 = at.y.load(load);
          reader();
          r2 = at.x.load(relaxed);
        });
    registers(r1, r2);
  });
}

const results sent = {"0 0", "0 1", "1 1"};
const auto release_fence = [] { fence(release); };
const auto acquire_fence = [] { fence(acquire); };
const auto acq_rel_fence = [] { fence(acq_rel); };

TEST(MessagePassing, NeedsReleaseAndAcquire) {
  for (const std::memory_order store : {relaxed, release, seq_cst}) {
    for (const std::memory_order load : {relaxed, acquire, seq_cst}) {
      EXPECT_EQ(message_passing(store, load, no_fence, no_fence),
                store != relaxed && load != relaxed ? sent : every_bit(2))
          << name_of(store) << ", " << name_of(load);
    }
  }
}

TEST(MessagePassing, FencesDoTheSame) {
  EXPECT_EQ(message_passing(relaxed, relaxed, release_fence, acquire_fence), sent);
  EXPECT_EQ(message_passing(relaxed, relaxed, acq_rel_fence, acq_rel_fence), sent);
  EXPECT_EQ(message_passing(relaxed, relaxed, seq_cst_fence, seq_cst_fence), sent);
  EXPECT_EQ(message_passing(relaxed, acquire, release_fence, no_fence), sent);
  EXPECT_EQ(message_passing(release, relaxed, no_fence, acquire_fence), sent);
}

TEST(MessagePassing, FenceOnOneSideOrOfTheOtherKind_IsNotEnough) {
  EXPECT_EQ(message_passing(relaxed, relaxed, release_fence, no_fence), every_bit(2));
  EXPECT_EQ(message_passing(relaxed, relaxed, no_fence, acquire_fence), every_bit(2));
  EXPECT_EQ(message_passing(relaxed, relaxed, seq_cst_fence, no_fence), every_bit(2));
  EXPECT_EQ(message_passing(relaxed, relaxed, no_fence, seq_cst_fence), every_bit(2));
  EXPECT_EQ(message_passing(relaxed, relaxed, acquire_fence, acquire_fence), every_bit(2));
  EXPECT_EQ(message_passing(relaxed, relaxed, release_fence, release_fence), every_bit(2));
}

TEST(MessagePassing, FenceBehindTheFlag_IsNotEnough) {
  const results found = outcomes_of([] {
    cells at;
    int r1 = -1, r2 = -1;
    threads(
        [&] {
          at.x.store(1, relaxed);
          at.y.store(1, relaxed);
          fence(seq_cst);
        },
        [&] {
          fence(seq_cst);
          r1 = at.y.load(acquire);
          r2 = at.x.load(relaxed);
        });
    registers(r1, r2);
  });
  EXPECT_EQ(found, every_bit(2));
}

// Full fences here, a light and a heavy one there: r2 co x = 1 hb the writer's fence; y = 1 is read before the
// reader's.
TEST(MessagePassing, LightAgainstHeavyFence_IsEnough) {
  EXPECT_EQ(message_passing(relaxed, relaxed, light_fence, heavy_fence), sent);
  EXPECT_EQ(message_passing(relaxed, relaxed, heavy_fence, light_fence), sent);
  EXPECT_EQ(message_passing(relaxed, relaxed, light_fence, light_fence), every_bit(2));
}

// ---- Load buffering: r1 = x; y = 1 || r2 = y; x = 1 ----

// C++20 allows 1 1 where all is relaxed ([atomics.order] p8 asks not to, in prose, where values come out of thin air).
// Here program order and reads-from have no cycle: x86 does not delay loads past stores, compilers hardly do, and an
// explorer that adds one event after the other cannot. Code verified here relies on that much.
TEST(LoadBuffering, NeverReadsTheFuture) {
  const results found = outcomes_of([] {
    cells at;
    int r1 = -1, r2 = -1;
    threads(
        [&] {
          r1 = at.x.load(relaxed);
          at.y.store(1, relaxed);
        },
        [&] {
          r2 = at.y.load(relaxed);
          at.x.store(1, relaxed);
        });
    registers(r1, r2);
  });
  EXPECT_EQ(found, (results{"0 0", "0 1", "1 0"}));
}

// ---- WRC: x = 1 || r1 = x; y = 1 || r2 = y; r3 = x.  1 1 0. ----

results write_to_read_causality(std::memory_order x, std::memory_order r1, std::memory_order y, std::memory_order r2) {
  return outcomes_of([=] {
    cells at;
    int first = -1, second = -1, third = -1;
    threads([&] { at.x.store(1, x); },
            [&] {
              first = at.x.load(r1);
              at.y.store(1, y);
            },
            [&] {
              second = at.y.load(r2);
              third = at.x.load(relaxed);
            });
    registers(first, second, third);
  });
}

TEST(WriteToReadCausality, NeedsReleaseAndAcquireOfTheSecondPair) {
  EXPECT_EQ(write_to_read_causality(release, acquire, release, acquire), without(every_bit(3), {"1 1 0"}));
  // r1 happens before r3: read-read coherence, whatever the orders on x.
  EXPECT_EQ(write_to_read_causality(relaxed, relaxed, release, acquire), without(every_bit(3), {"1 1 0"}));
  EXPECT_EQ(write_to_read_causality(release, acquire, relaxed, acquire), every_bit(3));
  EXPECT_EQ(write_to_read_causality(release, acquire, release, relaxed), every_bit(3));
  EXPECT_EQ(write_to_read_causality(seq_cst, seq_cst, relaxed, relaxed), every_bit(3));
}

// ---- ISA2: x = 1; y = 1 || r1 = y; z = 1 || r2 = z; r3 = x.  1 1 0. ----

results isa2(std::memory_order y, std::memory_order r1, std::memory_order z, std::memory_order r2) {
  return outcomes_of([=] {
    cells at;
    int first = -1, second = -1, third = -1;
    threads(
        [&] {
          at.x.store(1, relaxed);
          at.y.store(1, y);
        },
        [&] {
          first = at.y.load(r1);
          at.z.store(1, z);
        },
        [&] {
          second = at.z.load(r2);
          third = at.x.load(relaxed);
        });
    registers(first, second, third);
  });
}

TEST(Isa2, HappensBeforeIsTransitive) {
  EXPECT_EQ(isa2(release, acquire, release, acquire), without(every_bit(3), {"1 1 0"}));
  EXPECT_EQ(isa2(relaxed, acquire, release, acquire), every_bit(3));
  EXPECT_EQ(isa2(release, relaxed, release, acquire), every_bit(3));
  EXPECT_EQ(isa2(release, acquire, relaxed, acquire), every_bit(3));
  EXPECT_EQ(isa2(release, acquire, release, relaxed), every_bit(3));
}

// ---- S: x = 2; y = 1 || r = y; x = 1.  r == 1 and x == 2 in the end. ----

results s_shape(std::memory_order store, std::memory_order load) {
  return outcomes_of([=] {
    cells at;
    int r = -1;
    threads(
        [&] {
          at.x.store(2, relaxed);
          at.y.store(1, store);
        },
        [&] {
          r = at.y.load(load);
          at.x.store(1, relaxed);
        });
    registers(r, at.x.load(relaxed));
  });
}

TEST(S, HappensBeforeOrdersWrites) {
  EXPECT_EQ(s_shape(release, acquire), (results{"0 1", "0 2", "1 1"}));
  EXPECT_EQ(s_shape(relaxed, acquire), every({{0, 1}, {1, 2}}));
  EXPECT_EQ(s_shape(release, relaxed), every({{0, 1}, {1, 2}}));
}

// ---- Release sequences: x = 1; then something with y || ... || r1 = y (acquire); r2 = x ----

template <class Owner, class Other>
results release_sequence(Owner owner, Other other) {
  return outcomes_of([=] {
    cells at;
    int r1 = -1, r2 = -1;
    threads(
        [&] {
          at.x.store(1, relaxed);
          owner(at.y);
        },
        [&] { other(at.y); },
        [&] {
          r1 = at.y.load(acquire);
          r2 = at.x.load(relaxed);
        });
    registers(r1, r2);
  });
}

const auto nobody_else = [](atomic<int>&) {};
const auto publish_one = [](atomic<int>& y) { y.store(1, release); };

// C++17 let the second store continue the sequence; P0982 took that away.
TEST(ReleaseSequence, LaterRelaxedStoreOfTheSameThread_PublishesNothing) {
  const auto twice = [](atomic<int>& y) {
    y.store(1, release);
    y.store(2, relaxed);
  };
  EXPECT_EQ(release_sequence(twice, nobody_else), (results{"0 0", "0 1", "1 1", "2 0", "2 1"}));
}

TEST(ReleaseSequence, UpdateByTheSameThread_ContinuesIt) {
  const auto store_and_add = [](atomic<int>& y) {
    y.store(1, release);
    y.fetch_add(1, relaxed);
  };
  EXPECT_EQ(release_sequence(store_and_add, nobody_else), (results{"0 0", "0 1", "1 1", "2 1"}));
}

// 10: the addition came first, read 0 and continues nothing.
TEST(ReleaseSequence, UpdateByAnotherThread_ContinuesIt) {
  const auto add = [](atomic<int>& y) { y.fetch_add(10, relaxed); };
  EXPECT_EQ(release_sequence(publish_one, add), (results{"0 0", "0 1", "1 1", "10 0", "10 1", "11 1"}));
}

TEST(ReleaseSequence, UpdatesByTwoOtherThreads_ContinueIt) {
  const results found = outcomes_of([] {
    cells at;
    int r1 = -1, r2 = -1;
    const auto raise = [&](int from) { at.y.compare_exchange_strong(from, from + 1, relaxed, relaxed); };
    threads(
        [&] {
          at.x.store(1, relaxed);
          at.y.store(1, release);
        },
        [&] { raise(1); }, [&] { raise(2); },
        [&] {
          r1 = at.y.load(acquire);
          r2 = at.x.load(relaxed);
        });
    registers(r1, r2);
  });
  EXPECT_EQ(found, (results{"0 0", "0 1", "1 1", "2 1", "3 1"}));
}

TEST(ReleaseSequence, StoreByAnotherThread_BreaksIt) {
  const auto add_and_store = [](atomic<int>& y) {
    if (y.fetch_add(10, relaxed) == 1) y.store(5, relaxed);
  };
  EXPECT_EQ(release_sequence(publish_one, add_and_store),
            (results{"0 0", "0 1", "1 1", "10 0", "10 1", "11 1", "5 0", "5 1"}));
}

// A release fence stands for every later store of its thread, and for the updates that continue them.
TEST(ReleaseSequence, OfRelaxedStoreBehindFence) {
  const auto twice = [](atomic<int>& y) {
    fence(release);
    y.store(1, relaxed);
    y.store(2, relaxed);
  };
  EXPECT_EQ(release_sequence(twice, nobody_else), (results{"0 0", "0 1", "1 1", "2 1"}));
  const auto once = [](atomic<int>& y) {
    fence(release);
    y.store(1, relaxed);
  };
  const auto add = [](atomic<int>& y) { y.fetch_add(10, relaxed); };
  EXPECT_EQ(release_sequence(once, add), (results{"0 0", "0 1", "1 1", "10 0", "10 1", "11 1"}));
}

// The flag is raised by an update; a relaxed reader fences behind.
TEST(ReleaseSequence, UpdatesBetweenFences) {
  const auto run = [](std::memory_order update, bool fences) {
    return outcomes_of([=] {
      cells at;
      int r1 = -1, r2 = -1;
      threads(
          [&] {
            at.x.store(1, relaxed);
            if (fences) fence(release);
            at.y.exchange(1, update);
          },
          [&] {
            r1 = at.y.fetch_add(0, update);
            if (fences) fence(acquire);
            r2 = at.x.load(relaxed);
          });
      registers(r1, r2);
    });
  };
  EXPECT_EQ(run(relaxed, true), sent);
  EXPECT_EQ(run(relaxed, false), every_bit(2));
  EXPECT_EQ(run(acq_rel, false), sent);
  EXPECT_EQ(run(acquire, false), every_bit(2));
  EXPECT_EQ(run(release, false), every_bit(2));
}

}  // namespace
}  // namespace ramie::model
