// RAMIE_MODEL_REPLAY: what a failure's text prints leads to that failure again.
#include <model/litmus.hpp>

#include <cstdlib>

namespace ramie::model {
namespace {

class replaying {
 public:
  explicit replaying(const std::string& steps) { ::setenv("RAMIE_MODEL_REPLAY", steps.c_str(), 1); }
  ~replaying() { ::unsetenv("RAMIE_MODEL_REPLAY"); }
  replaying(const replaying&) = delete;
  replaying& operator=(const replaying&) = delete;
};

report again(const std::string& steps, const std::function<void()>& body, const limits& within = {}) {
  const replaying set(steps);
  return explore("again", body, within);
}

void unsent_message() {
  atomic<int> ready{0}, message{0};
  threads(
      [&] {
        message.store(1, relaxed);
        ready.store(1, relaxed);
      },
      [&] {
        if (ready.load(acquire) == 1) require(message.load(relaxed) == 1, "sent");
      });
}

void writes_out_of_order() {
  cells at;
  threads(
      [&] {
        at.x.store(1, relaxed);
        at.y.store(2, relaxed);
      },
      [&] {
        at.y.store(1, relaxed);
        at.x.store(2, relaxed);
      });
  require(at.x.load(relaxed) != 1 || at.y.load(relaxed) != 1, "one of the second stores is last");
}

void lost_update() {
  cells at;
  const auto add = [&] {
    if (choose(3) != 1) {
      at.x.fetch_add(1, relaxed);
    } else {
      at.x.store(at.x.load(relaxed) + 1, relaxed);
    }
  };
  threads(add, add);
  require(at.x.load(relaxed) == 2, "both have counted");
}

// The thread that runs first decides which of the two accesses is the second.
void race_at_the_beginning() {
  atomic<int> unlocked{0};
  plain<int> cell{0};
  threads(
      [&] {
        unlocked.store(choose(2) == 0 ? 1 : 2, relaxed);
        cell = 1;
      },
      [&] {
        static_cast<void>(cell.read());
        static_cast<void>(unlocked.load(relaxed));
      });
}

void lost_wake_up() {
  atomic<std::uint32_t> ready{0};
  threads(
      [&] {
        while (ready.load(acquire) == 0) provider::futex_wait(ready, 0);
      },
      [&] {
        provider::futex_wake(ready, 1);
        ready.store(1, release);
      });
}

void lock_that_is_kept() {
  atomic<int> lock{0};
  const auto take = [&] {
    while (lock.exchange(1, acquire) == 1) provider::pause();
  };
  threads(take, take, [&] {
    take();
    lock.store(0, release);
  });
}

// One waits for what has been there, and is old now.
void waits_for_an_old_value() {
  cells at;
  threads(
      [&] {
        at.x.store(1, relaxed);
        at.x.store(0, relaxed);
        at.y.store(1, relaxed);
      },
      [&] {
        const int flag = at.y.load(relaxed);
        machine::current().load(at.x.location(), relaxed, where::current(), predicate{predicate::test::equal, 1});
        require(flag == 0, "the flag is not up yet");
      });
}

void used_after_destruction() {
  atomic<int> done{0};
  auto* const shared = new atomic<int>(0);
  threads([=] { shared->store(1, relaxed); },
          [=, &done] {
            done.store(1, release);
            if (choose(2) == 1) delete shared;
          });
}

void weak_failure() {
  cells at;
  int expected = 0;
  require(at.x.compare_exchange_weak(expected, 1, relaxed, relaxed), "has succeeded");
}

void endless() {
  cells at;
  threads([&] { at.y.store(1, relaxed); },
          [&] {
            while (at.x.load(relaxed) == 0) {
            }
          });
}

TEST(Replay, LeadsToTheSameFailure) {
  const std::vector<std::function<void()>> bodies = {unsent_message,
                                                     writes_out_of_order,
                                                     lost_update,
                                                     race_at_the_beginning,
                                                     lost_wake_up,
                                                     lock_that_is_kept,
                                                     waits_for_an_old_value,
                                                     used_after_destruction,
                                                     weak_failure,
                                                     endless};
  for (const search how : {search::exhaustive, search::bounded, search::walks}) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const limits within{.how = how, .steps = 50, .spurious_failures = 1};
      const report found = explore("first", bodies[i], within);
      ASSERT_TRUE(found.failed) << "body " << i;
      const report repeated = again(found.replay, bodies[i], within);
      EXPECT_TRUE(repeated.failed) << found.text();
      EXPECT_EQ(repeated.what, found.what) << found.text() << repeated.text();
      EXPECT_EQ(repeated.trace.substr(repeated.trace.rfind("thread ")),
                found.trace.substr(found.trace.rfind("thread ")));
    }
  }
}

// The walk's own events, in its own order. (An exhaustive search also shows who waits, as an event.)
TEST(Replay, OfWalk_HasTheSameTrace) {
  const limits within{.how = search::walks};
  for (const auto& body : {unsent_message, writes_out_of_order, lost_update, race_at_the_beginning}) {
    const report found = explore("first", body, within);
    const report repeated = again(found.replay, body, within);
    EXPECT_EQ(repeated.trace, found.trace);
    EXPECT_EQ(repeated.replay, found.replay);
  }
}

TEST(Replay, OfWhatIsNoStep_SaysSo) {
  for (const char* const steps : {"x", "0 0 zero", "-1", "8", "99999999999999999999", "1<", "1<2", "1<2.", "1<2.x",
                                  "1>2.7x", "1=", "1=-1", "1?2", "1<2.99999", "0,1", "1<-1"}) {
    const report found = again(steps, unsent_message);
    EXPECT_TRUE(found.failed);
    EXPECT_EQ(found.what.find("RAMIE_MODEL_REPLAY: '"), 0U) << found.what;
    EXPECT_NE(found.what.find("is no step"), std::string::npos) << found.what;
  }
}

TEST(Replay, OfStepsThatDoNotFit_SaysSo) {
  for (const char* const steps :
       {"0 0 0 0 0 7", "0 0 0 0 1 2 1<2.700", "0 0 0 0 0 0 0 0", "0 0 0 0 1 1>6.1 1 1", "0 0 0 0 2 2<1.2"}) {
    const report found = again(steps, unsent_message);
    EXPECT_TRUE(found.failed);
    EXPECT_NE(found.what.find("cannot be taken"), std::string::npos) << steps << "\n" << found.text();
  }
  EXPECT_NE(again("0 0=5", [] { static_cast<void>(choose(3)); }).what.find("cannot be taken"), std::string::npos);
}

TEST(Replay, ThatEndsEarly_SaysSo) {
  const report found = again("0 0 0 0 1", unsent_message);
  EXPECT_TRUE(found.failed);
  EXPECT_NE(found.what.find("the steps end before the check does"), std::string::npos) << found.text();
}

TEST(Replay, OfWhatDoesNotFailAnyMore_IsFine) {
  const auto run = [](bool careful) {
    return [=] {
      cells at;
      threads([&] { at.x.store(1, relaxed); });
      require(careful, "careful");
    };
  };
  const report found = explore("first", run(false));
  ASSERT_TRUE(found.failed);
  const report repeated = again(found.replay + " 0 0 0 0", run(true));
  EXPECT_TRUE(repeated.ok()) << repeated.text();
  EXPECT_EQ(repeated.complete, 1U);
}

}  // namespace
}  // namespace ramie::model
