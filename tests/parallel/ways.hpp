// The ways in which a fork may be carried out, as parameters of tests.
#pragma once

#include <ramie/ramie.hpp>

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

namespace ramie::test {

/// `fences`: as where the kernel has no membarrier(2). Then every fork and join takes the slow path.
struct way {
  unsigned workers;
  fork_stealing leaves = fork_stealing::child;
  bool fences = false;

  [[nodiscard]] options chosen() const { return {.workers = workers, .fork_stealing = leaves}; }

  friend std::ostream& operator<<(std::ostream& out, const way& w) {
    return out << w.workers << (w.leaves == fork_stealing::child ? "_leaving_children" : "_leaving_continuations")
               << (w.fences ? "_with_fences" : "");
  }
};

inline std::vector<way> all_ways(std::vector<unsigned> workers) {
  std::vector<way> all;
  for (const unsigned w : workers) {
    all.push_back({.workers = w});
    all.push_back({.workers = w, .fences = true});
    all.push_back({.workers = w, .leaves = fork_stealing::continuation});
  }
  return all;
}

class in_each_way : public ::testing::TestWithParam<way> {
 protected:
  void SetUp() override {
    if (GetParam().fences) detail::membarrier_available = false;
  }
  void TearDown() override { detail::membarrier_available = m_available; }

 private:
  const bool m_available = std_provider::light_fences_are_free();  // found out before it is changed
};

}  // namespace ramie::test
