#include <barrier>
#include <utility>

#include "kernel/static_threads.hpp"
#include "migration/contenders.hpp"

namespace bench::migration {

outcome run_control(unsigned workers, const size& n) {
  std::vector<visit> visits(n.waves * n.fibers);
  std::vector<std::uint64_t> sets(n.fibers * n.words);
  std::barrier together(static_cast<std::ptrdiff_t>(workers));
  timed run = on_static_threads(workers, visits.size(), [&](unsigned w) {
    const auto [begin, end] = share_of(n.fibers, w, workers);
    for (std::size_t first = 0; first < visits.size(); first += n.fibers) {
      if (w == 0) {
        for (std::size_t i = 0; i < n.fibers; ++i) write_set(std::span(sets).subspan(i * n.words, n.words), first + i);
      }
      together.arrive_and_wait();
      for (std::size_t i = begin; i < end; ++i) {
        visit found = visit_set(std::span(sets).subspan(i * n.words, n.words), n.iterations);
        found.stolen = w != 0;
        visits[first + i] = found;
      }
      together.arrive_and_wait();
    }
  });
  return judged(std::move(run), n, std::move(visits));
}

}  // namespace bench::migration
