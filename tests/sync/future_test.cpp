// future, shared_future, promise, packaged_task, async: as the standard has them, between fibers and threads.
#include <support/fibers.hpp>
#include <support/scarce_backend.hpp>
#include <support/tracked.hpp>
#include <support/watchdog.hpp>

#include <ramie/sync/async.hpp>
#include <ramie/sync/packaged_task.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::with_workers;

class Futures : public ::testing::TestWithParam<unsigned> {
 protected:
  options chosen = with_workers(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Workers, Futures, ::testing::Values(1U, 4U));

// The error that a call throws; future_errc(0) if it throws none.
template <class Call>
future_errc error_of(Call&& call) {
  try {
    call();
  } catch (const future_error& error) {
    EXPECT_EQ(&error.code().category(), &future_category());
    return static_cast<future_errc>(error.code().value());
  }
  return future_errc(0);
}

struct thrower {
  thrower() = default;
  thrower(const thrower&) { throw std::runtime_error("copied"); }
  thrower(thrower&&) = default;
};

// ---- Promises ----

TEST(Promise, GivesOneFutureOneValue) {
  promise<int> giver;
  future<int> receiver = giver.get_future();
  EXPECT_TRUE(receiver.valid());
  EXPECT_EQ(error_of([&] { static_cast<void>(giver.get_future()); }), future_errc::future_already_retrieved);
  EXPECT_EQ(receiver.wait_for(0s), future_status::timeout);
  giver.set_value(42);
  EXPECT_EQ(error_of([&] { giver.set_value(43); }), future_errc::promise_already_satisfied);
  EXPECT_EQ(error_of([&] { giver.set_exception(std::make_exception_ptr(1)); }), future_errc::promise_already_satisfied);
  EXPECT_EQ(receiver.wait_for(0s), future_status::ready);
  EXPECT_EQ(receiver.wait_until(std::chrono::system_clock::now()), future_status::ready);
  EXPECT_EQ(receiver.get(), 42);
  EXPECT_FALSE(receiver.valid());
  EXPECT_EQ(error_of([&] { receiver.get(); }), future_errc::no_state);
  EXPECT_EQ(error_of([&] { receiver.wait(); }), future_errc::no_state);
  EXPECT_EQ(error_of([&] { static_cast<void>(receiver.wait_for(1s)); }), future_errc::no_state);
}

TEST(Promise, GivesAnException) {
  promise<int> giver;
  future<int> receiver = giver.get_future();
  giver.set_exception(std::make_exception_ptr(std::runtime_error("no answer")));
  EXPECT_EQ(error_of([&] { giver.set_value(43); }), future_errc::promise_already_satisfied);
  receiver.wait();
  EXPECT_TRUE(receiver.valid());
  EXPECT_THROW(receiver.get(), std::runtime_error);
  EXPECT_FALSE(receiver.valid());
}

TEST(Promise, MayGiveBeforeItIsAsked) {
  promise<std::string> giver;
  giver.set_value("early");
  EXPECT_EQ(giver.get_future().get(), "early");
}

TEST(Promise, IsBrokenWithoutAValue) {
  future<int> receiver;
  {
    promise<int> giver;
    receiver = giver.get_future();
  }
  EXPECT_EQ(receiver.wait_for(0s), future_status::ready);
  EXPECT_EQ(error_of([&] { receiver.get(); }), future_errc::broken_promise);

  promise<int> giver;
  receiver = giver.get_future();
  giver = promise<int>();
  EXPECT_EQ(error_of([&] { receiver.get(); }), future_errc::broken_promise);

  {
    promise<int> without_a_future;
  }
  {
    promise<int> satisfied;
    receiver = satisfied.get_future();
    satisfied.set_value(1);
  }
  EXPECT_EQ(receiver.get(), 1);
}

TEST(Promise, Moves_AndSwaps) {
  promise<int> first, second;
  future<int> of_first = first.get_future();
  promise<int> moved(std::move(first));
  EXPECT_EQ(error_of([&] { first.set_value(1); }), future_errc::no_state);
  EXPECT_EQ(error_of([&] { static_cast<void>(first.get_future()); }), future_errc::no_state);
  swap(moved, second);
  EXPECT_EQ(error_of([&] { static_cast<void>(second.get_future()); }), future_errc::future_already_retrieved);
  second.set_value(7);
  EXPECT_EQ(of_first.get(), 7);
  EXPECT_TRUE(moved.get_future().valid());
  static_assert(!std::is_copy_constructible_v<promise<int>> && !std::is_copy_assignable_v<promise<int>>);
  static_assert(!std::is_copy_constructible_v<future<int>> && !std::is_copy_assignable_v<future<int>>);
  static_assert(std::is_copy_constructible_v<shared_future<int>> && std::is_copy_assignable_v<shared_future<int>>);
  static_assert(std::is_nothrow_move_constructible_v<future<int>> &&
                std::is_nothrow_move_constructible_v<promise<int>>);
}

TEST(Promise, OfReferences_Nothing_AndWhatOnlyMoves) {
  int target = 1;
  promise<int&> of_reference;
  of_reference.set_value(target);
  int& got = of_reference.get_future().get();
  EXPECT_EQ(&got, &target);

  promise<void> of_nothing;
  future<void> done = of_nothing.get_future();
  of_nothing.set_value();
  done.get();
  EXPECT_FALSE(done.valid());

  promise<std::unique_ptr<int>> of_pointer;
  of_pointer.set_value(std::make_unique<int>(5));
  EXPECT_EQ(*of_pointer.get_future().get(), 5);

  struct no_default {
    explicit no_default(int with) : value(with) {}
    int value;
  };
  promise<no_default> of_one;
  of_one.set_value(no_default(3));
  EXPECT_EQ(of_one.get_future().get().value, 3);
}

TEST(Promise, StaysOpenWhereTheValueThrows) {
  promise<thrower> giver;
  future<thrower> receiver = giver.get_future();
  const thrower value;
  EXPECT_THROW(giver.set_value(value), std::runtime_error);
  EXPECT_EQ(receiver.wait_for(0s), future_status::timeout);
  giver.set_value(thrower());
  static_cast<void>(receiver.get());
}

TEST(Promise, DestroysItsValueOnce) {
  test::tracked::alive = 0;
  {
    promise<test::tracked> never_got;
    never_got.set_value(test::tracked("a"));
    EXPECT_EQ(test::tracked::alive, 1);
  }
  EXPECT_EQ(test::tracked::alive, 0);
  {
    promise<test::tracked> giver;
    auto receiver = giver.get_future();
    giver.set_value(test::tracked("b"));
    {
      EXPECT_EQ(receiver.get().text(), "b");
    }
  }
  EXPECT_EQ(test::tracked::alive, 0);
}

// Counts what it has given and not got back.
template <class T>
struct counting_allocator {
  using value_type = T;
  explicit counting_allocator(int* of) : count(of) {}
  template <class U>
  counting_allocator(const counting_allocator<U>& other)  // NOLINT(google-explicit-constructor): as allocators are
      : count(other.count) {}
  T* allocate(std::size_t amount) {
    ++*count;
    return std::allocator<T>().allocate(amount);
  }
  void deallocate(T* place, std::size_t amount) {
    --*count;
    std::allocator<T>().deallocate(place, amount);
  }
  friend bool operator==(const counting_allocator&, const counting_allocator&) = default;
  int* count;
};

TEST(Promise, TakesItsMemoryFromAnAllocator) {
  static_assert(std::uses_allocator_v<promise<int>, std::allocator<int>>);
  int count = 0;
  {
    promise<int> giver(std::allocator_arg, counting_allocator<char>(&count));
    EXPECT_EQ(count, 1);
    future<int> receiver = giver.get_future();
    giver.set_value(1);
    giver = promise<int>();
    EXPECT_EQ(count, 1);
    EXPECT_EQ(receiver.get(), 1);
    EXPECT_EQ(count, 0);
  }
}

// ---- Waiting ----

TEST_P(Futures, FibersGiveToFibers) {
  run(chosen, [] {
    promise<int> question, answer;
    auto asked = question.get_future();
    auto answered = answer.get_future();
    auto other = spawn([&] { answer.set_value(asked.get() * 2); });
    question.set_value(21);
    EXPECT_EQ(answered.get(), 42);
    other.join();
  });
}

TEST_P(Futures, BetweenFibersAndThreads) {
  for (int round = 0; round < 50; ++round) {
    promise<int> there, back;
    future<int> to_thread = there.get_future();
    future<int> to_fiber = back.get_future();
    std::thread outside([&] { back.set_value(to_thread.get() + 1); });
    run(chosen, [&] {
      there.set_value(round);
      EXPECT_EQ(to_fiber.get(), round + 1);
    });
    outside.join();
  }
}

TEST_P(Futures, GivesUp_AndMayWaitAgain) {
  run(chosen, [] {
    promise<int> giver;
    future<int> receiver = giver.get_future();
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(receiver.wait_for(20ms), future_status::timeout);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
    EXPECT_EQ(receiver.wait_until(std::chrono::steady_clock::now() - 1s), future_status::timeout);
    std::stop_source stop;
    auto canceller = spawn([&] { stop.request_stop(); });
    EXPECT_EQ(receiver.wait(stop.get_token()), wake_reason::cancelled);
    canceller.join();
    auto other = spawn([&] { giver.set_value(3); });
    EXPECT_EQ(receiver.wait(1h), wake_reason::woken);
    EXPECT_EQ(receiver.get(), 3);
    other.join();
  });
}

TEST_P(Futures, BrokenUnderOneThatWaits) {
  run(chosen, [] {
    auto giver = std::make_unique<promise<int>>();
    future<int> receiver = giver->get_future();
    auto waits = spawn([&] { EXPECT_EQ(error_of([&] { receiver.get(); }), future_errc::broken_promise); });
    yield();
    giver.reset();
    waits.join();
  });
}

TEST_P(Futures, SharedByMany) {
  run(chosen, [] {
    promise<std::string> giver;
    shared_future<std::string> all = giver.get_future().share();
    std::atomic<const std::string*> where = nullptr;
    counter done;
    for (int i = 0; i < 50; ++i) {
      spawn_with_counter(done, [&, mine = all] {
        const std::string& got = mine.get();
        EXPECT_EQ(got, "for all");
        const std::string* first = nullptr;
        if (!where.compare_exchange_strong(first, &got)) {
          EXPECT_EQ(first, &got);
        }
      });
    }
    std::thread outside([mine = all] { EXPECT_EQ(mine.get(), "for all"); });
    yield();
    giver.set_value("for all");
    wait_for_counter(done);
    outside.join();
    EXPECT_EQ(all.get(), "for all");
    EXPECT_TRUE(all.valid());
  });
}

TEST(SharedFuture, OfReferences_Nothing_AndErrors) {
  int target = 1;
  promise<int&> of_reference;
  shared_future<int&> shared = of_reference.get_future();
  of_reference.set_value(target);
  EXPECT_EQ(&shared.get(), &target);
  static_assert(std::is_same_v<decltype(shared.get()), int&>);
  static_assert(std::is_same_v<decltype(shared_future<int>().get()), const int&>);
  static_assert(std::is_same_v<decltype(shared_future<void>().get()), void>);

  promise<void> fails;
  shared_future<void> first = fails.get_future().share();
  const shared_future<void> second = first;
  fails.set_exception(std::make_exception_ptr(7));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THROW(first.get(), int);
    EXPECT_THROW(second.get(), int);
  }
  EXPECT_EQ(error_of([] { shared_future<int>().get(); }), future_errc::no_state);
  future<int> empty;
  EXPECT_FALSE(empty.share().valid());
}

