#include <ramie/base/units.hpp>

#include <gtest/gtest.h>
#include <type_traits>

namespace {

using ramie::bytes;
using namespace ramie::literals;

TEST(Units, LiteralsAreBinaryMultiples) {
  EXPECT_EQ((7_B).count(), 7U);
  EXPECT_EQ((1_KiB).count(), 1024U);
  EXPECT_EQ((64_KiB).count(), 65'536U);
  EXPECT_EQ((3_MiB).count(), 3U * 1024 * 1024);
  EXPECT_EQ((5_GiB).count(), 5ULL * 1024 * 1024 * 1024);
}

// Of what does not fit, the largest: the end of a wrap-around might be a size that works.
TEST(Units, LiteralsBeyondTheAddressSpace_DoNotWrapAround) {
  EXPECT_EQ(17'179'869'184_GiB, bytes(~std::size_t{0}));
  EXPECT_EQ(17'179'869'185_GiB, bytes(~std::size_t{0}));
  EXPECT_EQ(17'592'186'044'416_MiB, bytes(~std::size_t{0}));
  EXPECT_EQ(18'014'398'509'481'985_KiB, bytes(~std::size_t{0}));
}

TEST(Units, SizesOfDifferentUnitsCompareByBytes) {
  EXPECT_EQ(1_MiB, 1024_KiB);
  EXPECT_LT(1023_B, 1_KiB);
  EXPECT_GT(1_GiB, 1023_MiB);
  EXPECT_EQ(bytes(), 0_B);
}

TEST(Units, PlainNumbersDoNotConvert) {
  EXPECT_FALSE((std::is_convertible_v<int, bytes>));
  EXPECT_FALSE((std::is_convertible_v<bytes, std::size_t>));
  EXPECT_TRUE((std::is_constructible_v<bytes, std::size_t>));
}

}  // namespace
