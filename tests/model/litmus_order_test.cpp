// The total order S of seq_cst operations and fences: what it forbids, and what it does not: [atomics.order] in C++20,
// that is after P0668. "hb": happens before; "co": coherence-ordered before; A < B: A before B in S.
#include <model/litmus.hpp>

namespace ramie::model {
namespace {

// ---- Store buffering: x = 1; r1 = y || y = 1; r2 = x ----

template <class First, class Second>
results store_buffering(std::memory_order store, std::memory_order load, First first, Second second) {
  return outcomes_of([=] {
    cells at;
    int r1 = -1, r2 = -1;
    threads(
        [&] {
          at.x.store(1, store);
          first();
          r1 = at.y.load(load);
        },
        [&] {
          at.y.store(1, store);
          second();
          r2 = at.x.load(load);
        });
    registers(r1, r2);
  });
}

TEST(StoreBuffering, BelowSeqCst_BothMayReadOld) {
  EXPECT_EQ(store_buffering(relaxed, relaxed, no_fence, no_fence), every_bit(2));
  EXPECT_EQ(store_buffering(release, acquire, no_fence, no_fence), every_bit(2));
  const auto acq_rel_fence = [] { fence(acq_rel); };
  EXPECT_EQ(store_buffering(relaxed, relaxed, acq_rel_fence, acq_rel_fence), every_bit(2));
}

TEST(StoreBuffering, SeqCst_OneReadsNew) {
  EXPECT_EQ(store_buffering(seq_cst, seq_cst, no_fence, no_fence), without(every_bit(2), {"0 0"}));
}

TEST(StoreBuffering, SeqCstStoresOrLoadsAlone_BothMayReadOld) {
  EXPECT_EQ(store_buffering(seq_cst, acquire, no_fence, no_fence), every_bit(2));
  EXPECT_EQ(store_buffering(release, seq_cst, no_fence, no_fence), every_bit(2));
}

TEST(StoreBuffering, SeqCstFences_OneReadsNew) {
  EXPECT_EQ(store_buffering(relaxed, relaxed, seq_cst_fence, seq_cst_fence), without(every_bit(2), {"0 0"}));
}

TEST(StoreBuffering, OneFenceOnly_BothMayReadOld) {
  EXPECT_EQ(store_buffering(relaxed, relaxed, seq_cst_fence, no_fence), every_bit(2));
  EXPECT_EQ(store_buffering(release, acquire, no_fence, seq_cst_fence), every_bit(2));
}

results store_buffering_against_fence(std::memory_order store, std::memory_order load) {
  return outcomes_of([=] {
    cells at;
    int r1 = -1, r2 = -1;
    threads(
        [&] {
          at.x.store(1, store);
          r1 = at.y.load(load);
        },
        [&] {
          at.y.store(1, relaxed);
          fence(seq_cst);
          r2 = at.x.load(relaxed);
        });
    registers(r1, r2);
  });
}

// Both old: x = 1 < r1 = y in S by program order; r1 co y = 1 hb fence: r1 < fence; fence hb r2 co x = 1: fence < x
// = 1.
TEST(StoreBuffering, SeqCstOperationsAgainstFence_OneReadsNew) {
  EXPECT_EQ(store_buffering_against_fence(seq_cst, seq_cst), without(every_bit(2), {"0 0"}));
}

// A relaxed load or store is not in S, and no fence of its own thread puts it there.
TEST(StoreBuffering, HalfSeqCstAgainstFence_BothMayReadOld) {
  EXPECT_EQ(store_buffering_against_fence(seq_cst, relaxed), every_bit(2));
  EXPECT_EQ(store_buffering_against_fence(relaxed, seq_cst), every_bit(2));
}

results store_buffering_over_updates(std::memory_order order, bool same) {
  return outcomes_of([=] {
    cells at;
    atomic<int> other{0};
    int r1 = -1, r2 = -1;
    threads(
        [&] {
          at.x.store(1, relaxed);
          at.z.fetch_add(1, order);
          r1 = at.y.load(relaxed);
        },
        [&] {
          at.y.store(1, relaxed);
          (same ? at.z : other).fetch_add(1, order);
          r2 = at.x.load(relaxed);
        });
    registers(r1, r2);
  });
}

// The second of the two on z has read the first and synchronizes with it.
TEST(StoreBuffering, UpdatesOfOneCell_AreBarriersIfAcqRel) {
  EXPECT_EQ(store_buffering_over_updates(acq_rel, true), without(every_bit(2), {"0 0"}));
  EXPECT_EQ(store_buffering_over_updates(release, true), every_bit(2));
  EXPECT_EQ(store_buffering_over_updates(relaxed, true), every_bit(2));
}

// On x86 they are full barriers; in C++ they order themselves alone.
TEST(StoreBuffering, SeqCstUpdatesOfTwoCells_AreNoBarriers) {
  EXPECT_EQ(store_buffering_over_updates(seq_cst, false), every_bit(2));
}

TEST(StoreBuffering, ExchangeAndLoadSeqCst_OneReadsNew) {
  const results found = outcomes_of([] {
    cells at;
    int r1 = -1, r2 = -1;
    threads(
        [&] {
          at.x.exchange(1, seq_cst);
          r1 = at.y.load(seq_cst);
        },
        [&] {
          at.y.exchange(1, seq_cst);
          r2 = at.x.load(seq_cst);
        });
    registers(r1, r2);
  });
  EXPECT_EQ(found, without(every_bit(2), {"0 0"}));
}

// ---- The asymmetric pair ----

TEST(StoreBuffering, LightAgainstHeavyFence_OneReadsNew) {
  EXPECT_EQ(store_buffering(relaxed, relaxed, light_fence, heavy_fence), without(every_bit(2), {"0 0"}));
  EXPECT_EQ(store_buffering(relaxed, relaxed, heavy_fence, light_fence), without(every_bit(2), {"0 0"}));
}

TEST(StoreBuffering, HeavyFenceIsSeqCstFence) {
  EXPECT_EQ(store_buffering(relaxed, relaxed, heavy_fence, seq_cst_fence), without(every_bit(2), {"0 0"}));
  EXPECT_EQ(store_buffering(relaxed, relaxed, heavy_fence, heavy_fence), without(every_bit(2), {"0 0"}));
}

TEST(StoreBuffering, LightFenceAgainstAnythingElse_BothMayReadOld) {
  EXPECT_EQ(store_buffering(relaxed, relaxed, light_fence, light_fence), every_bit(2));
  EXPECT_EQ(store_buffering(relaxed, relaxed, light_fence, seq_cst_fence), every_bit(2));
  EXPECT_EQ(store_buffering(relaxed, relaxed, light_fence, no_fence), every_bit(2));
  EXPECT_EQ(store_buffering(seq_cst, seq_cst, light_fence, no_fence), without(every_bit(2), {"0 0"}));
}

// ---- R: x = 1; y = 1 || y = 2; r = x.  SC forbids that y is 2 in the end and r is 0. ----

template <class Between>
results r_shape(std::memory_order store, std::memory_order load, Between between) {
  return outcomes_of([=] {
    cells at;
    int r = -1;
    threads(
        [&] {
          at.x.store(1, store);
          between();
          at.y.store(1, store);
        },
        [&] {
          at.y.store(2, store);
          between();
          r = at.x.load(load);
        });
    registers(at.y.load(relaxed), r);
  });
}

TEST(R, NeedsSeqCst) {
  const results all = every({{1, 2}, {0, 1}});
  EXPECT_EQ(r_shape(relaxed, relaxed, no_fence), all);
  EXPECT_EQ(r_shape(release, acquire, no_fence), all);
  EXPECT_EQ(r_shape(seq_cst, acquire, no_fence), all);
  EXPECT_EQ(r_shape(seq_cst, seq_cst, no_fence), without(all, {"2 0"}));
  EXPECT_EQ(r_shape(relaxed, relaxed, seq_cst_fence), without(all, {"2 0"}));
}

// ---- 2+2W: x = 1; y = 2 || y = 1; x = 2.  SC forbids that both first stores are the last ones. ----

template <class Between>
results two_and_two_writes(std::memory_order order, Between between) {
  return outcomes_of([=] {
    cells at;
    threads(
        [&] {
          at.x.store(1, order);
          between();
          at.y.store(2, order);
        },
        [&] {
          at.y.store(1, order);
          between();
          at.x.store(2, order);
        });
    registers(at.x.load(relaxed), at.y.load(relaxed));
  });
}

TEST(TwoAndTwoWrites, NeedSeqCst) {
  const results all = every({{1, 2}, {1, 2}});
  EXPECT_EQ(two_and_two_writes(relaxed, no_fence), all);
  EXPECT_EQ(two_and_two_writes(release, no_fence), all);
  EXPECT_EQ(two_and_two_writes(release, [] { fence(acq_rel); }), all);
  EXPECT_EQ(two_and_two_writes(seq_cst, no_fence), without(all, {"1 1"}));
  EXPECT_EQ(two_and_two_writes(relaxed, seq_cst_fence), without(all, {"1 1"}));
}

// ---- IRIW: x = 1 || y = 1 || r1 = x; r2 = y || r3 = y; r4 = x.  1 0 1 0: the readers disagree on the order. ----

template <class First, class Second>
results independent_reads(std::memory_order store, std::memory_order load, First first, Second second) {
  return outcomes_of([=] {
    cells at;
    int r1 = -1, r2 = -1, r3 = -1, r4 = -1;
    threads([&] { at.x.store(1, store); }, [&] { at.y.store(1, store); },
            [&] {
              r1 = at.x.load(load);
              first();
              r2 = at.y.load(load);
            },
            [&] {
              r3 = at.y.load(load);
              second();
              r4 = at.x.load(load);
            });
    registers(r1, r2, r3, r4);
  });
}

TEST(IndependentReads, BelowSeqCst_MayDisagree) {
  EXPECT_EQ(independent_reads(relaxed, relaxed, no_fence, no_fence), every_bit(4));
  EXPECT_EQ(independent_reads(release, acquire, no_fence, no_fence), every_bit(4));
  EXPECT_EQ(independent_reads(seq_cst, acquire, no_fence, no_fence), every_bit(4));
}

TEST(IndependentReads, SeqCst_Agree) {
  EXPECT_EQ(independent_reads(seq_cst, seq_cst, no_fence, no_fence), without(every_bit(4), {"1 0 1 0"}));
  EXPECT_EQ(independent_reads(relaxed, relaxed, seq_cst_fence, seq_cst_fence), without(every_bit(4), {"1 0 1 0"}));
}

// r2 co y = 1 co r3: coherence order runs from read to read, and all four reads are in S.
TEST(IndependentReads, SeqCstLoadsOfRelaxedStores_Agree) {
  EXPECT_EQ(independent_reads(relaxed, seq_cst, no_fence, no_fence), without(every_bit(4), {"1 0 1 0"}));
}

TEST(IndependentReads, OneFence_MayDisagree) {
  EXPECT_EQ(independent_reads(release, acquire, seq_cst_fence, no_fence), every_bit(4));
}

TEST(IndependentReads, LightAgainstHeavyFence_Agree) {
  EXPECT_EQ(independent_reads(relaxed, relaxed, light_fence, heavy_fence), without(every_bit(4), {"1 0 1 0"}));
  EXPECT_EQ(independent_reads(relaxed, relaxed, light_fence, light_fence), every_bit(4));
}

// ---- RWC: x = 1 || r1 = x; r2 = y || y = 1; r3 = x.  SC forbids 1 0 0. ----

template <class Between>
results read_to_write_causality(std::memory_order x, std::memory_order r1, std::memory_order others, Between between) {
  return outcomes_of([=] {
    cells at;
    int first = -1, second = -1, third = -1;
    threads([&] { at.x.store(1, x); },
            [&] {
              first = at.x.load(r1);
              between();
              second = at.y.load(others == release ? acquire : others);
            },
            [&] {
              at.y.store(1, others);
              between();
              third = at.x.load(others == release ? acquire : others);
            });
    registers(first, second, third);
  });
}

TEST(ReadToWriteCausality, BelowSeqCst_IsNotKept) {
  EXPECT_EQ(read_to_write_causality(relaxed, relaxed, relaxed, no_fence), every_bit(3));
  EXPECT_EQ(read_to_write_causality(release, acquire, release, no_fence), every_bit(3));
}

TEST(ReadToWriteCausality, SeqCst_IsKept) {
  EXPECT_EQ(read_to_write_causality(seq_cst, seq_cst, seq_cst, no_fence), without(every_bit(3), {"1 0 0"}));
}

// The last read co x = 1 co the first one: the store itself need not be in S. Since C++20 the same with fences.
TEST(ReadToWriteCausality, RelaxedStoreIsEnough) {
  EXPECT_EQ(read_to_write_causality(relaxed, seq_cst, seq_cst, no_fence), without(every_bit(3), {"1 0 0"}));
  EXPECT_EQ(read_to_write_causality(relaxed, relaxed, relaxed, seq_cst_fence), without(every_bit(3), {"1 0 0"}));
}

// New in C++20: x = 1 happens before r2 = y, but not strongly: r2 = y < y = 1 < r3 = x < x = 1 is no cycle.
TEST(ReadToWriteCausality, SeqCstStoreReadByAcquire_IsNotKept) {
  EXPECT_EQ(read_to_write_causality(seq_cst, acquire, seq_cst, no_fence), every_bit(3));
}

// The same with the synchronization between operations that are not in S: happens before is enclosed in program order
// at both ends, thus strong.
TEST(ReadToWriteCausality, SeqCstStorePublishedByAnother_IsKept) {
  const results found = outcomes_of([] {
    cells at;
    int r1 = -1, r2 = -1, r3 = -1;
    threads(
        [&] {
          at.x.store(1, seq_cst);
          at.z.store(1, release);
        },
        [&] {
          r1 = at.z.load(acquire);
          r2 = at.y.load(seq_cst);
        },
        [&] {
          at.y.store(1, seq_cst);
          r3 = at.x.load(seq_cst);
        });
    registers(r1, r2, r3);
  });
  EXPECT_EQ(found, without(every_bit(3), {"1 0 0"}));
}

// ---- W+RWC: x = 1; y = 1 || r1 = y; fence; r2 = z || z = 1; fence; r3 = x ----

results w_and_rwc(std::memory_order store, std::memory_order load) {
  return outcomes_of([=] {
    cells at;
    int r1 = -1, r2 = -1, r3 = -1;
    threads(
        [&] {
          at.x.store(1, relaxed);
          at.y.store(1, store);
        },
        [&] {
          r1 = at.y.load(load);
          fence(seq_cst);
          r2 = at.z.load(relaxed);
        },
        [&] {
          at.z.store(1, relaxed);
          fence(seq_cst);
          r3 = at.x.load(relaxed);
        });
    registers(r1, r2, r3);
  });
}

// 1 0 0: r2 co z = 1 hb the second fence; r3 co x = 1, which happens before the first fence.
TEST(WriteAndReadToWriteCausality, FencesOrderWhatHappensBefore) {
  EXPECT_EQ(w_and_rwc(release, acquire), without(every_bit(3), {"1 0 0"}));
  EXPECT_EQ(w_and_rwc(release, relaxed), without(every_bit(3), {"1 0 0"}));  // the fence acquires
  EXPECT_EQ(w_and_rwc(relaxed, acquire), every_bit(3));
}

// ---- Z6: C++20 against C++17 ----

results z6_u(std::memory_order y) {
  return outcomes_of([=] {
    cells at;
    int a = -1, b = -1, c = -1;
    threads(
        [&] {
          at.x.store(1, seq_cst);
          at.y.store(1, y);
        },
        [&] {
          b = at.y.fetch_add(1, seq_cst);
          c = at.y.load(relaxed);
        },
        [&] {
          at.y.store(3, seq_cst);
          a = at.x.load(seq_cst);
        });
    registers(b, c, a);
  });
}

// b, c by the order of y's writes 1, +1 (u) and 3: "u13" 0 and 1 or 3; "u31" the same; "1u3" 1 and 2 or 3; "13u" 3 and
// 4; "3u1" 3 and 4 or 1; "31u" 1 and 2.
results z6_u_everything() {
  results all;
  for (const char* const bc : {"0 1", "0 3", "1 2", "1 3", "3 4", "3 1"}) {
    for (const char* const a : {" 0", " 1"}) all.insert(std::string(bc).append(a));
  }
  return all;
}

// P0668's example. 1 3 0: x = 1 happens before the fetch_add, but not strongly. C++17 forbade it, and Power does it.
TEST(Z6, SeqCstIsNotOrderedByReleaseAndAcquire) { EXPECT_EQ(z6_u(release), z6_u_everything()); }

// x = 1 < y = 1 < fetch_add < y = 3 < a = x < x = 1.
TEST(Z6, SeqCstEverywhereIsOrdered) { EXPECT_EQ(z6_u(seq_cst), without(z6_u_everything(), {"1 3 0"})); }

// Z6.3: x = 1; y = 1 || y = 2; z = 1 || r1 = z; r2 = x.  SC forbids y == 2, 1 0.
template <class Between>
results z6_3(std::memory_order store, std::memory_order load, Between between) {
  return outcomes_of([=] {
    cells at;
    int r1 = -1, r2 = -1;
    threads(
        [&] {
          at.x.store(1, store);
          between();
          at.y.store(1, store);
        },
        [&] {
          at.y.store(2, store);
          at.z.store(1, store);
        },
        [&] {
          r1 = at.z.load(load);
          between();
          r2 = at.x.load(load);
        });
    registers(at.y.load(relaxed), r1, r2);
  });
}

TEST(Z6, ThreeThreads_ModificationOrderOrdersFencesAndSeqCst) {
  const results all = every({{1, 2}, {0, 1}, {0, 1}});
  EXPECT_EQ(z6_3(relaxed, relaxed, no_fence), all);
  EXPECT_EQ(z6_3(release, acquire, no_fence), all);
  EXPECT_EQ(z6_3(seq_cst, seq_cst, no_fence), without(all, {"2 1 0"}));
  // y = 2 happens before the last fence only where z publishes it.
  EXPECT_EQ(z6_3(release, acquire, seq_cst_fence), without(all, {"2 1 0"}));
  EXPECT_EQ(z6_3(relaxed, relaxed, seq_cst_fence), all);
}

}  // namespace
}  // namespace ramie::model