// ---- Packaged tasks ----

int twice(int of) { return 2 * of; }

TEST(PackagedTask, CallsOnce) {
  packaged_task<int(int)> doubles(twice);
  EXPECT_TRUE(doubles.valid());
  future<int> receiver = doubles.get_future();
  EXPECT_EQ(error_of([&] { static_cast<void>(doubles.get_future()); }), future_errc::future_already_retrieved);
  doubles(4);
  EXPECT_EQ(error_of([&] { doubles(5); }), future_errc::promise_already_satisfied);
  EXPECT_EQ(receiver.get(), 8);
  doubles.reset();
  receiver = doubles.get_future();
  doubles(6);
  EXPECT_EQ(receiver.get(), 12);
}

TEST(PackagedTask, KeepsWhatIsThrown_AndBreaks) {
  packaged_task<void()> throws([] { throw std::runtime_error("inside"); });
  future<void> receiver = throws.get_future();
  throws();
  EXPECT_THROW(receiver.get(), std::runtime_error);
  {
    packaged_task<void()> never([] {});
    receiver = never.get_future();
  }
  EXPECT_EQ(error_of([&] { receiver.get(); }), future_errc::broken_promise);
  packaged_task<void()> renewed([] {});
  receiver = renewed.get_future();
  renewed.reset();
  EXPECT_EQ(error_of([&] { receiver.get(); }), future_errc::broken_promise);
}

