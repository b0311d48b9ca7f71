#include <ramie/ramie.hpp>
#include <ramie/scheduler/idle_driver.hpp>

#include <chrono>
#include <memory>

#include "contention/contenders.hpp"
#include "kernel/busy_loop.hpp"
#include "library/convert.hpp"

namespace bench::contention {
namespace {

/// Sleeps never: a worker that gives up searching begins anew at once, as the source's workers do, which cannot sleep.
class sleepless final : public ramie::idle_driver {
 public:
  void wait(std::optional<std::chrono::steady_clock::time_point>) noexcept override {}
  void interrupt() noexcept override {}
};

// They search in rounds over the victims, each with one pause, without an end.
ramie::options searching(ramie::options o) {
  static ramie::idle_drivers_by drivers([] { return std::make_unique<sleepless>(); });
  o.stealing = true;
  o.spin = std::chrono::hours(1);
  o.drivers = &drivers;
  return o;
}

}  // namespace

ramie::options before(ramie::options o) {
  o.victim = ramie::victim_policy::sequential;
  o.backoff = ramie::backoff_policy::none;
  return searching(std::move(o));
}

ramie::options after(ramie::options o) {
  o.victim = ramie::victim_policy::random_start;
  o.backoff = ramie::backoff_policy::exponential;
  return searching(std::move(o));
}

timed run_ramie(const ramie::options& o, const imbalanced::size& n) {
  imbalanced::results found(n.fibers);
  ramie::runtime runtime(o);
  runtime.start();
  // Workers look for work also before and after, for as long as the joining thread takes to begin and to wake: only the
  // difference counts.
  auto at_start = runtime.statistics();
  auto at_end = runtime.statistics();
  timed run = runtime
                  .spawn([&] {
                    at_start = runtime.statistics();
                    const stopwatch watch;
                    ramie::counter running;
                    for (std::size_t i = 0; i < n.fibers; ++i) {
                      ramie::spawn_with_counter(running, [&, i] { found[i] = busy_loop(i, n.iterations(i)); });
                    }
                    ramie::wait_for_counter(running);
                    timed result = watch.stop(n.fibers);
                    at_end = runtime.statistics();
                    return result;
                  })
                  .join();
  runtime.stop();
  statistics before_it;
  add_statistics(before_it, at_start);
  add_statistics(run.stats, at_end);
  for (const auto& [name, value] : before_it) run.stats[name] -= value;
  // These two count calls of the driver: no worker has slept, and none was woken.
  run.stats.erase(stat_parks);
  run.stats.erase(stat_wakeups);
  return imbalanced::judged(std::move(run), n, found);
}

}  // namespace bench::contention
