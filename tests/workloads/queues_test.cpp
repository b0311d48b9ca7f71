// The microbenchmark of the queues: what it counts, that it judges, and that a queue which errs is found out.
#include <gtest/gtest.h>
#include <ramie/queue/locked.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "library/kinds.hpp"
#include "queues/contenders.hpp"
#include "queues/encounter.hpp"
#include "support/eventually.hpp"

namespace bench::queues {
namespace {

setup short_run(pattern owner, unsigned thieves, double steals_a_second = flat_out) {
  return {
      .owner = owner, .thieves = thieves, .steals_a_second = steals_a_second, .seconds = 0.005, .time_steals = true};
}

TEST(QueueHistogram, BucketsAreConsecutiveAndAnEighthOfAPowerOfTwo) {
  std::uint64_t expected = 0;
  for (std::size_t bucket = 0; bucket < 200; ++bucket) {
    ASSERT_EQ(histogram::lower(bucket), expected) << bucket;
    ASSERT_EQ(histogram::bucket_of(expected), bucket);
    const std::uint64_t next = histogram::lower(bucket + 1);
    ASSERT_EQ(histogram::bucket_of(next - 1), bucket);
    ASSERT_LE(next - expected, expected < 16 ? 1 : expected / 8);
    expected = next;
  }
}

TEST(QueueHistogram, QuantilesMeanAndVariance) {
  histogram times;
  EXPECT_EQ(times.quantile(0.5), 0);
  for (std::uint64_t ns = 1; ns <= 1000; ++ns) times.add(ns);
  histogram all;
  all.add(times);
  all.add(times);
  EXPECT_EQ(all.total(), 2000U);
  EXPECT_EQ(all.most(), 1000U);
  EXPECT_DOUBLE_EQ(all.mean(), 500.5);
  EXPECT_NEAR(all.variance(), 83'333.25, 0.01);
  EXPECT_NEAR(all.quantile(0.5), 500, 500.0 / 8);
  EXPECT_NEAR(all.quantile(0.99), 990, 990.0 / 8);
  EXPECT_EQ(all.quantile(0.001), 1);
}

TEST(QueueHistogram, LongestTimesStayInTheLastBucket) {
  histogram times;
  times.add(UINT64_MAX);
  EXPECT_EQ(times.total(), 1U);
  EXPECT_EQ(times.most(), UINT64_MAX);
}

TEST(Queues, EveryKindVerifiesInEveryPattern) {
  options all;
  all.queue = "chase_lev";
  for (const ramie::queue::kind kind : kinds_to_compare(all)) {
    SCOPED_TRACE(std::string(name_of(kind)));
    const ramie::queue::settings chosen{.capacity = capacity, .blocks = {4, 16}};
    for (const unsigned bytes : {4U, 8U}) {
      for (const unsigned thieves : {0U, 1U, 3U}) {
        for (const pattern owner : {pattern::fill_and_drain, pattern::fill_and_drain_timed, pattern::one_at_a_time}) {
          const outcome seen = run_ramie(kind, chosen, bytes, short_run(owner, thieves));
          EXPECT_TRUE(seen.run.verified) << seen.run.complaint;
          EXPECT_TRUE(thieves != 0 || seen.attempts() == 0);
          EXPECT_EQ(seen.thieves.latencies.total(), seen.thieves.stolen);
        }
      }
    }
    EXPECT_TRUE(ramie::test::eventually("something is stolen", [&] {
      return run_ramie(kind, chosen, 8, short_run(pattern::fill_and_drain, 1)).thieves.stolen > 0;
    }));
    const outcome steady = run_ramie(kind, chosen, 8, short_run(pattern::steady, 1, 1e6));
    EXPECT_TRUE(steady.run.verified) << steady.run.complaint;
    EXPECT_EQ(steady.owner.waits.total(), steady.owner.popped);
    EXPECT_EQ(steady.thieves.waits.total(), steady.thieves.stolen);
  }
}

TEST(Queues, PlainRingVerifies) {
  for (const pattern owner : {pattern::fill_and_drain, pattern::fill_and_drain_timed, pattern::one_at_a_time}) {
    const outcome seen = run_plain_ring(short_run(owner, 0));
    EXPECT_TRUE(seen.run.verified) << seen.run.complaint;
  }
}

TEST(Queues, PacedThievesKeepTheirFrequencyTogether) {
  setup how = short_run(pattern::fill_and_drain, 2, 20'000);
  how.seconds = 0.05;
  EXPECT_TRUE(ramie::test::eventually("a thief makes an attempt", [&] {
    const outcome seen = run_ramie(ramie::queue::kind::locked, {}, 8, how);
    // A thief that has lost its CPU does not catch up.
    EXPECT_LE(seen.attempts(), 20'000 * seen.run.seconds + 2);
    return seen.attempts() >= 1;
  }));
}

enum class fault { none, loses, doubles, swaps, pretends };

/// A queue for one thread that does something wrong once.
class faulty {
 public:
  using value_type = std::uint64_t;
  explicit faulty(fault what) : m_fault(what) {}

  bool push_bottom(value_type item) {
    const bool now = ++m_pushes == 1000;
    if (m_items.size() == capacity) return false;
    if (now && m_fault == fault::loses) return true;
    m_items.push_back(now && m_fault == fault::swaps ? item + 1 : item);
    if (now && m_fault == fault::doubles) m_items.push_back(item);
    return true;
  }
  std::optional<value_type> pop_bottom() {
    if (m_items.empty()) return std::nullopt;
    const value_type item = m_items.back();
    m_items.pop_back();
    return item;
  }
  [[nodiscard]] std::size_t size() const { return m_items.size() + (m_fault == fault::pretends ? 1 : 0); }

 private:
  fault m_fault;
  std::uint64_t m_pushes = 0;
  std::deque<value_type> m_items;
};

TEST(Queues, QueueThatErrsOnceIsFoundOut) {
  const auto complaint = [](fault what) {
    faulty queue(what);
    const outcome seen = encounter(queue, short_run(pattern::fill_and_drain, 0));
    EXPECT_EQ(seen.run.verified, what == fault::none);
    // Every row that is made of it says so.
    for (const sample& s : samples_of_pairs(seen, row_push_pop)) EXPECT_EQ(s.verified, what == fault::none);
    for (const sample& s : samples_of_throughput(seen, "x")) EXPECT_EQ(s.verified, what == fault::none);
    return seen.run.complaint;
  };
  EXPECT_EQ(complaint(fault::none), "");
  EXPECT_NE(complaint(fault::loses).find(" pushed, but "), std::string::npos);
  EXPECT_NE(complaint(fault::doubles).find(" pushed, but "), std::string::npos);
  EXPECT_NE(complaint(fault::swaps).find("but others: their sum is"), std::string::npos);
  EXPECT_EQ(complaint(fault::pretends), "the queue is empty, but says that it holds 1");
}

/// The last items are only given to a thief, and that one has to come three times.
class reluctant {
 public:
  using value_type = std::uint64_t;
  bool push_bottom(value_type item) {
    if (m_items.size() == 10) return false;
    m_items.push_back(item);
    return true;
  }
  std::optional<value_type> pop_bottom() {
    if (m_items.size() <= 5) return std::nullopt;
    const value_type item = m_items.back();
    m_items.pop_back();
    return item;
  }
  ramie::queue::steal_result<value_type> pop_top() {
    if (m_items.empty()) return {ramie::queue::steal_status::empty, {}};
    if (++m_refused % 3 != 0) return {ramie::queue::steal_status::lost_race, {}};
    const value_type item = m_items.front();
    m_items.pop_front();
    return {ramie::queue::steal_status::item, item};
  }
  [[nodiscard]] std::size_t size() const { return m_items.size(); }

 private:
  std::deque<value_type> m_items;
  unsigned m_refused = 0;
};

TEST(Queues, LostRacesAtTheEndAreTriedAgain) {
  reluctant queue;
  const outcome seen = encounter(queue, short_run(pattern::fill_and_drain, 0));
  EXPECT_TRUE(seen.run.verified) << seen.run.complaint;
  EXPECT_EQ(seen.left, 5U);
}

TEST(Queues, SamplesSayWhatWasMeasured) {
  outcome seen;
  seen.owner.pushed = 3000;
  seen.owner.popped = 1000;
  seen.owner.seconds = 0.001;
  seen.thieves.stolen = 2000;
  seen.thieves.empties = 500;
  seen.thieves.lost_races = 1500;
  seen = judged(std::move(seen));
  ASSERT_TRUE(seen.run.verified) << seen.run.complaint;
  const auto pairs = samples_with_thief(seen);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].row, "push_pop_thief");
  EXPECT_DOUBLE_EQ(pairs[0].value, 500);  // ns a pair of the owner's
  EXPECT_EQ(pairs[1].row, "steals");
  EXPECT_DOUBLE_EQ(pairs[1].value, 2);  // a microsecond
  EXPECT_DOUBLE_EQ(samples_of_status(seen).front().value, 50);
  const sample throughput = samples_of_throughput(seen, "throughput_4b_1t_1m").front();
  EXPECT_DOUBLE_EQ(throughput.value, 6e6);
  EXPECT_DOUBLE_EQ(throughput.stats.at("owner_per_s"), 4e6);
  EXPECT_DOUBLE_EQ(throughput.stats.at("thieves_per_s"), 2e6);
}

TEST(Queues, PointsHaveNamesOfTheirOwn) {
  std::vector<std::string> names;
  for (const point& p : points_at(scale::full)) names.push_back(p.row());
  EXPECT_EQ(names.size(), 2U * (1 + 5 * 4));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_TRUE(std::binary_search(names.begin(), names.end(), "throughput_4b_5t_1m"));
  EXPECT_TRUE(std::binary_search(names.begin(), names.end(), "throughput_8b_0t"));
}

}  // namespace
}  // namespace bench::queues
