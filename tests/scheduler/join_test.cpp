// spawn, join and detach.
#include <support/fibers.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ramie {
namespace {

using test::message_of;
using test::with_workers;

class Join : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Join, ::testing::Values(1U, 2U, 4U));

TEST_P(Join, GivesTheResult_WhetherTheFiberHasEndedOrNot) {
  run(chosen, [] {
    auto early = spawn([] { return 1; });
    while (!early.done()) yield();
    EXPECT_TRUE(early.joinable());
    EXPECT_EQ(early.join(), 1);
    EXPECT_FALSE(early.joinable());
    auto late = spawn([] {
      for (int i = 0; i < 100; ++i) yield();
      return 2;
    });
    EXPECT_EQ(late.join(), 2);
  });
}

TEST_P(Join, GivesEveryResult_InAnyOrder) {
  run(chosen, [] {
    std::vector<join_handle<int>> handles;
    for (int i = 0; i < 500; ++i) {
      handles.push_back(spawn([i] {
        for (int j = i % 5; j > 0; --j) yield();
        return i;
      }));
    }
    for (int i = 499; i >= 0; --i) EXPECT_EQ(handles[static_cast<std::size_t>(i)].join(), i);
  });
}

TEST_P(Join, ThrowsWhatTheFiberThrew) {
  run(chosen, [] {
    auto fails = spawn([]() -> int {
      yield();
      throw std::out_of_range("no such thing");
    });
    EXPECT_EQ(message_of<std::out_of_range>([&] { static_cast<void>(fails.join()); }), "no such thing");
    EXPECT_FALSE(fails.joinable());
    auto odd = spawn([] { throw 17; });
    EXPECT_THROW(odd.join(), int);
  });
}

TEST_P(Join, OfATreeOfFibers) {
  struct tree {
    static int leaves(int depth) {
      if (depth == 0) return 1;
      auto left = spawn([=] { return leaves(depth - 1); });
      auto right = spawn([=] { return leaves(depth - 1); });
      return left.join() + right.join();
    }
  };
  EXPECT_EQ(run(chosen, [] { return tree::leaves(9); }), 512);
}

TEST_P(Join, SeesWhatTheFiberWrote) {
  run(chosen, [] {
    for (int round = 0; round < 200; ++round) {
      std::array<int, 16> plain{};
      auto writer = spawn([&] { std::iota(plain.begin(), plain.end(), round); });
      writer.join();
      EXPECT_EQ(plain[15], round + 15);
      plain.fill(0);  // and the writer is gone
    }
  });
}

TEST_P(Join, ReferencesVoidAndMoveOnlyResults) {
  run(chosen, [] {
    int variable = 3;
    auto reference = spawn([&]() -> int& { return variable; });
    reference.join() = 4;
    EXPECT_EQ(variable, 4);
    auto nothing = spawn([&] { variable = 5; });
    nothing.join();
    EXPECT_EQ(variable, 5);
    auto moved = spawn([] { return std::make_unique<std::string>("moved"); });
    EXPECT_EQ(*moved.join(), "moved");
  });
}

TEST_P(Join, MoveOnlyClosures) {
  run(chosen, [] {
    auto holds = spawn([owned = std::make_unique<int>(9)] { return *owned; });
    EXPECT_EQ(holds.join(), 9);
    auto gives = spawn([owned = std::make_unique<int>(10)]() mutable { return std::move(owned); });
    EXPECT_EQ(*gives.join(), 10);
  });
}

TEST_P(Join, LargeAndAlignedClosures) {
  struct alignas(64) wide {
    std::array<int, 100> values{};
  };
  run(chosen, [] {
    wide given;
    given.values[99] = 5;
    auto fiber = spawn([given] {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&given) % 64, 0U);
      wide result = given;
      ++result.values[99];
      return result;
    });
    EXPECT_EQ(fiber.join().values[99], 6);
  });
}

// Shared ownership tells how many copies are alive.
TEST_P(Join, WhatWasCapturedIsDestroyedBeforeTheJoinReturns) {
  run(chosen, [] {
    for (int round = 0; round < 100; ++round) {
      const auto shared = std::make_shared<int>(round);
      auto plain = spawn([shared] { yield(); });
      plain.join();
      EXPECT_EQ(shared.use_count(), 1);
      auto throws = spawn([shared] { throw 1; });
      EXPECT_THROW(throws.join(), int);
      EXPECT_EQ(shared.use_count(), 1);
      auto returns = spawn([shared] { return shared; });
      const auto back = returns.join();
      EXPECT_EQ(shared.use_count(), 2);
    }
  });
}

