#include <ramie/stack/alternate_stack.hpp>
#include <ramie/stack/guard.hpp>
#include <ramie/stack/memory.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <thread>
#include <vector>

namespace ramie::stack {
namespace {

stack_t current() {
  stack_t now{};
  ::sigaltstack(nullptr, &now);
  return now;
}

// A sanitizer may have given this thread one already; the test is about a thread that has none.
class without_one {
 public:
  without_one() {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, &m_saved);
  }
  ~without_one() { ::sigaltstack(&m_saved, nullptr); }

 private:
  stack_t m_saved{};
};

volatile std::uintptr_t g_handled_at = 0;
void remember_address(int) {
  g_handled_at = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));  // a local may be on ASan's fake stack
}

TEST(AlternateStack, IsLargeEnoughForTheKernelsFrameAndAHandler) {
  EXPECT_GE(alternate_stack::needed(), (std::size_t{16} << 10U) + 2048);
  EXPECT_EQ(alternate_stack::needed() % page_size, 0U);
}

TEST(AlternateStack, HandlersRunOnItAndItsGuardHolds) {
  const without_one none;
  const alternate_stack ours;
  ASSERT_TRUE(ours.installed());
  const stack_t now = current();
  EXPECT_EQ(now.ss_size, alternate_stack::needed());
  EXPECT_TRUE(readable(now.ss_sp));
  EXPECT_FALSE(readable(static_cast<std::byte*>(now.ss_sp) - 8));

  struct sigaction action{};
  struct sigaction saved{};
  action.sa_handler = remember_address;
  action.sa_flags = SA_ONSTACK;
  ::sigaction(SIGUSR1, &action, &saved);
  ::raise(SIGUSR1);
  ::sigaction(SIGUSR1, &saved, nullptr);
  const auto begin = reinterpret_cast<std::uintptr_t>(now.ss_sp);
  EXPECT_GE(g_handled_at, begin);
  EXPECT_LT(g_handled_at, begin + now.ss_size);
}

TEST(AlternateStack, RestoresThatThereWasNone) {
  const without_one none;
  {
    const alternate_stack ours;
  }
  EXPECT_NE(current().ss_flags & SS_DISABLE, 0);
}

TEST(AlternateStack, LeavesALargeEnoughOneAlone) {
  const without_one none;
  std::vector<std::byte> theirs(std::size_t{64} << 10U);
  const stack_t mine{.ss_sp = theirs.data(), .ss_flags = 0, .ss_size = theirs.size()};
  ASSERT_EQ(::sigaltstack(&mine, nullptr), 0);
  {
    const alternate_stack ours;
    EXPECT_FALSE(ours.installed());
    EXPECT_EQ(current().ss_sp, theirs.data());
  }
  EXPECT_EQ(current().ss_sp, theirs.data());
}

TEST(AlternateStack, ReplacesOneThatIsTooSmallAndPutsItBack) {
  const without_one none;
  std::vector<std::byte> theirs(std::size_t{12} << 10U);
  const stack_t mine{.ss_sp = theirs.data(), .ss_flags = 0, .ss_size = theirs.size()};
  ASSERT_EQ(::sigaltstack(&mine, nullptr), 0);
  {
    const alternate_stack ours;
    EXPECT_TRUE(ours.installed());
    EXPECT_NE(current().ss_sp, theirs.data());
  }
  EXPECT_EQ(current().ss_sp, theirs.data());
  EXPECT_EQ(current().ss_size, theirs.size());
}

TEST(AlternateStack, LeavesOneThatWasSetInTheMeantime) {
  const without_one none;
  std::vector<std::byte> theirs(std::size_t{64} << 10U);
  const stack_t later{.ss_sp = theirs.data(), .ss_flags = 0, .ss_size = theirs.size()};
  {
    const alternate_stack ours;
    ASSERT_EQ(::sigaltstack(&later, nullptr), 0);
  }
  EXPECT_EQ(current().ss_sp, theirs.data());
}

TEST(AlternateStack, EachThreadHasItsOwn) {
  const without_one none;
  const alternate_stack ours;
  std::thread([&] {
    const without_one here;
    const alternate_stack theirs;
    EXPECT_TRUE(theirs.installed());
  }).join();
  EXPECT_TRUE(ours.installed());
  EXPECT_EQ(current().ss_flags & SS_DISABLE, 0);
}

}  // namespace
}  // namespace ramie::stack
