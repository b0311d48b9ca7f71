#include "child.hpp"

#include <ramie/stack/advise.hpp>
#include <ramie/stack/guard.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <vector>

namespace ramie::stack {
namespace {

std::byte* fresh_pages(std::size_t count) {
  void* mapping = ::mmap(nullptr, count * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapping == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapping);
}

TEST(StackGuard, ReadableTellsMappedFromProtectedFromUnmapped) {
  std::byte* const pages = fresh_pages(3);
  ASSERT_EQ(::mprotect(pages + page_size, page_size, PROT_NONE), 0);
  ASSERT_EQ(::munmap(pages + 2 * page_size, page_size), 0);
  EXPECT_TRUE(readable(pages));
  EXPECT_FALSE(readable(pages + page_size));
  EXPECT_FALSE(readable(pages + 2 * page_size));
  ::munmap(pages, 2 * page_size);
}

TEST(StackGuard, ReadableChangesNeitherTheSignalMaskNorErrno) {
  // The 8 bytes it points the kernel to would block every signal if they were taken for a mask.
  alignas(8) const std::uint64_t all_signals = ~std::uint64_t{0};
  errno = ENOENT;
  EXPECT_TRUE(readable(&all_signals));
  EXPECT_EQ(errno, ENOENT);
  sigset_t mask;
  ASSERT_EQ(::sigprocmask(SIG_BLOCK, nullptr, &mask), 0);
  EXPECT_EQ(::sigismember(&mask, SIGTERM), 0);
}

TEST(StackGuard, MprotectWorksEverywhere) { EXPECT_TRUE(works(guard_kind::mprotect)); }

TEST(StackGuard, BestIsTheFirstThatWorks) {
  EXPECT_EQ(best_guard(), works(guard_kind::guard_install) ? guard_kind::guard_install : guard_kind::mprotect);
}

class Advise : public ::testing::TestWithParam<detail::advise_way> {
 protected:
  void SetUp() override { detail::force_advise_way(GetParam()); }
  void TearDown() override { detail::force_advise_way(detail::advise_way::unknown); }
};
std::string way_name(const ::testing::TestParamInfo<detail::advise_way>& each) {
  constexpr std::array names{"best", "self", "descriptor", "plain"};
  return names[static_cast<std::size_t>(each.param)];
}

// Where the kernel does not take one of them, it falls back to the plain one, and all must hold just the same.
INSTANTIATE_TEST_SUITE_P(Ways, Advise,
                         ::testing::Values(detail::advise_way::unknown, detail::advise_way::self,
                                           detail::advise_way::descriptor, detail::advise_way::plain),
                         way_name);

TEST_P(Advise, ReachesEveryRangeAlsoBeyondOneBatch) {
  constexpr std::size_t count = 1500;  // three calls
  std::byte* const pages = fresh_pages(2 * count);
  std::vector<iovec> ranges;
  for (std::size_t i = 0; i < 2 * count; ++i) pages[i * page_size] = std::byte{1};
  for (std::size_t i = 0; i < count; ++i) ranges.push_back({pages + 2 * i * page_size, page_size});
  const detail::advised result = detail::advise(ranges, MADV_DONTNEED);
  EXPECT_EQ(result.done, count);
  EXPECT_EQ(result.error, 0);
  for (std::size_t i = 0; i < 2 * count; ++i) {
    EXPECT_EQ(pages[i * page_size], std::byte{static_cast<unsigned char>(i % 2)}) << i;
  }
  ::munmap(pages, 2 * count * page_size);
}

TEST_P(Advise, StopsAtTheFirstRangeThatIsRefusedAndSaysWhich) {
  std::byte* const pages = fresh_pages(4);
  for (std::size_t i = 0; i < 4; ++i) pages[i * page_size] = std::byte{1};
  ASSERT_EQ(::munmap(pages + 2 * page_size, page_size), 0);
  std::vector<iovec> ranges;
  for (std::size_t i = 0; i < 4; ++i) ranges.push_back({pages + i * page_size, page_size});
  const detail::advised result = detail::advise(ranges, MADV_DONTNEED);
  EXPECT_EQ(result.done, 2U);
  EXPECT_EQ(result.error, ENOMEM);
  EXPECT_EQ(pages[page_size], std::byte{0});
  EXPECT_EQ(pages[3 * page_size], std::byte{1});
  ::munmap(pages, 2 * page_size);
  ::munmap(pages + 3 * page_size, page_size);
}

TEST_P(Advise, WorksOnTheChildsOwnMemoryAfterFork) {
  std::byte* const page = fresh_pages(1);
  *page = std::byte{1};
  iovec before{page, page_size};
  ASSERT_EQ(detail::advise({&before, 1}, MADV_DONTNEED).done, 1U);  // whatever it caches, it caches in the parent
  *page = std::byte{1};
  const test::outcome child = test::in_child([page] {
    iovec range{page, page_size};
    if (detail::advise({&range, 1}, MADV_DONTNEED).done != 1) return 1;
    return *page == std::byte{0} ? 0 : 2;
  });
  EXPECT_TRUE(child.exited_with(0)) << child.status;
  EXPECT_EQ(*page, std::byte{1});
  ::munmap(page, page_size);
}

}  // namespace
}  // namespace ramie::stack
