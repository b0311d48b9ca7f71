// select: one of several things is done, and the others are not.
#include <support/fibers.hpp>

#include <ramie/base/futex_lock.hpp>
#include <ramie/base/random.hpp>
#include <ramie/sync/scope.hpp>
#include <ramie/sync/select.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::with_workers;
using enum channel_status;

using item = std::unique_ptr<int>;
item made(int value) { return std::make_unique<int>(value); }

class Select : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Select, ::testing::Values(1U, 2U, 4U));

TEST(SelectAtOnce, DoesWhatCanBeDone) {
  channel<item> full_one(1), empty_one(1), closed_one(1);
  EXPECT_EQ(full_one.send(made(1)), done);
  closed_one.close();
  item mine = made(2);
  std::optional<item> got;
  bool refused = false;
  // A receive from what holds something.
  EXPECT_EQ(select(on_receive(empty_one, got), on_receive(full_one, got)), 1U);
  EXPECT_EQ(**got, 1);
  // A send to where there is room.
  EXPECT_EQ(full_one.send(made(1)), done);
  EXPECT_EQ(select(on_send(full_one, std::move(mine), [](channel_status) {}),
                   on_send(empty_one, made(3), [](channel_status how) { EXPECT_EQ(how, done); })),
            1U);
  ASSERT_NE(mine, nullptr);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(**empty_one.receive(), 3);
  // What is closed is ready.
  EXPECT_EQ(select(on_receive(closed_one, got), on_receive(empty_one, got)), 0U);
  EXPECT_FALSE(got);
  EXPECT_EQ(select(on_send(closed_one, std::move(mine),
                           [&](channel_status how) {
                             EXPECT_EQ(how, closed);
                             refused = true;
                           }),
                   after(1h)),
            0U);
  EXPECT_TRUE(refused);
  ASSERT_NE(mine, nullptr);  // NOLINT(bugprone-use-after-move)
  // Nothing can be done.
  EXPECT_EQ(select(on_receive(empty_one, got), otherwise()), 1U);
  EXPECT_EQ(select(on_receive(empty_one, got), after(0s)), 1U);
  EXPECT_EQ(select(on_receive(empty_one, got), after(1ms)), 1U);  // on a thread
}

TEST(SelectAtOnce, ACopyIsSent) {
  channel<std::shared_ptr<int>> to(1);
  const auto mine = std::make_shared<int>(1);
  EXPECT_EQ(select(on_send(to, mine, [](channel_status) {})), 0U);
  EXPECT_EQ(mine.use_count(), 2);
  EXPECT_EQ(select(on_send(to, mine, [](channel_status) {}), otherwise()), 1U);
  EXPECT_EQ(mine.use_count(), 2);
}

TEST(SelectAtOnce, IsFair) {
  channel<int> left(1), right(1);
  std::array<int, 2> chosen{};
  for (int i = 0; i < 2000; ++i) {
    static_cast<void>(left.try_send(1));
    static_cast<void>(right.try_send(1));
    std::optional<int> got;
    ++chosen.at(select(on_receive(left, got), on_receive(right, got)));
  }
  EXPECT_GT(chosen[0], 800);  // 10 standard deviations are 224
  EXPECT_GT(chosen[1], 800);
}