TEST_P(Join, HandlesMove) {
  run(chosen, [] {
    join_handle<int> none;
    EXPECT_FALSE(none.joinable());
    EXPECT_EQ(none.id(), 0U);
    auto first = spawn(spawn_options{.name = "moved"}, [] { return 1; });
    const std::uint64_t id = first.id();
    join_handle<int> second = std::move(first);
    EXPECT_FALSE(first.joinable());
    none = std::move(second);
    EXPECT_EQ(none.id(), id);
    EXPECT_EQ(none.name(), "moved");
    EXPECT_EQ(none.join(), 1);
  });
}

TEST_P(Join, AReleasedHandle_IsTakenUpAgain) {
  run(chosen, [] {
    join_handle<int> none;
    EXPECT_EQ(none.release(), nullptr);
    auto first = spawn([] { return 7; });
    const std::uint64_t id = first.id();
    detail::task_with_result<int>* const released = first.release();
    EXPECT_FALSE(first.joinable());
    ASSERT_NE(released, nullptr);
    join_handle<int> again(*released);
    EXPECT_EQ(again.id(), id);
    EXPECT_EQ(again.join(), 7);
  });
}

TEST_P(Join, OfAFiberByAnotherThanItsSpawner) {
  run(chosen, [] {
    auto slow = spawn([] {
      for (int i = 0; i < 50; ++i) yield();
      return 8;
    });
    auto joiner = spawn([taken = std::move(slow)]() mutable { return taken.join() + 1; });
    EXPECT_EQ(joiner.join(), 9);
  });
}

TEST_P(Join, DetachedFibersRun_AndTheirResultsAreDestroyed) {
  const auto shared = std::make_shared<int>(0);
  std::atomic<int> ran{0};
  run(chosen, [&] {
    for (int i = 0; i < 100; ++i) {
      spawn([shared, &ran] {
        yield();
        ++ran;
        return shared;
      }).detach();
    }
    auto ended = spawn([shared] { return shared; });
    while (!ended.done()) yield();
    ended.detach();
  });
  EXPECT_EQ(ran, 100);
  EXPECT_EQ(shared.use_count(), 1);
}

// The closure's and the result's destructors are the user's code: they may switch.
TEST_P(Join, DestructorsMayYield) {
  struct yields_at_end {
    std::atomic<int>* ended;
    explicit yields_at_end(std::atomic<int>& count) : ended(&count) {}
    yields_at_end(yields_at_end&& other) noexcept : ended(std::exchange(other.ended, nullptr)) {}
    ~yields_at_end() {
      if (ended == nullptr) return;
      for (int i = 0; i < 5; ++i) yield();
      ++*ended;
    }
  };
  std::atomic<int> ended{0};
  run(chosen, [&] {
    for (int i = 0; i < 50; ++i) {
      spawn([captured = yields_at_end(ended), &ended] { return yields_at_end(ended); }).detach();
      auto joined = spawn([captured = yields_at_end(ended)] {});
      joined.join();
    }
  });
  EXPECT_EQ(ended, 150);
}

// As a vector of handles does that grows while one of them is joined.
TEST(JoinHandle, MayBeMovedWhileItIsJoined) {
  ramie::run(with_workers(1), [] {
    bool may_end = false;
    auto handle = std::make_unique<join_handle<int>>(spawn([&] {
      while (!may_end) yield();
      return 7;
    }));
    bool joins = false;
    auto joiner = spawn([&] {
      joins = true;
      return handle->join();
    });
    while (!joins) yield();
    EXPECT_FALSE(handle->joinable());
    auto elsewhere = std::make_unique<join_handle<int>>(std::move(*handle));
    handle.reset();
    may_end = true;
    EXPECT_EQ(joiner.join(), 7);
    EXPECT_FALSE(elsewhere->joinable());
    if (elsewhere->joinable()) static_cast<void>(elsewhere->release());
  });
}

}  // namespace
}  // namespace ramie
