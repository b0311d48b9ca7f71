// The thread pool: what threadpool.h promises, and the options.
#include "pools.hpp"

#include "thread_pool_cases.hpp"

namespace ramie {
namespace {

TEST(ThreadPool, New_WithOptionsThatAreNone_SaysSo) {
  const auto refused = [](auto&& change) {
    thread_pool_options chosen = THREAD_POOL_OPTIONS_INIT;
    change(chosen);
    errno = 0;
    return owned_pool(thread_pool_new_with(&chosen)) == nullptr && errno == EINVAL;
  };
  EXPECT_TRUE(refused([](auto& o) { o.size = 0; }));
  EXPECT_TRUE(refused([](auto& o) { --o.size; }));
  EXPECT_TRUE(refused([](auto& o) { o.size = std::size_t{1} << 20U; }));
  EXPECT_TRUE(refused([](auto& o) { o.nthreads = 0; }));
  EXPECT_TRUE(refused([](auto& o) { o.nthreads = 4097; }));
  errno = 0;
  EXPECT_EQ(thread_pool_new_with(nullptr), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST(ThreadPool, New_WithTheOptionsOfANewerProgram_TakesWhatItKnows) {
  struct {
    thread_pool_options known = THREAD_POOL_OPTIONS_INIT;
    long later = 0;
  } newer;
  newer.known.size = sizeof(newer);
  EXPECT_NE(owned_pool(thread_pool_new_with(&newer.known)), nullptr);
  newer.later = 1;
  errno = 0;
  EXPECT_EQ(owned_pool(thread_pool_new_with(&newer.known)), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

}  // namespace
}  // namespace ramie
