#include <ramie/parallel/invoke.hpp>
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <parallel/ways.hpp>
#include <support/fibers.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stop_token>

namespace ramie {
namespace {

using test::with_workers;

class Invoke : public test::in_each_way {};
INSTANTIATE_TEST_SUITE_P(Ways, Invoke, ::testing::ValuesIn(test::all_ways({1, 2, 5})),
                         ::testing::PrintToStringParamName());

TEST_P(Invoke, EachFunction_IsCalledOnce_AndWhatItReturnsIsDropped) {
  const test::watchdog limit("functions that wait for each other");
  test::in_runtime(GetParam().chosen(), [] {
    int first = 0, second = 0, third = 0;
    counter released(1);
    ramie::invoke([&] { wait_for_counter(released), ++first; }, [&] { return ++second, std::make_unique<int>(1); },
                  [&, owned = std::make_unique<int>(3)] { third += *owned, released.decrement(); });
    EXPECT_EQ(first + 10 * second + 100 * third, 311);
    ramie::invoke([&] { return ++first; });
    ramie::invoke({}, [&] { ++first; }, [&] { ++second; });
    const parallel_policy named;
    ramie::invoke(named, [&] { ++first; });
    EXPECT_EQ(first + 10 * second + 100 * third, 324);
    static_assert(std::is_void_v<decltype(ramie::invoke([] { return 1; }))>);
  });
}

TEST_P(Invoke, OfSeveralExceptions_TheFirstInOrderLeaves) {
  test::in_runtime(GetParam().chosen(), [] {
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> first{3};
      const auto part = [&](int i) {
        yield();
        for (int seen = first; i < seen && !first.compare_exchange_weak(seen, i);) {
        }
        throw i;
      };
      int caught = 3;
      try {
        ramie::invoke([&] { part(0); }, [&] { part(1); }, [&] { part(2); });
      } catch (int which) {
        caught = which;
      }
      EXPECT_EQ(caught, first);
    }
  });
}

TEST(InvokePieces, AfterAnException_OrAStopRequest_NoOtherFunctionIsCalled) {
  test::in_runtime(with_workers(1), [] {
    int called = 0;
    EXPECT_THROW(ramie::invoke([&] { ++called; }, [&] { throw 1; }, [&] { ++called; }), int);
    EXPECT_EQ(called, 1);
    std::stop_source stop;
    EXPECT_THROW(ramie::invoke({.stop = stop.get_token()}, [&] { stop.request_stop(); }, [&] { ++called; }), stopped);
    EXPECT_THROW(ramie::invoke({.stop = stop.get_token()}, [&] { ++called; }), stopped);
    EXPECT_EQ(called, 1);
  });
}

TEST(InvokeFromOutside, AThreadThatRunsNoFiber_IsMisuseWithoutARuntime) {
  EXPECT_THROW(ramie::invoke([] {}, [] {}), misuse);
}

}  // namespace
}  // namespace ramie