TEST_P(Select, WaitsForEachKindOfClause) {
  run(chosen, [] {
    channel<item> receives, sends;
    counting_semaphore<> permits(0);
    counter counted(1);
    std::stop_source stop;
    binary_semaphore ends(0);
    auto joined = spawn([&] { ends.acquire(); });
    std::vector<int> order;
    item mine = made(7);
    const auto one = [&] {
      return select(on_receive(receives, [&](std::optional<item> got) { order.push_back(**got); }),
                    on_send(sends, std::move(mine), [&](channel_status how) { EXPECT_EQ(how, done); }),
                    on_acquire(permits, [&] { order.push_back(2); }),
                    on_counter(counted, 0, [&] { order.push_back(3); }), on_join(joined, [&] { order.push_back(4); }),
                    on_stop(stop.get_token(), [&] { order.push_back(5); }), after(1h, [&] { order.push_back(6); }));
    };
    auto first = spawn(one);
    yield();
    EXPECT_EQ(receives.send(made(0)), done);
    EXPECT_EQ(first.join(), 0U);
    ASSERT_NE(mine, nullptr);
    auto third = spawn(one);
    yield();
    permits.release();
    EXPECT_EQ(third.join(), 2U);
    EXPECT_FALSE(permits.try_acquire());
    auto fourth = spawn(one);
    yield();
    counted.decrement();
    EXPECT_EQ(fourth.join(), 3U);
    counted.add();
    auto fifth = spawn(one);
    yield();
    ends.release();
    EXPECT_EQ(fifth.join(), 4U);
    joined.join();
    joined = spawn([&] { ends.acquire(); });
    auto sixth = spawn(one);
    yield();
    stop.request_stop();
    EXPECT_EQ(sixth.join(), 5U);
    stop = std::stop_source();
    ASSERT_NE(mine, nullptr);
    auto second = spawn(one);
    EXPECT_EQ(**sends.receive(), 7);
    EXPECT_EQ(second.join(), 1U);
    EXPECT_EQ(mine, nullptr);
    EXPECT_EQ(order, (std::vector<int>{0, 2, 3, 4, 5}));
    ends.release();
    joined.join();
  });
}

TEST_P(Select, TheFirstDeadlineCounts) {
  run(chosen, [] {
    channel<int> never;
    std::optional<int> got;
    EXPECT_EQ(select(after(1h), after(1ms), on_receive(never, got)), 1U);
    EXPECT_EQ(select(after(1ms), after(1h), on_receive(never, got)), 0U);
    EXPECT_EQ(select(after(1h), after(std::chrono::steady_clock::now() - 1s)), 1U);
  });
}

TEST_P(Select, DoesNotMeetItself) {
  run(chosen, [] {
    channel<item> of;
    item mine = made(1);
    std::optional<item> got;
    EXPECT_EQ(select(on_receive(of, got), on_send(of, std::move(mine), [](channel_status) {}), after(1ms)), 2U);
    ASSERT_NE(mine, nullptr);  // NOLINT(bugprone-use-after-move)
    // Another one meets either side of it.
    for (int i = 0; i < 100; ++i) {
      if (mine == nullptr) mine = made(i);  // NOLINT(bugprone-use-after-move)
      auto both =
          spawn([&] { return select(on_receive(of, got), on_send(of, std::move(mine), [](channel_status) {})); });
      if (i % 2 == 0) {
        EXPECT_EQ(of.send(made(5)), done);
        EXPECT_EQ(both.join(), 0U);
        EXPECT_EQ(**got, 5);
        EXPECT_NE(mine, nullptr);
      } else {
        EXPECT_TRUE(of.receive());
        EXPECT_EQ(both.join(), 1U);
        EXPECT_EQ(mine, nullptr);
      }
    }
  });
}

TEST_P(Select, CloseEndsIt) {
  run(chosen, [] {
    for (int i = 0; i < 100; ++i) {
      channel<item> of, other;
      std::optional<item> got;
      item mine = made(1);
      auto waiter = spawn([&, i] {
        if (i % 2 == 0) return select(on_receive(other, got), on_receive(of, got));
        return select(on_receive(other, got),
                      on_send(of, std::move(mine), [](channel_status how) { EXPECT_EQ(how, closed); }));
      });
      if (i % 4 > 1) yield();
      of.close();
      EXPECT_EQ(waiter.join(), 1U);
      EXPECT_FALSE(got);
      EXPECT_NE(mine, nullptr);
    }
  });
}

TEST_P(Select, WhatAHandlerThrowsLeavesIt) {
  run(chosen, [] {
    channel<int> of(1);
    EXPECT_EQ(of.send(1), done);
    EXPECT_THROW(select(on_receive(of, [](std::optional<int>) { throw std::runtime_error("no"); })),
                 std::runtime_error);
    EXPECT_EQ(of.size(), 0U);
  });
}

