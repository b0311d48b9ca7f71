// The locked pool without its optimizations: what threadpool.h promises, and the options.
#include "pools.hpp"

#include "c/thread_pool_cases.hpp"

namespace ramie {
namespace {

TEST(ThreadPool, New_WithOptionsThatAreNone_SaysSo) {
  const auto refused = [](auto&& change) {
    locked_pool_options chosen{};
    chosen.nthreads = 1;
    change(chosen);
    errno = 0;
    return owned_pool(locked_pool_new(&chosen)) == nullptr && errno == EINVAL;
  };
  EXPECT_TRUE(refused([](auto& o) { o.nthreads = 0; }));
  EXPECT_TRUE(refused([](auto& o) { o.nthreads = 4097; }));
  EXPECT_TRUE(refused([](auto& o) { o.future_layout = -1; }));
  EXPECT_TRUE(refused([](auto& o) { o.future_layout = LOCKED_FUTURE_FUTEX + 1; }));
  errno = 0;
  EXPECT_EQ(locked_pool_new(nullptr), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

}  // namespace
}  // namespace ramie
