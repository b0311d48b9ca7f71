// Boost.Fiber. launch::dispatch runs the new fiber at once and queues the one that made it: depth first, so that few
// stacks are in use. Stacks come from malloc, which keeps blocks of this size; those of pooled_fixedsize_stack may not
// be freed by another thread.
#include <boost/fiber/algo/work_stealing.hpp>
#include <boost/fiber/all.hpp>

#include <barrier>
#include <mutex>
#include <thread>
#include <vector>

#include "fib/contenders.hpp"

namespace bench::fib {
namespace {

namespace fibers = boost::fibers;

constexpr std::size_t stack_bytes = 64 * 1024;

template <class Function>
fibers::fiber fiber(Function&& function) {
  return {fibers::launch::dispatch, std::allocator_arg, fibers::fixedsize_stack(stack_bytes),
          std::forward<Function>(function)};
}

leaves with_cutoff(const cutoff_size& size, unsigned n, std::uint64_t first) {
  if (n <= size.cutoff) return leaf(n, first, size.iterations);
  leaves left;
  fibers::fiber child = fiber([&] { left = with_cutoff(size, n - 1, first); });
  const leaves right = with_cutoff(size, n - 2, first + leaves_below(n - 1, size.cutoff));
  child.join();
  return left + right;
}

nodes without_cutoff(unsigned n) {
  if (n < 2) return end_of_recursion(n);
  nodes left;
  fibers::fiber child = fiber([&left, n] { left = without_cutoff(n - 1); });
  const nodes right = without_cutoff(n - 2);
  child.join();
  return joined(left, right);
}

// Once a process: the algorithm never forgets its threads. With one thread it would look for others for ever, so that
// one is scheduled round robin.
template <class Body>
timed on_threads(unsigned workers, const Body& body) {
  if (workers == 1) return body();
  std::barrier<> all_registered(static_cast<std::ptrdiff_t>(workers));
  fibers::mutex mutex;
  fibers::condition_variable ended;
  bool done = false;
  const auto join_in = [&] {
    fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(workers);
    all_registered.arrive_and_wait();
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < workers; ++i) {
    others.emplace_back([&] {
      join_in();
      std::unique_lock<fibers::mutex> lock(mutex);
      ended.wait(lock, [&] { return done; });
    });
  }
  join_in();
  timed result = body();
  {
    const std::lock_guard<fibers::mutex> lock(mutex);
    done = true;
  }
  ended.notify_all();
  return result;
}

}  // namespace

timed run_boost_fiber(unsigned workers, const cutoff_size& n) {
  leaves found;
  timed run = on_threads(workers, [&] {
    const stopwatch watch;
    found = with_cutoff(n, n.n, 0);
    return watch.stop(leaves_below(n.n, n.cutoff));
  });
  return judged(std::move(run), n, found);
}

timed run_boost_fiber(unsigned workers, unsigned n) {
  nodes found;
  timed run = on_threads(workers, [&] {
    const stopwatch watch;
    found = without_cutoff(n);
    return watch.stop(nodes_of(n));
  });
  return judged(std::move(run), n, found);
}

}  // namespace bench::fib