TEST(PackagedTask, Empty_Moved_Deduced) {
  packaged_task<int()> empty;
  EXPECT_FALSE(empty.valid());
  EXPECT_EQ(error_of([&] { empty(); }), future_errc::no_state);
  EXPECT_EQ(error_of([&] { empty.reset(); }), future_errc::no_state);
  EXPECT_EQ(error_of([&] { static_cast<void>(empty.get_future()); }), future_errc::no_state);

  packaged_task from_pointer(twice);
  packaged_task from_lambda([kept = std::string("a")](const std::string& more) { return kept + more; });
  static_assert(std::is_same_v<decltype(from_pointer), packaged_task<int(int)>>);
  static_assert(std::is_same_v<decltype(from_lambda), packaged_task<std::string(const std::string&)>>);
  auto receiver = from_lambda.get_future();
  auto moved = std::move(from_lambda);
  EXPECT_FALSE(from_lambda.valid());
  moved("b");
  EXPECT_EQ(receiver.get(), "ab");

  packaged_task<int()> only_moves([own = std::make_unique<int>(9)] { return *own; });
  auto nine = only_moves.get_future();
  std::thread outside(std::move(only_moves));
  EXPECT_EQ(nine.get(), 9);
  outside.join();

  struct holder {
    int value = 5;
    [[nodiscard]] int get() const { return value; }
  };
  packaged_task<int(const holder&)> member(&holder::get);
  member({});
  EXPECT_EQ(member.get_future().get(), 5);
  int target = 0;
  packaged_task<int&()> reference([&target]() -> int& { return target; });
  reference();
  EXPECT_EQ(&reference.get_future().get(), &target);
}