// An object of somebody's own: a bell that rings once, for one who waits.
class bell {
 public:
  void ring() {
    detail::wait_record<work_item>* waiting = nullptr;
    {
      const std::lock_guard guard(m_lock);
      m_rung = true;
      if (m_waiting != nullptr && m_waiting->claim(wake_reason::woken)) waiting = m_waiting;
      m_waiting = nullptr;
    }
    if (waiting == nullptr) return;
    if (work_item* const sleeper = waiting->finish()) wake(*sleeper);
  }

  class clause {
   public:
    static constexpr bool is_exact = false;
    static constexpr bool is_otherwise = false;
    explicit clause(bell& of) : m_of(of) {}
    bool try_now() {
      const std::lock_guard guard(m_of.m_lock);
      return m_of.m_rung;
    }
    bool enqueue(detail::wait_record<work_item>& of) {
      const std::lock_guard guard(m_of.m_lock);
      if (!m_of.m_rung) m_of.m_waiting = &of;
      if (m_of.m_rung && of.claim(wake_reason::woken)) static_cast<void>(of.finish());
      return !m_of.m_rung;
    }
    void withdraw() {
      const std::lock_guard guard(m_of.m_lock);
      m_of.m_waiting = nullptr;
    }
    bool is_chosen() { return try_now(); }
    void run() {}
    static const wait_limits* limits() { return nullptr; }

   private:
    bell& m_of;
  };

 private:
  futex_lock<> m_lock;
  bool m_rung = false;
  detail::wait_record<work_item>* m_waiting = nullptr;
};

TEST_P(Select, TakesClausesOfOtherObjects) {
  run(chosen, [] {
    channel<int> never;
    std::optional<int> got;
    for (int i = 0; i < 100; ++i) {
      bell of;
      EXPECT_EQ(select(on_receive(never, got), bell::clause(of), otherwise()), 2U);
      auto waiter = spawn([&] { return select(on_receive(never, got), bell::clause(of)); });
      if (i % 2 == 0) yield();
      of.ring();
      EXPECT_EQ(waiter.join(), 1U);
    }
  });
}

// Nobody wakes anybody but the one that a message is for, and the end wakes all.
TEST_P(Select, AThousandShareAStopChannel) {
  struct wakes_counted : observer {
    void woken(std::uint64_t /*fiber*/, std::uint64_t /*waker*/) noexcept override { ++wakes; }
    std::atomic<int> wakes{0};
  } seen;
  chosen.events = &seen;
  static constexpr int many = 1000, rounds = 10;
  run(chosen, [] {
    channel<int> stop;
    std::vector<std::unique_ptr<channel<int>>> own;
    std::vector<join_handle<int>> all;
    for (int i = 0; i < many; ++i) own.push_back(std::make_unique<channel<int>>());
    for (int i = 0; i < many; ++i) {
      all.push_back(spawn([&, i] {
        int messages = 0;
        for (;;) {
          std::optional<int> got;
          if (select(on_receive(*own[static_cast<std::size_t>(i)], got), on_receive(stop, got)) == 1) return messages;
          ++messages;
        }
      }));
    }
    for (int round = 0; round < rounds; ++round) {
      for (auto& each : own) EXPECT_EQ(each->send(round), done);
    }
    stop.close();
    for (auto& each : all) EXPECT_EQ(each.join(), rounds);
  });
  // A message wakes its receiver or its sender; a stop, and a join, one each.
  EXPECT_LE(seen.wakes.load(), many * (rounds + 2));
}

