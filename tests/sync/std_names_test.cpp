// The same tests for the types of the standard library and for ours, which have their names: what they say of one they
// say of the other. On threads.
#include <support/repetitions.hpp>

#include <ramie/sync/async.hpp>
#include <ramie/sync/barrier.hpp>
#include <ramie/sync/event.hpp>
#include <ramie/sync/latch.hpp>
#include <ramie/sync/packaged_task.hpp>
#include <ramie/sync/semaphore.hpp>
#include <ramie/sync/wait_group.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <future>
#include <latch>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

// Usable before main(), in whatever order.
static constinit ramie::latch a_latch(1);
static constinit ramie::manual_reset_event a_manual_event;
static constinit ramie::auto_reset_event an_automatic_event(true);
static constinit ramie::wait_group a_group;
static constinit ramie::binary_semaphore a_semaphore(1);
static constinit ramie::barrier<> a_barrier(2);

namespace {

using namespace std::chrono_literals;

TEST(StdNamesValue, MayBeConstants) {
  EXPECT_FALSE(a_latch.try_wait());
  EXPECT_FALSE(a_manual_event.try_wait());
  EXPECT_TRUE(an_automatic_event.try_wait());
  EXPECT_TRUE(a_group.try_wait());
  EXPECT_TRUE(a_semaphore.try_acquire());
  static_cast<void>(a_barrier.arrive());
}

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): a namespace is no argument of a template
#define NAMES_OF(space)                                                     \
  template <class T>                                                        \
  using future = space::future<T>;                                          \
  template <class T>                                                        \
  using shared_future = space::shared_future<T>;                            \
  template <class T>                                                        \
  using promise = space::promise<T>;                                        \
  template <class T>                                                        \
  using packaged_task = space::packaged_task<T>;                            \
  using latch = space::latch;                                               \
  template <std::ptrdiff_t Max>                                             \
  using counting_semaphore = space::counting_semaphore<Max>;                \
  using future_error = space::future_error;                                 \
  using future_errc = space::future_errc;                                   \
  using future_status = space::future_status;                               \
  using launch = space::launch;                                             \
  static const auto& future_category() { return space::future_category(); } \
  template <class... Arguments>                                             \
  static auto async(Arguments&&... arguments) {                             \
    return space::async(std::forward<Arguments>(arguments)...);             \
  }                                                                         \
  template <class Function>                                                 \
  using barrier = space::barrier<Function>;

struct names_of_std {
  NAMES_OF(std)
};
struct names_of_ramie {
  NAMES_OF(ramie)
};

template <class Names>
class StdNames : public ::testing::Test {};
using both = ::testing::Types<names_of_std, names_of_ramie>;
TYPED_TEST_SUITE(StdNames, both);

// The code of the error that a call throws; 0 if it throws none.
template <class Names, class Call>
int code_of(Call&& call) {
  try {
    call();
  } catch (const typename Names::future_error& error) {
    EXPECT_EQ(&error.code().category(), &Names::future_category());
    return error.code().value();
  }
  return 0;
}
template <class Names>
constexpr int code(typename Names::future_errc of) {
  return static_cast<int>(of);
}

TYPED_TEST(StdNames, Promise) {
  using names = TypeParam;
  using errc = typename names::future_errc;
  typename names::template promise<std::string> giver;
  typename names::template future<std::string> receiver = giver.get_future();
  EXPECT_EQ(code_of<names>([&] { giver.get_future(); }), code<names>(errc::future_already_retrieved));
  EXPECT_EQ(receiver.wait_for(1ms), names::future_status::timeout);
  EXPECT_EQ(receiver.wait_until(std::chrono::steady_clock::now() - 1s), names::future_status::timeout);
  giver.set_value("value");
  EXPECT_EQ(receiver.wait_for(0s), names::future_status::ready);
  EXPECT_EQ(code_of<names>([&] { giver.set_value("other"); }), code<names>(errc::promise_already_satisfied));
  EXPECT_EQ(code_of<names>([&] { giver.set_exception(std::make_exception_ptr(1)); }),
            code<names>(errc::promise_already_satisfied));
  EXPECT_EQ(receiver.get(), "value");
  EXPECT_FALSE(receiver.valid());
  auto moved = std::move(giver);
  EXPECT_EQ(code_of<names>([&] { giver.get_future(); }), code<names>(errc::no_state));
  EXPECT_EQ(code_of<names>([&] { giver.set_value(""); }), code<names>(errc::no_state));
  typename names::template future<int> broken = typename names::template promise<int>().get_future();
  EXPECT_EQ(code_of<names>([&] { broken.get(); }), code<names>(errc::broken_promise));
  EXPECT_FALSE(broken.valid());
}

