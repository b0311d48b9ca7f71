#include <ramie/ramie.hpp>

#include "library/run.hpp"
#include "migration/contenders.hpp"

namespace bench::migration {

outcome run_ramie(const ramie::options& o, const size& n) {
  std::vector<visit> visits(n.waves * n.fibers);
  std::vector<std::uint64_t> sets(n.fibers * n.words);
  timed run = in_runtime(o, [&] {
    const stopwatch watch;
    for (std::size_t first = 0; first < visits.size(); first += n.fibers) {
      // The spawner goes on after a wait, perhaps elsewhere than before; until the next one it stays.
      const unsigned home = ramie::this_fiber::worker_index();
      ramie::counter running;
      for (std::size_t i = 0; i < n.fibers; ++i) {
        const auto set = std::span(sets).subspan(i * n.words, n.words);
        write_set(set, first + i);
        ramie::spawn_with_counter(running, [&n, &visits, set, home, id = first + i] {
          visit found = visit_set(set, n.iterations);
          found.stolen = ramie::this_fiber::worker_index() != home;
          visits[id] = found;
        });
      }
      ramie::wait_for_counter(running);
    }
    return watch.stop(visits.size());
  });
  return judged(std::move(run), n, std::move(visits));
}

}  // namespace bench::migration
