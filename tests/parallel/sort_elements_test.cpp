// Elements that are no plain numbers: what is called, moved, thrown and destroyed.
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <parallel/sort_inputs.hpp>
#include <support/fibers.hpp>
#include <support/scarce_backend.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace ramie {
namespace {

using test::fingerprint;
using test::watchdog;
using test::with_workers;

class SortElements : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, SortElements, ::testing::Values(1U, 2U, 5U));

// The two elements of a comparison decide how they are sorted, and nothing else does.
const auto by_lambda = [](const auto& a, const auto& b) { return a < b; };

TEST_P(SortElements, EveryPatternAndSize) {
  test::in_runtime(with_workers(GetParam()), [] {
    for (const test::pattern& how : test::patterns()) {
      for (const std::size_t size : test::sizes()) {
        std::vector<std::uint64_t> v = test::numbers<std::uint64_t>(how, size, size + 1);
        ASSERT_TRUE(test::is_sorted_by([](auto& each) { ramie::sort(each, by_lambda); }, v))
            << how.name << ", " << size << " elements";
      }
    }
  });
}

struct large {
  std::uint64_t key;
  std::uint64_t others[7];
  bool operator<(const large& other) const { return key < other.key; }
};

TEST_P(SortElements, LargeOnes) {
  test::in_runtime(with_workers(GetParam()), [] {
    for (const test::pattern& how : test::patterns()) {
      for (const std::size_t size : {100U, 3000U, 100'000U}) {
        const auto keys = test::numbers<std::uint64_t>(how, test::sanitized ? size / 3 : size, 1);
        std::vector<large> v(keys.size());
        for (std::size_t i = 0; i < v.size(); ++i) {
          v[i].key = keys[i];
          std::fill(std::begin(v[i].others), std::end(v[i].others), ~keys[i]);
        }
        ramie::sort(v);
        std::vector<std::uint64_t> sorted;
        for (const large& each : v) {
          sorted.push_back(each.key);
          for (const std::uint64_t other : each.others) ASSERT_EQ(other, ~each.key) << how.name;
        }
        ASSERT_TRUE(std::is_sorted(sorted.begin(), sorted.end())) << how.name;
        ASSERT_EQ(fingerprint(sorted), fingerprint(keys)) << how.name;
      }
    }
  });
}

TEST_P(SortElements, Strings) {
  test::in_runtime(with_workers(GetParam()), [] {
    for (const test::pattern& how : test::patterns()) {
      std::vector<std::string> v;
      for (const std::uint64_t each : test::numbers<std::uint64_t>(how, test::sanitized ? 3000 : 100'000, 1))
        v.push_back("a string that does not fit in itself: " + std::to_string(each));
      ASSERT_TRUE(test::is_sorted_by([](auto& each) { ramie::sort(each); }, v)) << how.name;
    }
  });
}

TEST_P(SortElements, ThatCanOnlyBeMoved) {
  test::in_runtime(with_workers(GetParam()), [] {
    std::vector<std::unique_ptr<std::uint64_t>> v;
    for (const std::uint64_t each : test::numbers<std::uint64_t>(test::patterns().front(), 50'000, 1))
      v.push_back(std::make_unique<std::uint64_t>(each));
    ramie::sort(v, [](const auto& a, const auto& b) { return *a < *b; });
    EXPECT_TRUE(std::is_sorted(v.begin(), v.end(), [](const auto& a, const auto& b) { return *a < *b; }));
  });
}

// A trivially copyable type all the same.
struct handle {
  std::uint32_t number = 0;
  handle() = default;
  explicit handle(std::uint32_t n) : number(n) {}
  handle(handle&&) = default;
  handle& operator=(handle&&) = default;
  bool operator<(const handle& other) const { return number < other.number; }
};

TEST_P(SortElements, ThatCanOnlyBeMoved_ButTrivially) {
  test::in_runtime(with_workers(GetParam()), [] {
    std::vector<handle> v;
    for (const std::uint32_t each : test::numbers<std::uint32_t>(test::patterns().front(), 50'000, 1))
      v.emplace_back(each);
    ramie::sort(v);
    EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  });
}

TEST_P(SortElements, InADeque) {
  test::in_runtime(with_workers(GetParam()), [] {
    const auto made = test::numbers<std::uint32_t>(test::patterns().front(), 100'000, 1);
    std::deque<std::uint32_t> deque(made.begin(), made.end());
    ramie::sort(deque);
    EXPECT_TRUE(std::is_sorted(deque.begin(), deque.end()));
  });
}

TEST(SortRanges, ArraysSpansDequesAndSubranges) {
  test::in_runtime(with_workers(2), [] {
    int array[] = {3, 1, 2};
    ramie::sort(array);
    EXPECT_TRUE(std::is_sorted(std::begin(array), std::end(array)));
    std::vector<double> v{3, 1, 2};
    ramie::sort(std::span(v).first(2));
    EXPECT_EQ(v, (std::vector<double>{1, 3, 2}));
    std::deque<std::uint32_t> deque;
    for (std::uint32_t i = 0; i < 10'000; ++i) deque.push_back(i * 7919 % 10'007);
    ramie::sort(deque);
    EXPECT_TRUE(std::is_sorted(deque.begin(), deque.end()));
    ramie::sort(v.data(), v.data() + v.size(), std::greater<>());
    EXPECT_EQ(v, (std::vector<double>{3, 2, 1}));
  });
}

/// Counts its instances, and throws at the `left`th move or comparison, if that is not negative.
struct counted {
  static inline std::atomic<std::int64_t> alive{0};
  static inline std::atomic<std::int64_t> moves_left{-1};
  static inline std::atomic<std::int64_t> comparisons_left{-1};

  static void count_down(std::atomic<std::int64_t>& left) {
    if (left.load() >= 0 && left.fetch_sub(1) == 0) throw std::runtime_error("the time has come");
  }

  std::uint64_t key;
  const counted* self = this;  // it knows where it lies

  explicit counted(std::uint64_t k) : key(k) { ++alive; }
  counted(const counted&) = delete;
  counted(counted&& other) : key(other.key) {
    EXPECT_EQ(other.self, &other);
    count_down(moves_left);
    ++alive;
  }
  counted& operator=(counted&& other) {
    EXPECT_EQ(self, this);
    count_down(moves_left);
    key = other.key;
    return *this;
  }
  ~counted() {
    EXPECT_EQ(self, this);
    --alive;
  }
  bool operator<(const counted& other) const {
    EXPECT_EQ(self, this);
    count_down(comparisons_left);
    return key < other.key;
  }
};

class SortExceptions : public ::testing::TestWithParam<unsigned> {
 protected:
  void TearDown() override {
    counted::moves_left = -1;
    counted::comparisons_left = -1;
    EXPECT_EQ(counted::alive, 0);
  }

  static std::vector<counted> made(const std::vector<std::uint64_t>& keys) {
    std::vector<counted> v;
    v.reserve(keys.size());
    for (const std::uint64_t each : keys) v.emplace_back(each);
    return v;
  }
  static std::vector<std::uint64_t> keys_of(const std::vector<counted>& v) {
    std::vector<std::uint64_t> keys;
    for (const counted& each : v) keys.push_back(each.key);
    return keys;
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, SortExceptions, ::testing::Values(1U, 2U, 5U));

TEST_P(SortExceptions, FromTheKthComparison_LeaveAPermutation) {
  const watchdog limit("comparisons that throw");
  test::in_runtime(with_workers(GetParam()), [] {
    for (const test::pattern& how : test::patterns()) {
      const auto keys = test::numbers<std::uint64_t>(how, 300, 1);
      bool thrown = true;
      for (std::int64_t k = 0; thrown; k = k < 200 ? k + 1 : k + k / 16) {
        std::vector<counted> v = made(keys);
        counted::comparisons_left = k;
        thrown = false;
        try {
          ramie::sort({.grain = 32}, v);
        } catch (const std::runtime_error&) {
          thrown = true;
        }
        counted::comparisons_left = -1;
        ASSERT_EQ(fingerprint(keys_of(v)), fingerprint(keys)) << how.name << " at " << k;
        ASSERT_TRUE(thrown || std::is_sorted(v.begin(), v.end())) << how.name << " at " << k;
      }
    }
  });
}

// Large enough for a partition by all workers.
TEST_P(SortExceptions, FromAComparison_OfManyElements_LeaveAPermutation) {
  const watchdog limit("comparisons that throw");
  const auto keys = test::numbers<std::uint64_t>(test::patterns().front(), test::sanitized ? 70'000 : 200'000, 1);
  for (std::int64_t k = 1; k < 800'000; k = 3 * k + 1) {
    test::in_runtime(with_workers(GetParam()), [&] {
      std::vector<counted> v = made(keys);
      counted::comparisons_left = k;
      EXPECT_THROW(ramie::sort(v), std::runtime_error);
      ASSERT_EQ(fingerprint(keys_of(v)), fingerprint(keys)) << "at " << k;
    });
  }
}

TEST_P(SortExceptions, FromTheKthMove_LeakNothing) {
  const watchdog limit("moves that throw");
  test::in_runtime(with_workers(GetParam()), [] {
    for (const test::pattern& how : test::patterns()) {
      const auto keys = test::numbers<std::uint64_t>(how, 300, 1);
      bool thrown = true;
      for (std::int64_t k = 0; thrown; k = k < 100 ? k + 1 : k + k / 8) {
        std::vector<counted> v = made(keys);
        counted::moves_left = k;
        thrown = false;
        try {
          ramie::sort({.grain = 32}, v);
        } catch (const std::runtime_error&) {
          thrown = true;
        }
        counted::moves_left = -1;
        ASSERT_EQ(counted::alive, static_cast<std::int64_t>(keys.size()));
        ASSERT_TRUE(thrown || std::is_sorted(v.begin(), v.end())) << how.name << " at " << k;
      }
    }
  });
}

// It throws what a fork throws that gets no stack, while there is none.
TEST(SortExceptionsWithoutStacks, OfAComparison_AreNotTakenForRefusals) {
  const watchdog limit("comparisons that throw without stacks");
  test::scarce_backend backend;
  options chosen = with_workers(3);
  chosen.backend = &backend;
  test::in_runtime(chosen, [&] {
    for (int round = 0; round < 30; ++round) {
      auto v = test::numbers<std::uint64_t>(test::patterns().front(), 5000, 1);
      std::atomic<int> left{500 * round};
      backend.left = 0;
      EXPECT_THROW(test::erased_sort({.grain = 100}, v,
                                     [&](std::uint64_t a, std::uint64_t b) {
                                       if (--left < 0) throw spawn_error("from a comparison");
                                       return a < b;
                                     }),
                   spawn_error);
      backend.left = 1000;
    }
  });
}

TEST_P(SortElements, AComparisonThatIsNoOrder_LosesNothing) {
  const watchdog limit("comparisons that are no order");
  test::in_runtime(with_workers(GetParam()), [] {
    const auto keys = test::numbers<std::uint64_t>(test::patterns().front(), test::sanitized ? 40'000 : 150'000, 1);
    const std::uint64_t expected = fingerprint(keys);
    auto v = keys;
    test::erased_sort({}, v, [](std::uint64_t, std::uint64_t) { return true; });
    EXPECT_EQ(fingerprint(v), expected);
    test::erased_sort({}, v, [](std::uint64_t a, std::uint64_t b) { return (a ^ (b >> 3U)) % 3 == 0; });
    EXPECT_EQ(fingerprint(v), expected);
    test::erased_sort({}, v, [](std::uint64_t a, std::uint64_t b) { return a <= b; });
    EXPECT_EQ(fingerprint(v), expected);
    std::vector<double> with_nans(20'000);
    for (std::size_t i = 0; i < with_nans.size(); ++i)
      with_nans[i] = i % 3 == 0 ? std::nan("") : static_cast<double>(keys[i]);
    const std::uint64_t bits = fingerprint(with_nans);
    ramie::sort(with_nans, by_lambda);
    EXPECT_EQ(fingerprint(with_nans), bits);
  });
}

// McIlroy, "A killer adversary for quicksort", Software: Practice and Experience 29, 1999. It decides what the elements
// are while they are compared: every pivot turns out to be nearly the least.
class adversary {
 public:
  explicit adversary(std::size_t count) : m_value(count, gas(count)), m_gas(gas(count)) {}

  bool less(std::size_t a, std::size_t b) {
    ++m_comparisons;
    if (m_value[a] == m_gas && m_value[b] == m_gas) {
      (a == m_candidate ? m_value[a] : m_value[b]) = m_solid++;
    }
    if (m_value[a] == m_gas) {
      m_candidate = a;
    } else if (m_value[b] == m_gas) {
      m_candidate = b;
    }
    return m_value[a] < m_value[b];
  }
  [[nodiscard]] std::uint64_t comparisons() const { return m_comparisons; }

 private:
  static std::size_t gas(std::size_t count) { return count; }

  std::vector<std::size_t> m_value;
  std::size_t m_gas;
  std::size_t m_solid = 0;
  std::size_t m_candidate = 0;
  std::uint64_t m_comparisons = 0;
};

TEST(SortAdversary, AgainstEveryPivot_StaysWithinNLogNComparisons) {
  const watchdog limit("an adversary");
  test::in_runtime(with_workers(1), [] {
    for (const std::size_t count : {100U, 1000U, 10'000U, 100'000U}) {
      adversary against(count);
      std::vector<std::size_t> v(count);
      std::iota(v.begin(), v.end(), std::size_t{0});
      const auto less = [&](std::size_t a, std::size_t b) { return against.less(a, b); };
      test::erased_sort({}, v, less);
      EXPECT_TRUE(std::is_sorted(v.begin(), v.end(), less));
      const auto n = static_cast<double>(count);
      EXPECT_LT(static_cast<double>(against.comparisons()), 5 * n * std::log2(n)) << count << " elements";
    }
  });
}

TEST(SortComparisons, OfWhatIsSortedOrReversed_AreNMinusOne) {
  test::in_runtime(with_workers(2), [] {
    const std::size_t n = 100'000;
    for (const char* name : {"sorted", "reversed"}) {
      for (const test::pattern& how : test::patterns()) {
        if (std::string(how.name) != name) continue;
        auto v = test::numbers<std::uint64_t>(how, n, 1);
        std::atomic<std::size_t> comparisons{0};
        test::erased_sort({}, v, [&](std::uint64_t a, std::uint64_t b) {
          comparisons.fetch_add(1, std::memory_order_relaxed);
          return a < b;
        });
        EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
        EXPECT_LE(comparisons, n) << name;
      }
    }
  });
}

TEST(SortElementsStop, InTheMiddle_LeavesAPermutation) {
  test::in_runtime(with_workers(2), [] {
    const auto keys = test::numbers<std::uint64_t>(test::patterns().front(), 100'000, 1);
    for (std::size_t after = 1; after < 3'000'000; after *= 4) {
      auto v = keys;
      std::stop_source source;
      std::atomic<std::size_t> left{after};
      bool was_stopped = false;
      try {
        test::erased_sort({.stop = source.get_token()}, v, [&](std::uint64_t a, std::uint64_t b) {
          if (left.fetch_sub(1) == 1) source.request_stop();
          return a < b;
        });
      } catch (const stopped&) {
        was_stopped = true;
      }
      EXPECT_EQ(fingerprint(v), fingerprint(keys));
      if (after <= 100'000) {
        EXPECT_TRUE(was_stopped) << after;
      }
      EXPECT_TRUE(was_stopped || std::is_sorted(v.begin(), v.end())) << after;
    }
  });
}

TEST(SortElementsStop, ARequestOfTheLastComparison_LeavesNothingUndone) {
  test::in_runtime(with_workers(1), [] {
    for (const bool stable : {false, true}) {
      for (const test::pattern& how : test::patterns()) {
        for (const std::size_t size : {2U, 40U, 3000U}) {
          const auto keys = test::numbers<std::uint64_t>(how, size, 1);
          const auto calls_until = [&](int when) {
            std::stop_source stop;
            int calls = 0;
            auto v = keys;
            const parallel_policy policy{.stop = stop.get_token(), .grain = 8};
            const auto less = [&](std::uint64_t a, std::uint64_t b) {
              if (++calls == when) stop.request_stop();
              return a < b;
            };
            EXPECT_NO_THROW(stable ? test::erased_stable_sort(policy, v, less) : test::erased_sort(policy, v, less))
                << how.name << ", " << size << " elements";
            EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
            return calls;
          };
          calls_until(calls_until(0));
        }
      }
    }
  });
}

/// Distances of its are ints, as those of some containers, or smaller.
template <class T, class Difference = int>
class near_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = Difference;
  using pointer = T*;
  using reference = T&;

  near_iterator() = default;
  explicit near_iterator(T* at) : m_at(at) {}
  T& operator*() const { return *m_at; }
  T& operator[](Difference i) const { return m_at[i]; }
  near_iterator& operator+=(Difference by) { return m_at += by, *this; }
  near_iterator& operator-=(Difference by) { return m_at -= by, *this; }
  near_iterator& operator++() { return *this += 1; }
  near_iterator& operator--() { return *this -= 1; }
  near_iterator operator++(int) { return near_iterator(m_at++); }
  near_iterator operator--(int) { return near_iterator(m_at--); }
  friend near_iterator operator+(near_iterator i, Difference by) { return i += by; }
  friend near_iterator operator+(Difference by, near_iterator i) { return i += by; }
  friend near_iterator operator-(near_iterator i, Difference by) { return i -= by; }
  friend Difference operator-(near_iterator a, near_iterator b) { return static_cast<Difference>(a.m_at - b.m_at); }
  friend auto operator<=>(near_iterator, near_iterator) = default;

 private:
  T* m_at = nullptr;
};

TEST(SortNearIterators, OfAnySizeThatTheyCanSay_AndAnyGrain) {
  const watchdog limit("sorts of iterators whose distances are ints");
  test::in_runtime(with_workers(2), [] {
    auto keys = test::numbers<std::uint64_t>(test::patterns().front(), 5000, 1);
    for (const std::size_t grain : {std::size_t{0}, std::size_t{10}, std::numeric_limits<std::size_t>::max()}) {
      for (const bool stable : {false, true}) {
        auto v = keys;
        const near_iterator<std::uint64_t> first(v.data());
        if (stable) {
          ramie::stable_sort({.grain = grain}, first, first + 5000, by_lambda);
        } else {
          ramie::sort({.grain = grain}, first, first + 5000, by_lambda);
        }
        ASSERT_TRUE(std::is_sorted(v.begin(), v.end())) << grain;
      }
    }
    // So many stripes that the product of their number and the size is no int.
    std::vector<std::uint8_t> bytes(13'000'000);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 2654435761U >> 13U);
    const auto small = [](std::uint8_t each) { return each < 128; };
    const auto expected = std::count_if(bytes.begin(), bytes.end(), small);
    const near_iterator<std::uint8_t> begin(bytes.data());
    const near_iterator<std::uint8_t> end(bytes.data() + bytes.size());
    const auto boundary = detail::sorting::partition_together(begin, end, 1000, small);
    EXPECT_EQ(boundary - begin, expected);
    EXPECT_TRUE(std::is_partitioned(bytes.begin(), bytes.end(), small));
  });
}

TEST(SortNearIterators, WhoseDistancesAreBytes) {
  test::in_runtime(with_workers(2), [] {
    const auto keys = test::numbers<std::uint64_t>(test::patterns().front(), 100, 1);
    for (const bool stable : {false, true}) {
      for (const std::size_t grain : {0U, 1U, 10U}) {
        for (const bool sorted : {false, true}) {
          auto v = keys;
          if (sorted) std::sort(v.begin(), v.end());
          const near_iterator<std::uint64_t, signed char> first(v.data());
          const auto last = first + static_cast<signed char>(100);
          if (stable) {
            ramie::stable_sort({.grain = grain}, first, last, by_lambda);
          } else {
            ramie::sort({.grain = grain}, first, last, by_lambda);
          }
          ASSERT_TRUE(std::is_sorted(v.begin(), v.end())) << grain;
        }
      }
    }
  });
}

/// Looks as if a copy of it were a few instructions, but is moved.
struct throws_when_moved {
  throws_when_moved() = default;
  throws_when_moved(const throws_when_moved&) = default;
  throws_when_moved& operator=(const throws_when_moved&) = default;
  throws_when_moved(throws_when_moved&& other) noexcept(false) : key(other.key) { count(); }
  throws_when_moved& operator=(throws_when_moved&& other) noexcept(false) {
    key = other.key;
    count();
    return *this;
  }
  static void count() {
    if (--left == 0) throw 5;
  }
  static inline std::atomic<int> left{0};
  std::uint64_t key = 0;
};

TEST_P(SortExceptions, FromAMoveBesideATrivialCopy_LeaveTheSort) {
  test::in_runtime(with_workers(GetParam()), [] {
    for (const bool stable : {false, true}) {
      for (int when = 1; when < 3000; when += 1 + when / 2) {
        std::vector<throws_when_moved> v(200);
        for (std::size_t i = 0; i < v.size(); ++i) v[i].key = i * 7919 % 200;
        const auto less = [](const throws_when_moved& a, const throws_when_moved& b) { return a.key < b.key; };
        throws_when_moved::left = when;
        bool thrown = false;
        try {
          stable ? ramie::stable_sort(v, less) : ramie::sort(v, less);
        } catch (int) {
          thrown = true;
        }
        EXPECT_EQ(thrown, throws_when_moved::left <= 0);
        throws_when_moved::left = 0;
        EXPECT_TRUE(thrown || std::is_sorted(v.begin(), v.end(), less));
      }
    }
  });
}

TEST(SortElementsStack, SixteenKibibytesOfStack_AreEnough) {
  test::in_runtime(with_workers(2), [] {
    test::have_fibers_made();
    spawn({.stack_size = test::little_stack}, [] {
      for (const test::pattern& how : test::patterns()) {
        auto v = test::numbers<std::uint64_t>(how, test::sanitized ? 50'000 : 1'000'000, 1);
        ramie::sort(v, by_lambda);
        ASSERT_TRUE(std::is_sorted(v.begin(), v.end())) << how.name;
      }
    }).join();
  });
}

TEST(SortElementsStorm, RandomSizesPatternsAndGrains) {
  const watchdog limit("storm of sorts");
  for (const std::uint64_t seed : test::seeds(20)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_source random(seed);
    test::in_runtime(with_workers(1 + random.below(6)), [&] {
      const test::pattern& how = test::patterns()[random.below(static_cast<std::uint32_t>(test::patterns().size()))];
      auto v = test::numbers<std::uint64_t>(how, random.below(test::sanitized ? 50'000 : 200'000), random.next());
      const std::uint64_t before = fingerprint(v);
      test::erased_sort({.grain = 1 + random.below(3000)}, v, [&](std::uint64_t a, std::uint64_t b) {
        if ((a ^ b) % 4096 == 0) yield();  // comparisons may do what fibers may
        return a < b;
      });
      ASSERT_TRUE(std::is_sorted(v.begin(), v.end())) << how.name;
      ASSERT_EQ(fingerprint(v), before) << how.name;
    });
  }
}

}  // namespace
}  // namespace ramie