TYPED_TEST(StdNames, SharedFuture) {
  using names = TypeParam;
  typename names::template promise<int> giver;
  typename names::template shared_future<int> first(giver.get_future());
  auto second = first;
  std::thread outside([mine = second] { EXPECT_EQ(mine.get(), 5); });
  giver.set_value(5);
  outside.join();
  EXPECT_EQ(&first.get(), &second.get());
  EXPECT_TRUE(first.valid());
  typename names::template promise<int&> of_reference;
  int target = 0;
  of_reference.set_value(target);
  EXPECT_EQ(&of_reference.get_future().share().get(), &target);
}

TYPED_TEST(StdNames, PackagedTask) {
  using names = TypeParam;
  using errc = typename names::future_errc;
  typename names::template packaged_task<int(int)> task([](int of) { return of < 0 ? throw of : of + 1; });
  auto receiver = task.get_future();
  task(1);
  EXPECT_EQ(code_of<names>([&] { task(1); }), code<names>(errc::promise_already_satisfied));
  EXPECT_EQ(receiver.get(), 2);
  task.reset();
  receiver = task.get_future();
  task(-1);
  EXPECT_THROW(receiver.get(), int);
  task.reset();
  receiver = task.get_future();
  task = typename names::template packaged_task<int(int)>();
  EXPECT_FALSE(task.valid());
  EXPECT_EQ(code_of<names>([&] { receiver.get(); }), code<names>(errc::broken_promise));
  EXPECT_EQ(code_of<names>([&] { task(1); }), code<names>(errc::no_state));
}

TYPED_TEST(StdNames, DeferredFunction) {
  using names = TypeParam;
  int calls = 0;
  auto value = names::async(
      names::launch::deferred, [&](std::unique_ptr<int> of) { return ++calls + *of; }, std::make_unique<int>(1));
  EXPECT_EQ(value.wait_for(1h), names::future_status::deferred);
  EXPECT_EQ(calls, 0);
  value.wait();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(value.get(), 2);
  {
    auto dropped = names::async(names::launch::deferred, [&] { ++calls; });
  }
  EXPECT_EQ(calls, 1);
}

TYPED_TEST(StdNames, Latch) {
  typename TypeParam::latch all(4);
  std::atomic<int> before = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      ++before;
      all.arrive_and_wait();
      EXPECT_EQ(before, 4);
    });
  }
  EXPECT_FALSE(all.try_wait());
  ++before;
  all.count_down();
  all.wait();
  EXPECT_EQ(before, 4);
  for (auto& each : threads) each.join();
  EXPECT_GE(TypeParam::latch::max(), 1'000'000);
}

TYPED_TEST(StdNames, Barrier) {
  constexpr int parties = 4, phases = ramie::test::sanitized ? 50 : 500;
  std::vector<int> arrived(parties);
  int completed = 0;
  auto complete = [&]() noexcept {
    ++completed;
    for (const int each : arrived) EXPECT_GE(each, completed);
  };
  typename TypeParam::template barrier<decltype(complete)> all(parties, complete);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < parties; ++i) {
    threads.emplace_back([&, i] {
      for (int phase = 1; phase <= phases; ++phase) {
        arrived[i] = phase;
        if (i % 2 == 0) {
          all.arrive_and_wait();
        } else {
          auto token = all.arrive();
          all.wait(std::move(token));
        }
      }
      arrived[i] = 2 * phases;  // in the phases of those that stay longer
      all.arrive_and_drop();
    });
  }
  for (auto& each : threads) each.join();
  EXPECT_EQ(completed, phases + 1);
}

TYPED_TEST(StdNames, Semaphore) {
  typename TypeParam::template counting_semaphore<3> of(1);
  EXPECT_GE(of.max(), 3);
  EXPECT_TRUE(of.try_acquire());
  EXPECT_FALSE(of.try_acquire());
  EXPECT_FALSE(of.try_acquire_for(1ms));
  EXPECT_FALSE(of.try_acquire_until(std::chrono::steady_clock::now() - 1s));
  std::thread outside([&] {
    for (int i = 0; i < 3; ++i) of.acquire();
    of.release(2);
  });
  of.release();
  of.release(2);
  outside.join();
  EXPECT_TRUE(of.try_acquire());
  EXPECT_TRUE(of.try_acquire_for(1s));
  EXPECT_FALSE(of.try_acquire());
}

}  // namespace
