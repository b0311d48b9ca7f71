// fiber_local: each fiber and thread has its own, and it ends with them.
#include <support/fibers.hpp>

#include <ramie/job/job.hpp>
#include <ramie/scheduler/fiber_local.hpp>
#include <ramie/sync/semaphore.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::with_workers;

class FiberLocal : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, FiberLocal, ::testing::Values(1U, 2U, 4U));

TEST_P(FiberLocal, EachFiberHasItsOwn) {
  fiber_local<int> mine;
  fiber_local<std::string> text([] { return std::string("begin"); });
  EXPECT_EQ(mine.if_made(), nullptr);
  *mine = -1;
  run(chosen, [&] {
    counter done;
    for (int i = 1; i <= 100; ++i) {
      spawn_with_counter(done, [&, i] {
        EXPECT_EQ(mine.if_made(), nullptr);
        EXPECT_EQ(*mine, 0);
        *mine = i;
        text->append(std::to_string(i));
        ramie::yield();
        static_cast<void>(sleep_for(10us));
        EXPECT_EQ(*mine, i);
        EXPECT_EQ(*text, "begin" + std::to_string(i));
      });
    }
    wait_for_counter(done);
    EXPECT_EQ(mine.if_made(), nullptr);
  });
  EXPECT_EQ(*mine, -1);
}

TEST_P(FiberLocal, EndsBeforeTheJoin) {
  run(chosen, [] {
    static std::vector<std::string> ended;
    ended.clear();
    struct saying {
      std::string text;
      ~saying() {
        static_cast<void>(sleep_for(100us));  // destructors may wait
        ended.push_back(text);
      }
    };
    fiber_local<saying> first, second;
    spawn([&] {
      first->text = "first";
      second->text = "second";
    }).join();
    EXPECT_EQ(ended, (std::vector<std::string>{"second", "first"}));
  });
}

TEST_P(FiberLocal, EndsWithAJob) {
  run(chosen, [] {
    static std::atomic<int> alive = 0;
    struct counted {
      counted() { ++alive; }
      counted(const counted&) = delete;
      ~counted() {
        static_cast<void>(sleep_for(10us));
        --alive;
      }
    };
    fiber_local<counted> mine;
    auto root = job::create([&](job::context& here) {
      for (int i = 0; i < 100; ++i) {
        here.run_child([&] {
          EXPECT_EQ(mine.if_made(), nullptr);
          static_cast<void>(mine.get());
        });
      }
    });
    job::run(root);
    job::wait(root);
    EXPECT_TRUE(test::eventually_yielding("the values of the last job are gone", [&] { return alive == 0; }));
  });
}

TEST_P(FiberLocal, EndsWithAThread) {
  static std::atomic<int> ended = 0;
  ended = 0;
  struct counted {
    ~counted() { ++ended; }
  };
  fiber_local<counted> mine;
  std::thread([&] { static_cast<void>(mine.get()); }).join();
  EXPECT_EQ(ended, 1);
}

TEST_P(FiberLocal, ItsEndMayUseOthers) {
  run(chosen, [] {
    static std::atomic<int> ended = 0;
    ended = 0;
    struct other {
      ~other() { ++ended; }
    };
    static fiber_local<other>* last = nullptr;
    struct using_it {
      ~using_it() {
        static_cast<void>(last->get());
        ++ended;
      }
    };
    fiber_local<other> others;
    last = &others;
    fiber_local<using_it> users;
    spawn([&] { static_cast<void>(users.get()); }).join();
    EXPECT_EQ(ended, 2);
  });
}

TEST_P(FiberLocal, MayGoBeforeItsValues) {
  run(chosen, [] {
    static std::atomic<int> ended = 0;
    ended = 0;
    struct counted {
      int value = 1;
      ~counted() { ++ended; }
    };
    auto gone = std::make_unique<fiber_local<counted>>();
    auto user = spawn([&] {
      gone->get().value = 2;
      gone.reset();
      fiber_local<counted> next;  // with the number of the one before
      EXPECT_EQ(next.if_made(), nullptr);
      EXPECT_EQ(next->value, 1);
      EXPECT_EQ(ended, 0);
    });
    user.join();
    EXPECT_EQ(ended, 2);
  });
}

TEST_P(FiberLocal, AMakerThatThrowsIsAskedAgain) {
  run(chosen, [] {
    static int tries = 0;
    tries = 0;
    fiber_local<int> mine([]() -> int {
      if (++tries == 1) throw std::runtime_error("not yet");
      return 7;
    });
    EXPECT_THROW(static_cast<void>(mine.get()), std::runtime_error);
    EXPECT_EQ(*mine, 7);
    EXPECT_EQ(*mine, 7);
    EXPECT_EQ(tries, 2);
  });
}

}  // namespace
}  // namespace ramie
