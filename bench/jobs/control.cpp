#include "jobs/contenders.hpp"
#include "kernel/static_threads.hpp"
#include "library/run.hpp"

namespace bench::jobs {
namespace {

constexpr unsigned split_level = 3;

struct subtree {
  unsigned level;
  std::uint64_t number;
};

// Counts what is above the split, and puts what begins there into `below`.
void split(const tree& t, const subtree& at, tally& above, std::vector<subtree>& below) {
  if (at.level == split_level) return below.push_back(at);
  above.add(at.number, at.level);
  if (at.level + 1 == t.levels) return;
  for (unsigned i = 0; i < children_at(at.level); ++i) {
    split(t, {.level = at.level + 1, .number = child_number(at.number, i)}, above, below);
  }
}

}  // namespace

timed run_control(unsigned workers, const batch& b) {
  std::vector<tally> found(workers);
  timed run = on_static_threads(workers, b.all(), [&](unsigned thread) {
    const auto [begin, end] = share_of(b.all(), thread, workers);
    for (std::size_t number = begin; number < end; ++number) found[thread].add(number, work(b.iterations));
  });
  return judged(std::move(run), b, found);
}

timed run_control(unsigned workers, const tree& t) {
  std::vector<tally> found(workers + 1);
  std::vector<subtree> below;
  split(t, {.level = 0, .number = 0}, found[workers], below);
  timed run = on_static_threads(workers, t.jobs(), [&](unsigned thread) {
    const auto [begin, end] = share_of(below.size(), thread, workers);
    for (std::size_t i = begin; i < end; ++i) plain_tree(t, below[i].level, below[i].number, found[thread]);
  });
  return judged(std::move(run), t, found);
}

// On the ground of the others: a processor that comes from idling is slower than one that does not.

timed run_plain_call(const batch& b) {
  tally found;
  timed run = in_runtime({.workers = 1}, [&] {
    return timed_rounds(b, [&](std::uint64_t first) {
      for (std::uint64_t i = 0; i < b.jobs; ++i) found.add(first + i, work(b.iterations));
    });
  });
  return judged(std::move(run), b, {&found, 1});
}

timed run_plain_call(const tree& t) {
  tally found;
  timed run = in_runtime({.workers = 1}, [&] {
    const stopwatch watch;
    plain_tree(t, 0, 0, found);
    return watch.stop(t.jobs());
  });
  return judged(std::move(run), t, {&found, 1});
}

}  // namespace bench::jobs
