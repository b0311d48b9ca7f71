// When a block of a FIFO queue may be used again: the published rule, the published rule left out, and ours.
#include <model/checker/check.hpp>
#include <queue/published_bwos_fifo.hpp>
#include <ramie/queue/bwos_fifo.hpp>

#include <support/repetitions.hpp>

#include <gtest/gtest.h>

#include <array>

namespace ramie::model {
namespace {

// The owner fills two blocks of one, and twice takes all that is left and pushes again, beside a thief that may stand
// still anywhere. The items of each are counted; zero is no item.
template <class Queue, class Steal>
void reuse(Queue& queue, Steal steal_one) {
  std::array<int, 5> taken{};
  int stolen = 0;
  require(queue.push_bottom(1) && queue.push_bottom(2), "push refused an item, and the queue was not full");
  threads(
      [&] {
        for (const int item : {3, 4}) {
          while (const auto got = queue.pop_bottom()) ++taken[static_cast<std::size_t>(*got)];
          require(queue.push_bottom(item), "push refused an item, and the queue was empty");
        }
      },
      [&] { stolen = steal_one(queue); });
  if (stolen != 0) ++taken[static_cast<std::size_t>(stolen)];
  while (const auto got = queue.pop_bottom()) ++taken[static_cast<std::size_t>(*got)];
  for (const int item : {1, 2, 3, 4}) {
    require(taken[static_cast<std::size_t>(item)] > 0, "an item was lost");
    require(taken[static_cast<std::size_t>(item)] < 2, "an item was taken twice");
  }
}

template <bool Counted>
report published() {
  return check(Counted ? "blocks used again, as published" : "blocks used again, the count left out", [] {
    queue::test::published_bwos_fifo<int, 2, 1, Counted, provider> queue;
    reuse(queue, [](auto& from) { return from.pop_top().value_or(0); });
  });
}

TEST(BwosReuse, AsPublished_AThiefThatStandsStillKeepsTheOwnerFromPushing) {
  const report found = published<true>();
  EXPECT_TRUE(found.failed);
  EXPECT_EQ(found.what, "push refused an item, and the queue was empty");
}

TEST(BwosReuse, WithTheCountLeftOut_ItemsAreLost) {
  const report found = published<false>();
  EXPECT_TRUE(found.failed);
  EXPECT_EQ(found.what, "an item was lost");
}

template <queue::grant Granting>
report ours() {
  return check(Granting == queue::grant::early ? "blocks used again, early grant" : "blocks used again, faithful grant",
               [] {
                 queue::bwos_fifo<int, provider> queue(queue::block_shape{2, 1, Granting});
                 reuse(queue, [](auto& from) {
                   const auto got = from.pop_top();
                   return got.status == queue::steal_status::item ? got.item : 0;
                 });
               });
}

TEST(BwosReuse, ByTheVersion_APushIntoAnEmptyQueueSucceedsInEveryExecution) {
  for (const report& found : {ours<queue::grant::early>(), ours<queue::grant::faithful>()}) {
    EXPECT_TRUE(found.ok()) << found.text();
    EXPECT_GT(found.complete, 1U);
  }
}

}  // namespace
}  // namespace ramie::model
