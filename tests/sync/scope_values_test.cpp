// What fibers have from the scope that they are in: context values; and fiber_locals, which end before it does.
#include <support/fibers.hpp>

#include <ramie/sync/scope.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>

namespace ramie {
namespace {

using namespace std::chrono_literals;
using test::with_workers;

// 0: as in scope_test.cpp.
class ScopeValues : public ::testing::TestWithParam<unsigned> {
 protected:
  template <class Function>
  void play(Function&& function) {
    if (GetParam() != 0) return run(with_workers(GetParam()), std::forward<Function>(function));
    scheduler_init(2);
    function();
    scheduler_run();
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, ScopeValues, ::testing::Values(0U, 1U, 4U));

const context_value<std::string> trace_id;
const context_value<int> depth;

TEST_P(ScopeValues, AValueThatCannotBeMadeKeepsNoOlderOnes) {
  struct refuses {
    explicit refuses(int) { throw std::runtime_error("no"); }
  };
  static const context_value<std::shared_ptr<int>> shared;
  static const context_value<refuses> refused;
  play([] {
    const auto mine = std::make_shared<int>(1);
    {
      const auto bound = shared.bind(mine);
      EXPECT_THROW(static_cast<void>(refused.bind(1)), std::runtime_error);
    }
    EXPECT_EQ(mine.use_count(), 1);
  });
}

TEST_P(ScopeValues, ContextValuesAreInherited) {
  play([] {
    EXPECT_EQ(trace_id.get(), nullptr);
    const auto bound = trace_id.bind("request 1");
    const auto zero = depth.bind(0);
    child<std::string> late;
    with_scope([&](scope& s) {
      EXPECT_EQ(*trace_id.get(), "request 1");
      auto same = s.spawn([] { return *trace_id.get() + std::to_string(*depth.get()); });
      {
        const auto other = trace_id.bind("request 2");
        late = s.spawn([] {
          static_cast<void>(sleep_for(1ms));
          return with_scope([](scope& inner) {
            const auto one = depth.bind(1);
            auto below = inner.spawn([] { return *trace_id.get() + std::to_string(*depth.get()); });
            return below.join();
          });
        });
        EXPECT_EQ(*trace_id.get(), "request 2");
      }
      EXPECT_EQ(*trace_id.get(), "request 1");
      EXPECT_EQ(same.join(), "request 10");
      const shield here;
      EXPECT_EQ(*trace_id.get(), "request 1");
    });
    EXPECT_EQ(late.join(), "request 21");
    const std::string* const plain = spawn([] { return trace_id.get(); }).join();
    EXPECT_EQ(plain, nullptr);
  });
  EXPECT_EQ(trace_id.get(), nullptr);
}

TEST_P(ScopeValues, FiberLocalsEndBeforeTheScope) {
  play([] {
    static std::atomic<int> alive = 0;
    struct counted {
      counted() { ++alive; }
      counted(const counted&) = delete;
      ~counted() {
        static_cast<void>(sleep_for(100us));
        --alive;
      }
    };
    fiber_local<counted> each;
    with_scope([&](scope& s) {
      for (int i = 0; i < 10; ++i) s.spawn([&] { static_cast<void>(each.get()); });
    });
    EXPECT_EQ(alive, 0);
  });
}

}  // namespace
}  // namespace ramie
