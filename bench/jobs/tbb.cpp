#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "jobs/contenders.hpp"
#include "kernel/tbb_arena.hpp"

namespace bench::jobs {
namespace {

std::size_t thread_here() { return static_cast<std::size_t>(tbb::this_task_arena::current_thread_index()); }

// One group for all: a group of its own in every node would be waited for there, which a job is not.
struct node {
  tbb::task_group& group;
  tally* found;
  std::uint64_t number;
  unsigned level;
  unsigned levels;

  void operator()() const {
    found[thread_here()].add(number, level);
    if (level + 1 == levels) return;
    for (unsigned i = 0; i < children_at(level); ++i) {
      group.run(node{group, found, child_number(number, i), level + 1, levels});
    }
  }
};

}  // namespace

timed run_tbb(unsigned workers, const batch& b) {
  std::vector<tally> found(workers);
  timed run = in_tbb(workers, [&] {
    tbb::task_group group;
    return timed_rounds(b, [&](std::uint64_t first) {
      for (std::uint64_t i = 0; i < b.jobs; ++i) {
        group.run([&found, number = first + i, iterations = b.iterations] {
          found[thread_here()].add(number, work(iterations));
        });
      }
      group.wait();
    });
  });
  return judged(std::move(run), b, found);
}

timed run_tbb(unsigned workers, const tree& t) {
  std::vector<tally> found(workers);
  timed run = in_tbb(workers, [&] {
    const stopwatch watch;
    tbb::task_group group;
    group.run_and_wait(node{group, found.data(), 0, 0, t.levels});
    return watch.stop(t.jobs());
  });
  return judged(std::move(run), t, found);
}

}  // namespace bench::jobs
