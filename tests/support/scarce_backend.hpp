// Runs out of stacks when a test wants it to.
#pragma once

#include <support/thread_backend.hpp>

#include <ramie/base/error.hpp>

#include <atomic>
#include <limits>

namespace ramie::test {

class scarce_backend final : public thread_backend {
 public:
  /// So many fibers can be created yet.
  std::atomic<int> left{std::numeric_limits<int>::max()};

  scarce_backend() = default;
  explicit scarce_backend(int limit) : left(limit) {}

  fiber& create(const beginning& how) override {
    if (left.fetch_sub(1) <= 0) {
      ++left;
      throw spawn_error("no stack is left");
    }
    return thread_backend::create(how);
  }
};

}  // namespace ramie::test
