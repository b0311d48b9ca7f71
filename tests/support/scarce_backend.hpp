// Runs out of stacks when a test wants it to.
#pragma once

#include <support/thread_backend.hpp>

#include <ramie/base/error.hpp>

#include <atomic>
#include <limits>

namespace ramie::test {

class scarce_backend final : public execution_backend {
 public:
  /// So many fibers can be created yet.
  std::atomic<int> left{std::numeric_limits<int>::max()};

  scarce_backend() = default;
  explicit scarce_backend(int limit) : left(limit) {}

  fiber& create(context::entry_function entry) override {
    if (left.fetch_sub(1) <= 0) {
      ++left;
      throw spawn_error("no stack is left");
    }
    return m_threads.create(entry);
  }
  void* switch_to(context::execution& from, context::execution& to, void* message) override {
    return m_threads.switch_to(from, to, message);
  }
  void destroy(fiber& finished) noexcept override { m_threads.destroy(finished); }

 private:
  thread_backend m_threads;
};

}  // namespace ramie::test
