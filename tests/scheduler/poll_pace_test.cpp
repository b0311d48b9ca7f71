
#include <ramie/base/random.hpp>

#include "scheduler/poll_pace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace ramie::detail {
namespace {

// A worker that runs pieces of given lengths, by a clock of the test's own.
struct simulated {
  poll_pace pace;
  std::uint64_t now = 1'000'000;
  std::uint64_t polled_at = now;
  std::uint32_t pieces = 0;  // since the last poll

  explicit simulated(std::uint64_t length = 0) {  // of the pieces before the first poll
    while (!run(length)) {
    }
  }

  // True: there was a poll before the piece.
  bool run(std::uint64_t length) {
    const bool due = pace.due();
    if (due) {
      pace.polls(now);
      polled_at = now;
      pieces = 0;
    }
    ++pieces;
    now += length;
    return due;
  }
  // To the next poll: how many pieces, and how long.
  std::pair<std::uint32_t, std::uint64_t> interval(std::uint64_t length) {
    const std::uint64_t since = polled_at;
    std::uint32_t before = pieces;
    while (!run(length)) before = pieces;
    return {before, polled_at - since};
  }
};

const std::uint64_t microsecond = ticks_a_microsecond();

TEST(PollInterval, BetweenPiecesOfOneLength_IsBoundedInNumberAndTime) {
  for (std::uint64_t length = 1; length < 1'000'000 * microsecond; length += 1 + length / 3) {
    simulated worker(length);
    for (int poll = 0; poll < 200; ++poll) {
      const auto [pieces, time] = worker.interval(length);
      EXPECT_LE(pieces, poll_pace::longest);
      EXPECT_GE(pieces, poll_pace::shortest);
      EXPECT_LE(time, std::max(poll_pace::aim(), poll_pace::shortest * length)) << length;
    }
  }
}

TEST(PollInterval, BetweenShortPieces_IsTheLongest) {
  simulated worker;
  for (int poll = 0; poll < 5; ++poll) worker.interval(microsecond);
  for (int poll = 0; poll < 10; ++poll) EXPECT_EQ(worker.interval(microsecond).first, poll_pace::longest);
}

TEST(PollInterval, WherePiecesBecomeLong_IsLateOnce) {
  simulated worker;
  for (int poll = 0; poll < 10; ++poll) worker.interval(1);
  EXPECT_EQ(worker.interval(1000 * microsecond).first, poll_pace::longest);
  for (int poll = 0; poll < 10; ++poll) EXPECT_EQ(worker.interval(1000 * microsecond).first, poll_pace::shortest);
}

TEST(PollInterval, OfAnyPieces_IsBoundedInNumber) {
  random_source random(1);
  simulated worker;
  for (int poll = 0; poll < 10'000; ++poll) {
    const std::uint64_t length = std::uint64_t{1} << random.below(32);
    const std::uint32_t pieces = worker.interval(length).first;
    ASSERT_LE(pieces, poll_pace::longest);
    ASSERT_GE(pieces, poll_pace::shortest);
  }
}

// However many of the pieces since the last poll were long.
TEST(PollInterval, AfterAnyLongPiece_IsTheShortest) {
  for (std::uint32_t short_ones = 0; short_ones < poll_pace::longest; ++short_ones) {
    simulated worker;
    for (int poll = 0; poll < 10; ++poll) worker.interval(1);
    for (std::uint32_t i = 0; i < short_ones; ++i) worker.run(1);
    worker.run(1000 * microsecond);
    while (!worker.run(1000 * microsecond)) {
    }
    EXPECT_EQ(worker.interval(1000 * microsecond).first, poll_pace::shortest) << short_ones;
  }
}

TEST(PollInterval, AClockThatGoesBack_MeansASoonPoll) {
  simulated worker;
  for (int poll = 0; poll < 10; ++poll) worker.interval(1);
  while (!worker.pace.due()) {
  }
  worker.pace.polls(0);
  EXPECT_EQ(worker.pace.interval(), poll_pace::shortest);
}

TEST(PollInterval, AfterASearch_IsTheShortest) {
  simulated worker;
  for (int poll = 0; poll < 10; ++poll) worker.interval(1);
  worker.pace.begin_again();
  worker.run(1000 * microsecond);
  EXPECT_TRUE(worker.run(1000 * microsecond));
}

TEST(Poll, ThatIsPutOff_ComesAtTheNextChoice) {
  poll_pace pace;
  while (!pace.due()) {
  }
  pace.put_off();
  EXPECT_FALSE(pace.just_polled());
  EXPECT_TRUE(pace.due());
  pace.polls(0);
  EXPECT_TRUE(pace.just_polled());
}

}  // namespace
}  // namespace ramie::detail
