#include <ramie/ramie.hpp>

#include <algorithm>
#include <array>

#include "heat/contenders.hpp"
#include "library/run.hpp"

namespace bench::heat {
namespace {

using strip_order = std::array<std::size_t, strips>;

// The order in which strips are spawned. The spawner's worker runs the newest first and thieves take the oldest, so the
// two ends are begun first and the middle last: the heavy strips are at the ends, so that what is left for the end of a
// step is light, and the worker's fair share of the work, consecutive strips, is at the back.
strip_order spawn_order(unsigned workers) {
  strip_order order{};
  unsigned work = 0;
  for (std::size_t strip = 0; strip < strips; ++strip) {
    order[strip] = strip;
    work += times_of(strip);
  }
  auto mine = order.end();
  for (unsigned share = 0; share * workers < work && mine != order.begin();) share += times_of(*--mine);
  const auto heavy = [](std::size_t strip) { return times_of(strip) > 1; };
  std::stable_partition(order.begin(), mine, heavy);
  std::stable_partition(mine, order.end(), [&](std::size_t strip) { return !heavy(strip); });
  return order;
}

void spawn_strips(ramie::counter& running, plate& hot, std::size_t step, const strip_order& order) {
  for (const std::size_t strip : order) {
    ramie::spawn_with_counter(running, [&hot, step, strip] { hot.relax_strip(step, strip); });
  }
}

}  // namespace

timed run_ramie(const ramie::options& o, const size& n) {
  plate hot(n);
  timed run = in_runtime(o, [&] {
    const strip_order order = spawn_order(std::max(o.workers, 1U));
    const stopwatch watch;
    for (std::size_t step = 0; step < n.steps; ++step) {
      ramie::counter running;
      spawn_strips(running, hot, step, order);
      ramie::wait_for_counter(running);
    }
    return watch.stop(n.steps);
  });
  return judged(std::move(run), n, hot.after(n.steps));
}

}  // namespace bench::heat
