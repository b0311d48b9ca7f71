// The example of the README, and what it prints when its store is too weak.
#include <model/checker/check.hpp>

#include <gtest/gtest.h>

using namespace ramie;

TEST(Mailbox, SendsWhatWasWritten) {
  const model::report found = model::check("mailbox", [] {
    model::provider::atomic<int> full{0};
    model::provider::plain<int> letter{0};  // plain memory: races on it are found
    model::threads(
        [&] {
          letter = 42;
          full.store(1, std::memory_order_release);
        },
        [&] {
          if (full.load(std::memory_order_acquire) == 1) model::require(letter == 42, "lost");
        });
  });
  EXPECT_TRUE(found.ok()) << found.text();
}

TEST(Mailbox, IsARace_WithARelaxedStore) {
  const model::report found = model::check("mailbox", [] {
    model::provider::atomic<int> full{0};
    model::provider::plain<int> letter{0};
    model::threads(
        [&] {
          letter = 42;
          full.store(1, std::memory_order_relaxed);
        },
        [&] {
          if (full.load(std::memory_order_acquire) == 1) model::require(letter == 42, "lost");
        });
  });
  EXPECT_FALSE(found.ok());
  EXPECT_EQ(found.what.find("data race: thread 2 reads what thread 1 writes"), 0U) << found.text();
  EXPECT_NE(found.trace.find("full.store relaxed = 1"), std::string::npos) << found.text();
  EXPECT_EQ(found.replay, "0 0 0 1 1 1 2 2");
}
