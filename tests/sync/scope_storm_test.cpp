// Random trees of scopes: everything ends, every failure is reachable, nothing is left.
#include <support/fibers.hpp>

#include <ramie/base/random.hpp>
#include <ramie/sync/scope.hpp>
#include <ramie/sync/semaphore.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace ramie {
namespace {

using namespace std::chrono_literals;

// One of a run, known by where it was thrown.
struct failure {
  std::uint64_t path;
};

class tree {
 public:
  explicit tree(std::uint64_t seed) : m_seed(seed) {}

  std::set<std::uint64_t> thrown;
  std::atomic<int> alive = 0;
  std::atomic<int> cleaned = 0;
  std::atomic<int> begun = 0;

  // A scope with some children.
  void grow(std::uint64_t path, int depth) {
    random_source random(m_seed * 1000003 + path);
    const auto draw = [&](std::uint64_t below) {
      return static_cast<int>(random.below(static_cast<std::uint32_t>(below)));
    };
    scope_options how;
    if (draw(4) == 0) how.limits = wait_limits(std::chrono::microseconds(50 + draw(3000)));
    if (draw(4) == 0) how.most_children = 1 + static_cast<std::size_t>(draw(3));
    const int children = draw(5);
    const int end = draw(8);
    with_scope(how, [&](scope& s) {
      const living here(*this);
      std::vector<child<int>> kept;
      for (int i = 0; i < children; ++i) {
        const std::uint64_t below = path * 8 + static_cast<std::uint64_t>(i) + 1;
        auto made = s.spawn([this, below, depth] { return live(below, depth - 1); });
        if (i % 2 == 0) kept.push_back(std::move(made));
      }
      if (end == 0) s.request_stop();
      if (end == 1) fail(path);
      if (end == 2) static_cast<void>(sleep_for(std::chrono::microseconds(draw(500))));
      for (auto& each : kept) {
        if (end == 3) static_cast<void>(each.wait(std::chrono::microseconds(draw(200))));
        if (end > 3) static_cast<void>(each.join());
      }
    });
  }

 private:
  // What is to be cleaned up waits, too.
  struct living {
    explicit living(tree& all) : of(all) {
      ++of.alive;
      ++of.begun;
    }
    living(const living&) = delete;
    ~living() {
      binary_semaphore answer(0);
      auto helper = spawn([&] { answer.release(); });
      answer.acquire();
      helper.join();
      --of.alive;
      ++of.cleaned;
    }
    tree& of;
  };

  [[noreturn]] void fail(std::uint64_t path) {
    {
      const std::lock_guard guard(m_lock);
      thrown.insert(path);
    }
    throw failure{path};
  }

  int live(std::uint64_t path, int depth) {
    const living here(*this);
    random_source random(m_seed * 7 + path);
    switch (random.below(depth > 0 ? 8 : 4)) {
      case 0: static_cast<void>(sleep_for(std::chrono::microseconds(random.below(300)))); break;
      case 1:
        if (random.below(3) == 0) fail(path);
        break;
      case 2: {
        binary_semaphore never(0);
        static_cast<void>(never.try_acquire_for(std::chrono::microseconds(random.below(2000))));
        break;
      }
      case 3: {
        counter down(1);
        auto plain = spawn([&] { down.decrement(); });
        wait_for_counter(down);
        plain.join();
        break;
      }
      default: grow(path, depth); break;
    }
    return 1;
  }

  const std::uint64_t m_seed;
  std::mutex m_lock;  // for `thrown`
};

void find_failures(const std::exception_ptr& error, std::set<std::uint64_t>& found) {
  try {
    std::rethrow_exception(error);
  } catch (const failure& one) {
    found.insert(one.path);
  } catch (const scope_failures& several) {
    for (const std::exception_ptr& each : several.all()) find_failures(each, found);
  } catch (const cancelled&) {  // NOLINT(bugprone-empty-catch): no failure
  }
}

void grow_and_find(std::uint64_t seed) {
  tree all(seed);
  std::set<std::uint64_t> found;
  try {
    all.grow(1, 5);
  } catch (...) {
    find_failures(std::current_exception(), found);
  }
  EXPECT_EQ(found, all.thrown) << "seed " << seed;
  EXPECT_EQ(all.alive, 0) << "seed " << seed;
  EXPECT_EQ(all.cleaned, all.begun) << "seed " << seed;
}

class ScopeStorm : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, ScopeStorm, ::testing::Values(1U, 2U, 4U));

TEST_P(ScopeStorm, TreesEnd) {
  for (const std::uint64_t seed : test::seeds(test::sanitized ? 20 : 100)) {
    run(test::with_workers(GetParam()), [&] { grow_and_find(seed); });
  }
}

TEST(ScopeStormOutside, TreesOfThreadsEnd) {
  for (const std::uint64_t seed : test::seeds(test::sanitized ? 5 : 20)) {
    scheduler_init(2);
    std::thread other([&] { grow_and_find(seed * 2 + 1); });
    grow_and_find(seed * 2);
    other.join();
    scheduler_run();
  }
}

}  // namespace
}  // namespace ramie
