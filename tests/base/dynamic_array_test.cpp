#include <ramie/base/dynamic_array.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <new>
#include <stdexcept>
#include <utility>

namespace {

using ramie::detail::dynamic_array;

struct counted {
  counted() {
    if (throws_at == alive) throw std::runtime_error("the last one");
    ++alive;
  }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { --alive; }
  static inline int alive = 0;
  static inline int throws_at = -1;
};

TEST(DynamicArray, ElementsBeginWithValuesAndEndWithIt) {
  {
    const dynamic_array<counted> all(5);
    EXPECT_EQ(all.size(), 5U);
    EXPECT_EQ(counted::alive, 5);
  }
  EXPECT_EQ(counted::alive, 0);
  dynamic_array<int> numbers(100);
  for (const int each : numbers) EXPECT_EQ(each, 0);
}

// For which there is never any memory.
struct scarce {
  static void* operator new[](std::size_t) { throw std::bad_alloc(); }
  static void* operator new[](std::size_t, const std::nothrow_t&) noexcept { return nullptr; }
  static void operator delete[](void*) noexcept {}
  int number = 0;
};

TEST(DynamicArray, ThatGetsNoMemoryIsEmpty) {
  EXPECT_EQ((dynamic_array<scarce>(3, std::nothrow).size()), 0U);
  EXPECT_THROW(dynamic_array<scarce>(3), std::bad_alloc);
}

TEST(DynamicArray, LeavesNothingWhereAnElementThrows) {
  counted::throws_at = 3;
  EXPECT_THROW(dynamic_array<counted>(5), std::runtime_error);
  counted::throws_at = -1;
  EXPECT_EQ(counted::alive, 0);
}

TEST(DynamicArray, IsMovedWithoutItsElements) {
  dynamic_array<counted> from(3);
  const counted* const first = from.data();
  dynamic_array<counted> to(std::move(from));
  EXPECT_EQ(to.data(), first);
  to = dynamic_array<counted>(1);
  EXPECT_EQ(to.size(), 1U);
  EXPECT_EQ(counted::alive, 1);
}

}  // namespace
