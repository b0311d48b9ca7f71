// Stable sorts keep the order of equal elements, for every type and by every way.
#include <ramie/ramie.hpp>

#include <parallel/erased.hpp>
#include <parallel/sort_inputs.hpp>
#include <support/fibers.hpp>
#include <support/scarce_backend.hpp>
#include <support/watchdog.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

namespace ramie {
namespace {

using test::watchdog;
using test::with_workers;

/// The key that is compared, and its place before. The rest must come along.
template <std::size_t Padding>
struct entry {
  std::uint32_t key;
  std::uint32_t place;
  std::array<std::uint64_t, Padding> rest{};

  entry(std::uint64_t k, std::size_t at) : key(static_cast<std::uint32_t>(k)), place(static_cast<std::uint32_t>(at)) {
    rest.fill(place);
  }
  [[nodiscard]] bool is_whole() const {
    return std::all_of(rest.begin(), rest.end(), [&](std::uint64_t each) { return each == place; });
  }
};

/// Lives on the heap.
struct named {
  std::string name;
  std::uint32_t place;

  named(std::uint64_t k, std::size_t at)
      : name("a name that does not fit in itself " + std::to_string(1'000'000 + k % 1'000'000)),
        place(static_cast<std::uint32_t>(at)) {}
  [[nodiscard]] static bool is_whole() { return true; }
};

/// Its moves say that they may throw; so it is sorted in place. It knows where it lies.
struct anxious {
  std::uint64_t key;
  std::uint32_t place;
  const anxious* self = this;

  anxious(std::uint64_t k, std::size_t at) : key(k), place(static_cast<std::uint32_t>(at)) {}
  anxious(anxious&& other) : key(other.key), place(other.place) {}  // NOLINT(performance-noexcept-move-constructor)
  anxious& operator=(anxious&& other) {                             // NOLINT(performance-noexcept-move-constructor)
    key = other.key;
    place = other.place;
    return *this;
  }
  anxious(const anxious&) = delete;
  anxious& operator=(const anxious&) = delete;
  ~anxious() = default;
  [[nodiscard]] bool is_whole() const { return self == this; }
};

struct before {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return key(a) < key(b);
  }

 private:
  template <class T>
  static const auto& key(const T& of) {
    if constexpr (requires { of.name; }) {
      return of.name;
    } else {
      return of.key;
    }
  }
};

/// The elements of a test, whatever their type: what a case does is compiled once.
class sequence {
 public:
  /// Of two elements: where they were, and whether the first one's key is before the other one's.
  using comparison = test::function_ref<bool(std::uint32_t place, std::uint32_t other_place, bool is_before)>;

  sequence() = default;
  sequence(const sequence&) = delete;
  sequence& operator=(const sequence&) = delete;
  virtual ~sequence() = default;

  virtual void make(const test::pattern& how, std::size_t count, std::uint64_t seed) = 0;
  virtual void stable_sort(const parallel_policy& how, comparison less) = 0;
  virtual void sort(const parallel_policy& how, comparison less) = 0;
  /// All of them are there, whole.
  virtual void check_all_are_there() const = 0;
  /// And sorted, with equal ones in the order of their places.
  virtual void check() const = 0;
  /// And in the order of their places.
  virtual void check_places() const = 0;
};

const auto by_key = [](std::uint32_t, std::uint32_t, bool is_before) { return is_before; };

template <class Range>
void check_that_all_are_there(const Range& v) {
  std::vector<bool> seen(v.size());
  for (const auto& each : v) {
    ASSERT_LT(each.place, v.size());
    ASSERT_FALSE(seen[each.place]) << "twice: " << each.place;
    seen[each.place] = true;
    ASSERT_TRUE(each.is_whole());
  }
}

template <class Range>
void check_that_it_is_sorted(const Range& v) {
  check_that_all_are_there(v);
  for (std::size_t i = 1; i < v.size(); ++i) {
    ASSERT_FALSE(before()(v[i], v[i - 1])) << "at " << i;
    ASSERT_TRUE(before()(v[i - 1], v[i]) || v[i - 1].place < v[i].place) << "at " << i;
  }
}

template <class T>
std::vector<T> made(const test::pattern& how, std::size_t count, std::uint64_t seed) {
  const std::vector<std::uint64_t> keys = test::random_bits(how, count, seed);
  std::vector<T> v;
  v.reserve(count);
  // Every eighth of a key's values is the same one, so that there are equal ones in every pattern.
  for (std::size_t i = 0; i < count; ++i) v.emplace_back(keys[i] / 8, i);
  return v;
}

template <class T>
class sequence_of final : public sequence {
 public:
  void make(const test::pattern& how, std::size_t count, std::uint64_t seed) override {
    m_all = made<T>(how, count, seed);
  }
  void stable_sort(const parallel_policy& how, comparison less) override {
    ramie::stable_sort(how, m_all, [less](const T& a, const T& b) { return less(a.place, b.place, before()(a, b)); });
  }
  void sort(const parallel_policy& how, comparison less) override {
    ramie::sort(how, m_all, [less](const T& a, const T& b) { return less(a.place, b.place, before()(a, b)); });
  }
  void check_all_are_there() const override { check_that_all_are_there(m_all); }
  void check() const override { check_that_it_is_sorted(m_all); }
  void check_places() const override {
    for (std::size_t i = 0; i < m_all.size(); ++i) ASSERT_EQ(m_all[i].place, i);
  }

