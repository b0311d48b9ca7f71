// Litmus tests: a few lines of code whose outcomes C++20 defines exactly.
#pragma once

#include <model/checker/check.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>
#include <vector>

namespace ramie::model {

using enum std::memory_order;
using results = std::set<std::string>;

/// The atomics that the threads of a litmus test share.
struct cells {
  atomic<int> x{0};
  atomic<int> y{0};
  atomic<int> z{0};
};

inline void fence(std::memory_order order, where at = where::current()) {
  machine::current().fence(event_kind::fence, order, at);
}
inline const auto no_fence = [] {};
inline const auto seq_cst_fence = [] { fence(seq_cst); };
inline const auto light_fence = [] { provider::fence_light(); };
inline const auto heavy_fence = [] { provider::fence_heavy(); };

/// The outcome of an execution: what its registers hold.
template <class... Registers>
void registers(Registers... values) {
  std::string text;
  const auto add = [&text](int value) {
    if (!text.empty()) text += ' ';
    text += std::to_string(value);
  };
  (add(values), ...);
  outcome(text);
}

/// All outcomes of a body that must not fail.
inline results outcomes_of(const std::function<void()>& body, const limits& within = {}) {
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  const report found = check(test->name(), body, within);
  EXPECT_TRUE(found.ok()) << found.text();
  return found.outcomes;
}

/// Every combination of what each register may hold.
inline results every(const std::vector<std::vector<int>>& each) {
  results all{""};
  for (const std::vector<int>& values : each) {
    results longer;
    for (const std::string& one : all) {
      for (const int value : values) {
        std::string made = one;
        if (!made.empty()) made += ' ';
        longer.insert(made += std::to_string(value));
      }
    }
    all = std::move(longer);
  }
  return all;
}
inline results every_bit(std::size_t registers) {
  return every(std::vector<std::vector<int>>(registers, std::vector<int>{0, 1}));
}
inline results without(results all, std::initializer_list<const char*> forbidden) {
  for (const char* const each : forbidden) EXPECT_EQ(all.erase(each), 1U) << each;
  return all;
}

inline report found_in(const std::function<void()>& body, const limits& within = {}) {
  return check(::testing::UnitTest::GetInstance()->current_test_info()->name(), body, within);
}

inline bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

inline void expect_failure(const std::function<void()>& body, const char* what, const limits& within = {}) {
  const report found = found_in(body, within);
  EXPECT_TRUE(found.failed);
  EXPECT_TRUE(contains(found.what, what)) << found.text();
}

inline void expect_success(const std::function<void()>& body, const limits& within = {}) {
  const report found = found_in(body, within);
  EXPECT_TRUE(found.ok()) << found.text();
  EXPECT_GT(found.complete, 0U);
}

inline constexpr limits bounded_search{.how = search::bounded, .old_values = 100};
inline constexpr limits random_walks{.how = search::walks, .walks = 500};

}  // namespace ramie::model