// ---- async ----

TEST_P(Futures, Async_RunsAsAFiber) {
  run(chosen, [] {
    future<int> sum = ramie::async([](int a, std::unique_ptr<int> b) { return a + *b; }, 40, std::make_unique<int>(2));
    EXPECT_EQ(sum.get(), 42);
    future<void> fails = ramie::async(launch::async, [] { throw std::runtime_error("inside"); });
    EXPECT_THROW(fails.get(), std::runtime_error);
    future<std::string::size_type> member = ramie::async(&std::string::size, std::string("four"));
    EXPECT_EQ(member.get(), 4U);
    int target = 0;
    EXPECT_EQ(&ramie::async([&target]() -> int& { return target; }).get(), &target);
    auto by_reference = ramie::async([](int& into) { into = 8; }, std::ref(target));
    by_reference.get();
    EXPECT_EQ(target, 8);
    EXPECT_THROW(static_cast<void>(ramie::async(launch(0), [] {})), misuse);
  });
}

TEST_P(Futures, Async_DestructorDoesNotWait) {
  promise<void> may_end;
  std::atomic<bool> ended = false;
  run(chosen, [&] {
    {
      const auto dropped = ramie::async([&, until = may_end.get_future().share()] { until.get(), ended = true; });
    }
    EXPECT_FALSE(ended);
    may_end.set_value();
  });
  EXPECT_TRUE(ended);  // the run waits for all fibers
}

TEST_P(Futures, Async_EndsItsCapturesBeforeTheValueIsThere) {
  run(chosen, [] {
    for (const launch how : {launch::async, launch::deferred}) {
      auto shared = std::make_shared<int>(1);
      const std::weak_ptr<int> watched = shared;
      future<int> value = ramie::async(how, [own = std::move(shared)] { return *own; });
      value.wait();
      EXPECT_TRUE(watched.expired());
      EXPECT_EQ(value.get(), 1);
    }
  });
}

TEST(Async, WithoutAStack_TheFutureSaysSo) {
  test::scarce_backend backend(1);
  options chosen = with_workers(1);
  chosen.backend = &backend;
  run(chosen, [] {
    const auto captured = std::make_shared<int>(1);
    future<int> refused = ramie::async([captured] { return *captured; });
    EXPECT_THROW(refused.get(), spawn_error);
    EXPECT_EQ(captured.use_count(), 1);
  });
}

