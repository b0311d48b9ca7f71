#include <ramie/base/invoke.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace {

using ramie::detail::call_with;

struct account {
  int balance = 0;
  int plus(int more) const { return balance + more; }
  int& open() & { return balance; }
  int closed() && { return -balance; }
};

TEST(Invoke, CallsPointersToMembersAsStdInvokeDoes) {
  account mine{7};
  const account other{8};
  EXPECT_EQ(call_with(&account::plus, mine, 3), 10);
  EXPECT_EQ(call_with(&account::plus, &other, 3), 11);
  EXPECT_EQ(call_with(&account::plus, std::ref(mine), 3), 10);
  EXPECT_EQ(call_with(&account::plus, std::make_unique<account>(mine), 3), 10);
  EXPECT_EQ(call_with(&account::closed, account{5}), -5);
  call_with(&account::open, mine) = 9;
  call_with(&account::balance, mine) += 1;
  EXPECT_EQ(mine.balance, 10);
}

TEST(Invoke, ReturnsWhatStdInvokeReturns) {
  account mine;
  const auto same = []<class... Arguments>(Arguments&&... arguments) {
    return std::is_same_v<decltype(call_with(std::forward<Arguments>(arguments)...)),
                          decltype(std::invoke(std::forward<Arguments>(arguments)...))>;
  };
  EXPECT_TRUE(same(&account::balance, mine));
  EXPECT_TRUE(same(&account::balance, std::as_const(mine)));
  EXPECT_TRUE(same(&account::balance, account{}));
  EXPECT_TRUE(same(&account::balance, &mine));
  EXPECT_TRUE(same(&account::open, mine));
  EXPECT_TRUE(same(&account::plus, mine, 1));
  EXPECT_TRUE(same([](int& number) -> int& { return number; }, mine.balance));
  EXPECT_TRUE(same([](int) {}, 1));
}

struct by_category {
  int operator()() & { return 1; }
  int operator()() const& { return 2; }
  int operator()() && { return 3; }
};

TEST(Invoke, CallsAFunctionAsWhatItWasGiven) {
  by_category f;
  EXPECT_EQ(call_with(f), 1);
  EXPECT_EQ(call_with(std::as_const(f)), 2);
  EXPECT_EQ(call_with(by_category()), 3);
}

TEST(Invoke, HandsArgumentsOnWithoutACopy) {
  auto moved = call_with([](std::unique_ptr<int> given) { return given; }, std::make_unique<int>(4));
  EXPECT_EQ(*moved, 4);
}

}  // namespace