// Selects of both sides against selects of both sides, plain calls, threads, timeouts and a close: each item is with
// one party.
TEST_P(Select, StressOfAllSides_EachItemIsWithOneParty) {
  for (const std::uint64_t seed : test::seeds(4)) {
    for (const std::size_t capacity : {0U, 2U}) {
      constexpr int parties = 6, rounds = 200, numbers = (parties + 1) * rounds;
      std::array<std::unique_ptr<channel<item>>, 3> of;
      for (auto& each : of) each = std::make_unique<channel<item>>(capacity);
      std::vector<std::atomic<int>> places(numbers);
      std::atomic<int> faults{0}, left{parties + 1};
      const auto move_to = [&](int where, int number) {
        int nowhere = 0;
        if (!places[static_cast<std::size_t>(number)].compare_exchange_strong(nowhere, where)) ++faults;
      };
      const auto take = [&](std::optional<item>&& got) {
        if (got) *got != nullptr ? move_to(1, **got) : static_cast<void>(++faults);
      };
      const auto party = [&](int who) {
        random_source random(seed * 100 + static_cast<std::uint64_t>(who));
        for (int i = 0; i < rounds; ++i) {
          const int number = who * rounds + i;
          item mine = made(number);
          bool sent = false;
          const auto note = [&](channel_status how) { sent = how == done; };
          auto& a = *of[random.below(3)];
          auto& b = *of[random.below(3)];
          auto& c = *of[random.below(3)];
          switch (random.below(5)) {
            case 0: select(on_send(a, std::move(mine), note), on_receive(b, take), after(1ms)); break;
            case 1:
              select(on_receive(a, take), on_send(b, std::move(mine), note), on_receive(c, take),
                     after(std::chrono::microseconds(random.below(300))));
              break;
            case 2: select(on_send(a, std::move(mine), note), otherwise()); break;
            case 3: note(a.send(std::move(mine), 1ms)); break;
            default: take(a.receive(1ms)); break;
          }
          if (sent == (mine != nullptr)) ++faults;  // NOLINT(bugprone-use-after-move): that is the question
          if (!sent && mine != nullptr) move_to(2, number);
        }
        --left;
      };
      std::thread outside([&] { party(parties); });
      run(chosen, [&] {
        counter ended;
        for (int i = 0; i < parties; ++i) spawn_with_counter(ended, [&, i] { party(i); });
        if (seed % 2 == 0) {
          sleep_for(2ms);
          of[0]->close();
        }
        wait_for_counter(ended);
        EXPECT_TRUE(test::eventually_yielding("the thread ends", [&] { return left.load() == 0; }));
      });
      outside.join();
      for (auto& each : of) {
        each->close();
        for (item& rest : *each) move_to(3, *rest);
      }
      EXPECT_EQ(faults.load(), 0) << "seed " << seed;
      for (int i = 0; i < numbers; ++i) {
        ASSERT_NE(places[static_cast<std::size_t>(i)].load(), 0) << "item " << i << " is nowhere, seed " << seed;
      }
    }
  }
}

// A select that is shielded, and was begun before its scope was cancelled, begins a second time. By then other clauses
// can be done than those that it armed the first time.
TEST_P(Select, InAFunctionThatThrowsNothing_BeginsAgain) {
  run(chosen, [] {
    for (int round = 0; round < 40; ++round) {  // each order of the clauses
      struct waiting {
        channel<int> numbers{1};
        counter left{1};
        binary_semaphore end{0};
        join_handle<void> other;
        std::size_t wait() noexcept {
          return select(on_counter(left, 0), on_receive(numbers, [](std::optional<int>) {}), on_join(other));
        }
      } of;
      of.other = spawn([&] { of.end.acquire(); });
      with_scope([&](scope& s) {
        auto chosen_clause = s.spawn([&] { return of.wait(); });
        const shield here;
        for (int i = 0; i < 3; ++i) yield();
        s.request_stop();
        of.left.decrement();
        of.left.add();
        if (round % 2 == 0) static_cast<void>(of.numbers.try_send(1));
        for (int i = 0; i < 3; ++i) yield();
        if (round % 2 != 0) static_cast<void>(of.numbers.try_send(1));
        ASSERT_EQ(chosen_clause.wait(60s), wake_reason::woken);
        EXPECT_LE(chosen_clause.join(), 1U);
      });
      of.end.release();
      of.other.join();
    }
  });
}

}  // namespace
}  // namespace ramie