TEST_P(Futures, Deferred_RunsWhereItIsWaitedFor) {
  run(chosen, [] {
    int calls = 0;
    future<int> value = ramie::async(launch::deferred, [&] { return ++calls; });
    EXPECT_EQ(value.wait_for(1h), future_status::deferred);
    EXPECT_EQ(calls, 0);
    value.wait();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(value.wait_for(0s), future_status::ready);
    EXPECT_EQ(value.get(), 1);
    {
      const auto dropped = ramie::async(launch::deferred, [&] { ++calls; });
    }
    EXPECT_EQ(calls, 1);
    shared_future<int> for_many = ramie::async(launch::deferred, [&] {
                                    yield();
                                    return ++calls;
                                  }).share();
    counter done;
    for (int i = 0; i < 20; ++i) spawn_with_counter(done, [mine = for_many] { EXPECT_EQ(mine.get(), 2); });
    wait_for_counter(done);
    EXPECT_THROW(ramie::async(launch::deferred, [] { throw 3; }).get(), int);
  });
}

TEST(FutureWithoutARuntime, AsyncSaysSo) {
  EXPECT_THROW(static_cast<void>(ramie::async([] {})), misuse);
  EXPECT_EQ(ramie::async(launch::deferred, [] { return 5; }).get(), 5);
}

// ---- Together ----

int fibonacci(int of) {
  if (of < 2) return of;
  auto left = ramie::async(fibonacci, of - 1);
  const int right = fibonacci(of - 2);
  return left.get() + right;
}
TEST_P(Futures, Async_Recursively) {
  run(chosen, [] { EXPECT_EQ(fibonacci(15), 610); });
}

// The receiver destroys the promise, and with it the state, while set_value() still returns: for this the giver touches
// neither after it has published the value.
TEST_P(Futures, StressPromiseDestroyedByItsReceiver) {
  const test::watchdog limit("promises destroyed by their receivers");
  std::atomic<promise<int>*> handed = nullptr;
  std::atomic<bool> over = false;
  std::thread outside([&] {
    while (!over) {
      if (promise<int>* const giver = handed.exchange(nullptr)) {
        giver->set_value(1);
      } else {
        std::this_thread::yield();
      }
    }
  });
  run(chosen, [&] {
    for (test::rounds race(test::sanitized ? 500 : 5'000); race.next();) {
      auto giver = std::make_unique<promise<int>>();
      auto receiver = giver->get_future();
      handed = giver.get();
      if (race.begun() % 3 == 0) yield();
      if (race.begun() % 2 == 0) {
        while (receiver.wait_for(10us) != future_status::ready) {
        }
      }
      EXPECT_EQ(receiver.get(), 1);
    }
  });
  over = true;
  outside.join();
}

// Promises, futures and their values are destroyed as soon as they can be, while the other side still returns.
TEST_P(Futures, StressOfEverything) {
  for (const std::uint64_t seed : test::seeds()) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const test::watchdog limit("futures, seed " + std::to_string(seed));
    test::tracked::alive = 0;
    std::atomic<int> values = 0, broken = 0, gave_up = 0;
    constexpr int count = test::sanitized ? 300 : 2'000;
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    std::vector<std::unique_ptr<promise<test::tracked>>> for_thread;
    run(chosen, [&] {
      counter done;
      std::vector<std::unique_ptr<promise<test::tracked>>> givers;
      int expected_broken = 0;
      for (int i = 0; i < count; ++i) {
        givers.push_back(std::make_unique<promise<test::tracked>>());
        const bool may_give_up = random() % 3 == 0;
        const auto time = std::chrono::microseconds(random() % 200);
        spawn_with_counter(done, [&, may_give_up, time, receiver = givers.back()->get_future()]() mutable {
          if (may_give_up && receiver.wait_for(time) == future_status::timeout) {
            ++gave_up;
            return;
          }
          try {
            EXPECT_EQ(receiver.get().text(), "value");
            ++values;
          } catch (const future_error&) {
            ++broken;
          }
        });
      }
      std::vector<std::uint32_t> fates(givers.size());
      for (auto& each : fates) expected_broken += (each = static_cast<std::uint32_t>(random())) % 4 == 0 ? 1 : 0;
      const auto settle = [&](std::size_t i) {
        if (fates[i] % 4 != 0) givers[i]->set_value(test::tracked("value"));
        givers[i].reset();
      };
      const std::size_t half = givers.size() / 2;
      std::thread outside([&] {
        for (std::size_t i = 0; i < half; ++i) settle(i);
      });
      for (std::size_t i = half; i < givers.size(); ++i) {
        settle(i);
        if (fates[i] % 16 == 0) yield();
      }
      wait_for_counter(done);
      outside.join();
      EXPECT_LE(broken, expected_broken);
    });
    EXPECT_EQ(values + broken + gave_up, count);
    EXPECT_EQ(test::tracked::alive, 0);
  }
}

}  // namespace
}  // namespace ramie
