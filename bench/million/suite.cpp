#include "million/suite.hpp"

#include <stdexcept>

#include "framework/child.hpp"
#include "framework/command.hpp"
#include "framework/machine.hpp"
#include "framework/options.hpp"
#include "framework/peers.hpp"
#include "million/contenders.hpp"
#include "million/problem.hpp"

namespace bench {
namespace {

using namespace million;

std::size_t count_for(const options& o, std::string& note) {
  const std::size_t wish = o.quick ? quick_count : full_count;
  // A third of the memory stays free: for the runtimes' own tables, the page tables, and the rest of the machine.
  const std::size_t room = std::max<std::size_t>(1000, available_memory() / 3 * 2 / memory_each);
  const std::size_t guarded = most_guarded_fibers();
  const std::size_t count = std::min({wish, room, guarded});
  note = fmt::format("{} fibers at once.", count);
  if (count == wish) return count;
  note += guarded < room
              ? fmt::format(" {} were wished for, but before Linux 6.13 vm.max_map_count allows no more guards.", wish)
              : fmt::format(" {} were wished for, but memory allows no more.", wish);
  return count;
}

contender in_process_of_its_own(const char* runtime, unsigned workers, std::string queue,
                                std::vector<std::string> arguments) {
  contender c;
  c.runtime = runtime;
  c.workers = workers;
  c.queue = std::move(queue);
  c.rows = rows();
  c.run = [arguments = std::move(arguments)] { return samples_of_child(arguments, rows()); };
  return c;
}

plan make_plan(const options& o, const peer_programs& programs) {
  plan p;
  p.notes.emplace_back();
  const std::size_t count = count_for(o, p.notes.back());
  group g{.name = "waves", .contenders = {}};
  const auto add_own = [&](const char* runtime, unsigned workers, std::string queue) {
    g.contenders.push_back(in_process_of_its_own(runtime, workers, std::move(queue),
                                                 child_repetition("million", runtime, workers, count, o)));
  };
  const auto add_program = [&](const char* program, const char* runtime, unsigned workers, const char* more) {
    const auto path = programs.find(program);
    if (!path) {
      p.absent.push_back(programs.how_to_get(program));
      return;
    }
    std::vector<std::string> arguments{*path, std::to_string(count), std::to_string(workers)};
    if (more != nullptr) arguments.emplace_back(more);
    g.contenders.push_back(in_process_of_its_own(runtime, workers, "", std::move(arguments)));
  };

  const auto workers = worker_list(o, one_and_all());
  for (const unsigned w : workers) add_own("ramie", w, o.queue);
  for (const unsigned w : workers) add_own("control", w, "");
  if (programs.wanted()) {
    for (const unsigned w : workers) add_program("million_go", "go", w, nullptr);
    for (const unsigned w : workers) add_program("million_tokio", "tokio", w, nullptr);
    add_program("million_tokio", "tokio_current_thread", 1, "current_thread");
#if RAMIE_BENCH_BOOST_FIBER
    if (o.quick) {
      p.notes.emplace_back("boost_fiber takes as long as all others together: without --quick only.");
    } else {
      add_own("boost_fiber", 1, "");
      p.notes.emplace_back(
          fmt::format("boost_fiber: {} KiB stacks without guards, one thread.", boost_stack_bytes / 1024));
    }
#else
    p.absent.emplace_back("boost_fiber: apt-get install libboost-fiber-dev, then configure and build again");
#endif
  }
  p.groups.push_back(std::move(g));
  p.notes.emplace_back(
      "bytes_each: growth of the resident set while all are blocked; page tables are in the statistics.");
  p.notes.emplace_back("control: one page each touched by plain threads, no fibers. tokio's tasks have no stack.");
  return p;
}

std::vector<sample> in_child(const std::string& runtime, const options& o, std::size_t count) {
  const unsigned workers = o.workers.empty() ? 1 : o.workers.front();
  if (runtime == "ramie") return run_ramie(o, workers, count);
  if (runtime == "control") return run_control(workers, count);
#if RAMIE_BENCH_BOOST_FIBER
  if (runtime == "boost_fiber") return run_boost_fiber(count);
#endif
  throw std::invalid_argument(fmt::format("million: there is no runtime '{}'", runtime));
}

}  // namespace

suite million_suite() {
  return {.name = "million",
          .summary = "as many fibers as memory allows, up to a million, blocked at once, then released; twice",
          .make_plan = make_plan,
          .in_child = in_child};
}

}  // namespace bench
