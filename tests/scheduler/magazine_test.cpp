#include "scheduler/magazine_depot.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

namespace ramie::detail {
namespace {

struct node {
  node* next = nullptr;
  node* next_magazine = nullptr;
  std::size_t magazine_count = 0;
};

// Makes nodes while it may, and counts how often it is asked.
struct source {
  std::vector<std::unique_ptr<node>> made;
  magazine_depot<node> depot;
  std::size_t limit = 1'000'000;
  int refills = 0, returns = 0;

  magazine<node> refill() {
    ++refills;
    magazine<node> taken = depot.take();
    while (taken.count < magazine_size && made.size() < limit) {
      made.push_back(std::make_unique<node>());
      taken.push(made.back().get());
    }
    return taken;
  }
  void give_back(magazine<node> full) {
    if (full.count != 0) ++returns;
    depot.give(full);
  }
};

TEST(Magazine, IsAStack) {
  node nodes[3];
  magazine<node> of;
  for (node& each : nodes) of.push(&each);
  EXPECT_EQ(of.count, 3U);
  for (int i = 2; i >= 0; --i) EXPECT_EQ(of.pop(), &nodes[i]);
  EXPECT_EQ(of.pop(), nullptr);
  EXPECT_EQ(of.count, 0U);
}

TEST(MagazineDepot, CountsObjects_AndGivesWholeMagazinesBack) {
  node nodes[10];
  magazine_depot<node> depot;
  depot.give({});
  EXPECT_EQ(depot.take().count, 0U);
  magazine<node> small, large;
  for (int i = 0; i < 3; ++i) small.push(&nodes[i]);
  for (int i = 3; i < 10; ++i) large.push(&nodes[i]);
  depot.give(small);
  depot.give(large);
  EXPECT_EQ(depot.count(), 10U);
  EXPECT_EQ(depot.take().count, 7U);
  EXPECT_EQ(depot.count(), 3U);
  EXPECT_EQ(depot.take().count, 3U);
  EXPECT_EQ(depot.count(), 0U);
}

TEST(MagazineCache, NeverHandsOutOneObjectTwice) {
  source from;
  magazine_cache<node, source> cache;
  std::set<node*> out;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 37 * (round % 7); ++i) EXPECT_TRUE(out.insert(cache.take(from)).second);
    for (int i = 0; i < 29 * (round % 9) && !out.empty(); ++i) {
      cache.give(*out.begin(), from);
      out.erase(out.begin());
    }
  }
  for (node* const each : out) cache.give(each, from);
  cache.flush(from);
  EXPECT_EQ(from.depot.count(), from.made.size());
}

// The point of the two magazines: going to and fro over a boundary does not go to the depot each time.
TEST(MagazineCache, AsksTheSourceOnceInManyOperations) {
  source from;
  magazine_cache<node, source> cache;
  std::vector<node*> out;
  for (std::size_t i = 0; i < 3 * magazine_size; ++i) out.push_back(cache.take(from));
  for (node* const each : out) cache.give(each, from);
  const int before = from.refills + from.returns;
  for (int round = 0; round < 1000; ++round) {
    node* const one = cache.take(from);
    node* const two = cache.take(from);
    cache.give(one, from);
    cache.give(two, from);
  }
  EXPECT_LE(from.refills + from.returns - before, 1);
  cache.flush(from);
  EXPECT_EQ(from.depot.count(), from.made.size());
}

TEST(MagazineCache, AnEmptySource_GivesNull) {
  source from;
  from.limit = 5;
  magazine_cache<node, source> cache;
  for (int i = 0; i < 5; ++i) EXPECT_NE(cache.take(from), nullptr);
  EXPECT_EQ(cache.take(from), nullptr);
  cache.give(from.made[0].get(), from);
  EXPECT_EQ(cache.take(from), from.made[0].get());
}

}  // namespace
}  // namespace ramie::detail