 private:
  std::vector<T> m_all;
};

template <class T>
class StableSort : public ::testing::Test {
 protected:
  sequence_of<T> m_elements;
};
using elements = ::testing::Types<entry<0>, entry<7>, named, anxious>;
TYPED_TEST_SUITE(StableSort, elements);

void sort_every_pattern_and_size(sequence& v) {
  const watchdog limit("stable sorts of many sizes");
  for (const unsigned workers : {1U, 2U, 5U}) {
    test::in_runtime(with_workers(workers), [&] {
      for (const test::pattern& how : test::patterns()) {
        for (const std::size_t size :
             {0U, 1U, 2U, 3U, 7U, 8U, 12U, 13U, 31U, 32U, 33U, 63U, 100U, 1000U, 5000U, 20'000U}) {
          v.make(how, test::sanitized ? size / 4 : size, size + 1);
          v.stable_sort({}, by_key);
          v.check();
          if (::testing::Test::HasFailure()) {
            FAIL() << how.name << ", " << size << " elements";
          }
        }
      }
    });
  }
}
TYPED_TEST(StableSort, EveryPatternSizeAndNumberOfWorkers) { sort_every_pattern_and_size(this->m_elements); }

void sort_with_a_grain(sequence& v) {
  test::in_runtime(with_workers(2), [&] {
    for (const std::size_t grain : {1U, 5U, 40U, 3000U}) {
      v.make(test::patterns().front(), 6000, grain);
      v.stable_sort({.grain = grain}, by_key);
      v.check();
    }
  });
}
TYPED_TEST(StableSort, WithAGrain) { sort_with_a_grain(this->m_elements); }

TEST(StableSortOfNames, InADeque) {
  test::in_runtime(with_workers(2), [] {
    auto source = made<named>(test::patterns().front(), 6000, 1);
    std::deque<named> deque;
    for (named& each : source) deque.emplace_back(std::move(each));
    ramie::stable_sort(deque.begin(), deque.end(), before());
    check_that_it_is_sorted(deque);
  });
}

TEST(StableSortOfNames, FromAThreadThatRunsNoFiber) {
  const watchdog limit("a sort from a thread");
  scheduler_init(2);
  counter sorted(1);
  spawn([&] { wait_for_counter(sorted); }).detach();
  sequence_of<named> v;
  v.make(test::patterns().front(), 20'000, 1);
  std::jthread outside([&] {
    v.stable_sort({}, by_key);
    sorted.decrement();
  });
  scheduler_run();
  v.check();
}

void throw_from_comparisons(sequence& v) {
  const watchdog limit("comparisons that throw");
  test::in_runtime(with_workers(3), [&] {
    for (std::int64_t after = 1; after < 200'000; after += 1 + after / 3) {
      v.make(test::patterns().front(), 10'000, 1);
      std::atomic<std::int64_t> left{after};
      bool thrown = false;
      try {
        v.stable_sort({.grain = 300}, [&](std::uint32_t, std::uint32_t, bool is_before) {
          if (--left == 0) throw std::runtime_error("the time has come");
          return is_before;
        });
      } catch (const std::runtime_error&) {
        thrown = true;
      }
      EXPECT_EQ(thrown, left <= 0) << after;
      v.check_all_are_there();
      ASSERT_FALSE(::testing::Test::HasFailure()) << after;
    }
  });
}
TYPED_TEST(StableSort, AComparisonThatThrows_LeavesAllElements) { throw_from_comparisons(this->m_elements); }

void stop_in_the_middle(sequence& v) {
  test::in_runtime(with_workers(3), [&] {
    for (std::int64_t after = 1; after < 200'000; after += after) {
      v.make(test::patterns().front(), 10'000, 1);
      std::stop_source stop;
      std::atomic<std::int64_t> left{after};
      bool was_stopped = false;
      try {
        v.stable_sort({.stop = stop.get_token(), .grain = 300}, [&](std::uint32_t, std::uint32_t, bool is_before) {
          if (--left == 0) stop.request_stop();
          return is_before;
        });
      } catch (const stopped&) {
        was_stopped = true;
      }
      EXPECT_TRUE(was_stopped || after > 10'000) << after;
      if (!was_stopped) v.check();
      v.check_all_are_there();
      ASSERT_FALSE(::testing::Test::HasFailure()) << after;
    }
  });
}
TYPED_TEST(StableSort, AStopRequest_LeavesAllElements) { stop_in_the_middle(this->m_elements); }

void sort_in_no_order(sequence& v) {
  using place = std::uint32_t;
  const auto all_are_less = [](place, place, bool) { return true; };
  const auto some_are_less = [](place a, place b, bool) { return (a ^ b) % 3 == 0; };
  const auto equals_are_less = [](place a, place b, bool) { return a >= b; };
  test::in_runtime(with_workers(3), [&] {
    for (const sequence::comparison wrong : {sequence::comparison(all_are_less), sequence::comparison(some_are_less),
                                             sequence::comparison(equals_are_less)}) {
      v.make(test::patterns().front(), 10'000, 1);
      v.stable_sort({.grain = 300}, wrong);
      v.check_all_are_there();
    }
  });
}
TYPED_TEST(StableSort, AComparisonThatIsNoOrder_LosesNothing) { sort_in_no_order(this->m_elements); }

// Forks that are taken while there is no stack for them are calls.
void sort_without_stacks(sequence& v) {
  const watchdog limit("sorts without stacks");
  test::scarce_backend backend;
  options chosen = with_workers(3);
  chosen.backend = &backend;
  test::in_runtime(chosen, [&] {
    for (int round = 0; round < 20; ++round) {
      backend.left = round % 3;
      v.make(test::patterns().front(), 5000, 1);
      v.stable_sort({.grain = 100}, [](std::uint32_t a, std::uint32_t b, bool is_before) {
        if ((a + b) % 1024 == 0) yield();
        return is_before;
      });
      v.check();
      v.sort({.grain = 100}, [](std::uint32_t a, std::uint32_t b, bool) {
        if ((a + b) % 1024 == 0) yield();
        return a < b;
      });
      v.check_places();
    }
    backend.left = 1000;
  });
}
TYPED_TEST(StableSort, WithoutStacks_SortsAllTheSame) { sort_without_stacks(this->m_elements); }

TEST(StableSortMemory, MoreThanThereCanBe_IsNone) {
  EXPECT_EQ(detail::sorting::scratch<std::uint64_t>(std::size_t{1} << 62U).get(), nullptr);
}

#if !RAMIE_ASAN && !RAMIE_TSAN
/// No more address space than there is, while it lives.
class nothing_more {
 public:
  nothing_more() {
    ::getrlimit(RLIMIT_AS, &m_before);
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    rlimit now = m_before;
    now.rlim_cur = pages * 4096 + (1U << 20U);
    ::setrlimit(RLIMIT_AS, &now);
  }
  nothing_more(const nothing_more&) = delete;
  nothing_more& operator=(const nothing_more&) = delete;
  ~nothing_more() { ::setrlimit(RLIMIT_AS, &m_before); }

 private:
  rlimit m_before{};
};

TEST(StableSortOfLargeOnes, WithoutMemory_IsDoneInPlace) {
  test::in_runtime(with_workers(1), [] {
    sequence_of<entry<7>> v;
    v.make(test::patterns().front(), 100'000, 1);
    {
      const nothing_more limit;
      // Nor what malloc has kept.
      std::array<void*, 100> kept{};
      for (void*& each : kept) each = detail::sorting::allocate_scratch(100'000 * sizeof(entry<7>), 8);
      EXPECT_EQ(kept.back(), nullptr);
      v.stable_sort({}, by_key);
      for (void* each : kept) detail::sorting::free_scratch(each);
    }
    v.check();
  });
}
#endif

TEST(StableSortNumbers, EveryType) {
  test::in_runtime(with_workers(2), [] {
    for (const std::size_t size : test::sizes()) {
      const test::pattern& how = test::patterns()[size % test::patterns().size()];
      const auto check = [&](auto v, auto... compare) {
        EXPECT_TRUE(test::is_sorted_by([&](auto& each) { ramie::stable_sort(each, compare...); }, v, compare...))
            << how.name << ", " << size;  // equal numbers are the same
      };
      check(test::numbers<std::int8_t>(how, size, 1));
      check(test::numbers<std::uint16_t>(how, size, 2), std::greater<>());
      check(test::numbers<std::int32_t>(how, size, 3));
      check(test::numbers<std::uint64_t>(how, size, 4), std::greater<>());
      check(test::numbers<float>(how, size, 5));
      check(test::numbers<double>(how, size, 6), std::greater<>());
    }
  });
}

// They are equal, and can be told apart.
TEST(StableSortNumbers, ZerosOfEitherSign_KeepTheirOrder) {
  test::in_runtime(with_workers(2), [] {
    for (const std::size_t size : {2U, 10U, 1000U, 200'000U}) {
      random_source random(size);
      std::vector<double> v(size);
      for (double& each : v) each = random.below(3) - 1.0;
      for (std::size_t i = 0; i < size; ++i) v[i] = v[i] == 0 && random.below(2) == 0 ? -0.0 : v[i];
      std::vector<double> expected;
      for (const double value : {-1.0, 0.0, 1.0})
        std::copy_if(v.begin(), v.end(), std::back_inserter(expected), [=](double each) { return each == value; });
      ramie::stable_sort(v);
      ASSERT_TRUE(std::memcmp(v.data(), expected.data(), size * sizeof(double)) == 0) << size;
    }
  });
}

TEST(StableSortStack, SixteenKibibytesOfStack_AreEnough) {
  test::in_runtime(with_workers(2), [] {
    test::have_fibers_made();
    spawn({.stack_size = test::little_stack}, [] {
      for (const test::pattern& how : test::patterns()) {
        auto v = test::numbers<std::uint64_t>(how, test::sanitized ? 50'000 : 500'000, 1);
        ramie::stable_sort(v, [](std::uint64_t a, std::uint64_t b) { return a < b; });
        ASSERT_TRUE(std::is_sorted(v.begin(), v.end())) << how.name;
      }
    }).join();
  });
}

// The merges that exchange blocks are the deepest: of what was rotated, they halve one side only.
TEST(StableSortOfAnxiousOnes, SixteenKibibytesOfStack_AreEnough) {
  test::in_runtime(with_workers(2), [] {
    test::have_fibers_made();
    spawn({.stack_size = test::little_stack}, [] {
      auto v = made<anxious>(test::patterns().front(), test::sanitized ? 20'000 : 300'000, 1);
      for (std::size_t i = 0; i < v.size(); ++i) v[i].key = (i + v.size() / 3) % v.size();
      ramie::stable_sort({.grain = 1}, v, before());
      check_that_it_is_sorted(v);
    }).join();
  });
}

TEST(StableSortStorm, RandomSizesPatternsAndGrains) {
  const watchdog limit("storm of stable sorts");
  for (const std::uint64_t seed : test::seeds(20)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_source random(seed);
    test::in_runtime(with_workers(1 + random.below(6)), [&] {
      const test::pattern& how = test::patterns()[random.below(static_cast<std::uint32_t>(test::patterns().size()))];
      const auto keys =
          test::numbers<std::uint32_t>(how, random.below(test::sanitized ? 30'000 : 200'000), random.next());
      std::vector<std::uint64_t> v;
      for (const std::uint32_t key : keys) v.push_back(std::uint64_t{key / 16} << 32U | v.size());
      const std::uint64_t before = test::fingerprint(v);
      test::erased_stable_sort({.grain = 1 + random.below(3000)}, v, [&](std::uint64_t a, std::uint64_t b) {
        if ((a ^ b) % 4096 == 0) yield();  // comparisons may do what fibers may
        return a >> 32U < b >> 32U;
      });
      ASSERT_TRUE(std::is_sorted(v.begin(), v.end())) << how.name;
      ASSERT_EQ(test::fingerprint(v), before) << how.name;
    });
  }
}

}  // namespace
}  // namespace ramie
