#include <ramie/job/job.hpp>
#include <ramie/ramie.hpp>

#include "jobs/contenders.hpp"
#include "library/run.hpp"

namespace bench::jobs {
namespace {

namespace job = ramie::job;

/// Of all jobs of a repetition; they share it, so that what each captures is small.
struct common {
  std::uint32_t iterations;
  std::vector<tally> found = std::vector<tally>(ramie::this_fiber::worker_count());

  // The job stays on its worker, since it does not block.
  void act(std::uint64_t number) { found[ramie::this_fiber::worker_index()].add(number, work(iterations)); }
};

void run_with_parent(common& all, std::uint64_t first, std::uint64_t jobs) {
  job::handle root = job::create([&all, first, jobs](job::context& here) {
    for (std::uint64_t i = 0; i < jobs; ++i) here.run_child([&all, number = first + i] { all.act(number); });
  });
  job::run(root);
  job::wait(root);
}

void run_without_parent(common& all, std::uint64_t first, std::uint64_t jobs) {
  ramie::counter left(static_cast<std::int64_t>(jobs));
  for (std::uint64_t i = 0; i < jobs; ++i) {
    job::run(job::create([&all, &left, number = first + i] {
      all.act(number);
      left.decrement();
    }));
  }
  ramie::wait_for_counter(left);
}

timed run_batch(const ramie::options& o, const batch& b,
                void (*jobs_from)(common& all, std::uint64_t first, std::uint64_t jobs)) {
  std::vector<tally> found;
  timed run = in_runtime(o, [&] {
    common all{.iterations = b.iterations};
    timed rounds = timed_rounds(b, [&](std::uint64_t first) { jobs_from(all, first, b.jobs); });
    found = std::move(all.found);
    return rounds;
  });
  return judged(std::move(run), b, found);
}

struct node {
  tally* found;
  std::uint64_t number;
  unsigned level;
  unsigned levels;

  void operator()(job::context& here) const {
    found[ramie::this_fiber::worker_index()].add(number, level);
    if (level + 1 == levels) return;
    for (unsigned i = 0; i < children_at(level); ++i) {
      here.run_child(node{.found = found, .number = child_number(number, i), .level = level + 1, .levels = levels});
    }
  }
};

}  // namespace

timed run_ramie(const ramie::options& o, const batch& b) { return run_batch(o, b, &run_with_parent); }
timed run_ramie_no_parents(const ramie::options& o, const batch& b) { return run_batch(o, b, &run_without_parent); }

timed run_ramie(const ramie::options& o, const tree& t) {
  std::vector<tally> found;
  timed run = in_runtime(o, [&] {
    found.resize(ramie::this_fiber::worker_count());
    const stopwatch watch;
    job::handle root = job::create(node{.found = found.data(), .number = 0, .level = 0, .levels = t.levels});
    job::run(root);
    job::wait(root);
    return watch.stop(t.jobs());
  });
  return judged(std::move(run), t, found);
}

}  // namespace bench::jobs
