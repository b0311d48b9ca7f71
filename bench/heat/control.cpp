#include <algorithm>
#include <barrier>
#include <utility>

#include "heat/contenders.hpp"
#include "kernel/static_threads.hpp"

namespace bench::heat {
namespace {

// A share of the step's work, in rows of single work: calls relax(begin, end, times) for the rows that begin in it.
template <class Relax>
void relax_share(const size& n, std::size_t share_begin, std::size_t share_end, Relax&& relax) {
  const std::size_t rows = n.rows_of_strip();
  std::size_t done = 0;  // work before this strip
  for (std::size_t strip = 0; strip < strips; ++strip) {
    const unsigned times = times_of(strip);
    const auto row_at = [&](std::size_t work) {
      const std::size_t inside = work > done ? (work - done + times - 1) / times : 0;
      return strip * rows + std::min(inside, rows);
    };
    const std::size_t begin = row_at(share_begin);
    const std::size_t end = row_at(share_end);
    if (begin < end) relax(begin, end, times);
    done += rows * times;
  }
}

std::size_t work_of_step(const size& n) {
  std::size_t work = 0;
  for (std::size_t strip = 0; strip < strips; ++strip) work += n.rows_of_strip() * times_of(strip);
  return work;
}

}  // namespace

timed run_control(unsigned workers, const size& n) {
  plate hot(n);
  std::barrier meeting(static_cast<std::ptrdiff_t>(workers));
  timed run = on_static_threads(workers, n.steps, [&](unsigned thread) {
    const auto [begin, end] = share_of(work_of_step(n), thread, workers);
    for (std::size_t step = 0; step < n.steps; ++step) {
      relax_share(n, begin, end,
                  [&](std::size_t first, std::size_t last, unsigned times) { hot.relax(step, first, last, times); });
      meeting.arrive_and_wait();
    }
  });
  return judged(std::move(run), n, hot.after(n.steps));
}

timed run_plain_call(const size& n) {
  plate hot(n);
  const stopwatch watch;
  for (std::size_t step = 0; step < n.steps; ++step) {
    for (std::size_t strip = 0; strip < strips; ++strip) hot.relax_strip(step, strip);
  }
  return judged(watch.stop(n.steps), n, hot.after(n.steps));
}

}  // namespace bench::heat
