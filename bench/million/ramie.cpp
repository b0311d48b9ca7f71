// ramie in the suite `million`.
#include <ramie/ramie.hpp>

#include <algorithm>
#include <fstream>
#include <limits>

#include "framework/options.hpp"
#include "library/convert.hpp"
#include "million/contenders.hpp"
#include "million/problem.hpp"

namespace bench::million {

std::size_t most_guarded_fibers() {
  const ramie::runtime probe({.workers = 1, .stack_size = ramie::bytes(stack_bytes)});
  if (probe.stack_guards() != ramie::stack::guard_kind::mprotect) return std::numeric_limits<std::size_t>::max();
  std::size_t limit = 0;
  if (!(std::ifstream("/proc/sys/vm/max_map_count") >> limit)) limit = 65'530;
  // Two mappings a stack; the rest of the process has some hundred, and its allocations need more.
  return (limit - std::min<std::size_t>(limit / 2, 2'000)) / 2;
}

std::vector<sample> run_ramie(const options& o, unsigned workers, std::size_t count) {
  ramie::options settings = library_options(o, workers);
  settings.stack_size = ramie::bytes(stack_bytes);
  ramie::runtime runtime(settings);
  runtime.start();
  const auto wave = [&](wave_meter& meter, marks& all, std::uint32_t number) {
    runtime
        .spawn([&] {
          ramie::counter arrived(static_cast<std::int64_t>(count));
          ramie::counter gate(1);
          ramie::counter running(0);
          for (std::size_t id = 0; id < count; ++id) {
            ramie::spawn_with_counter(running, [&, id] {
              arrived.decrement();
              ramie::wait_for_counter(gate, 0);
              all.set(id, number);
            });
          }
          ramie::wait_for_counter(arrived, 0);
          meter.all_blocked();
          gate.decrement();
          ramie::wait_for_counter(running, 0);
          meter.finish();
        })
        .join();
  };
  auto samples = measure(count, wave, [&](statistics& stats) {
    add_statistics(stats, runtime.statistics());
    stats["unguarded_stacks"] = static_cast<double>(runtime.stack_usage().unguarded);
  });
  runtime.stop();
  return samples;
}

}  // namespace bench::million
