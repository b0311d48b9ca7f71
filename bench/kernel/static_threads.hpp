// The controls' way to split work: plain threads, each with its share from the start. No runtime can do better on work
// whose shares are equal.
#pragma once

#include <cstddef>
#include <thread>
#include <vector>

namespace bench {

/// Calls body(thread, begin, end) on `workers` threads, the caller's among them, with consecutive shares of `count`.
template <class Body>
void on_static_threads(unsigned workers, std::size_t count, const Body& body) {
  std::vector<std::jthread> threads;
  for (unsigned w = 1; w < workers; ++w) {
    threads.emplace_back([&, w] { body(w, count * w / workers, count * (w + 1) / workers); });
  }
  body(0U, std::size_t{0}, count / workers);
}

}  // namespace bench
