#include "switch/suite.hpp"

#include "framework/child.hpp"
#include "framework/machine.hpp"
#include "framework/options.hpp"
#include "framework/peers.hpp"
#include "switch/contenders.hpp"
#include "switch/problem.hpp"

namespace bench {
namespace {

using namespace switching;

/// Collects contenders by row; everything in a row is interleaved.
class builder {
 public:
  builder(const options& o, const peer_programs& programs) : m_options(o), m_programs(programs) {}

  void add(const char* runtime, unsigned workers, const char* row, timed_loop loop) {
    const bool has_queue = std::string(runtime) == "ramie" && std::string(row) != row_raw;
    put(row, per_operation(runtime, workers, has_queue ? m_options.queue : "", row, m_options.repetition_seconds(),
                           std::move(loop)));
  }

  /// A program that takes ROW OPERATIONS WORKERS and `more`.
  void add_program(const std::string& program, const char* runtime, const char* row,
                   std::vector<std::string> more = {}) {
    if (!m_programs.wanted()) return;
    const auto path = m_programs.find(program);
    if (!path) {
      m_plan.absent.push_back(m_programs.how_to_get(program));
      return;
    }
    add(runtime, 1, row, [path = *path, row, more = std::move(more)](std::uint64_t operations) {
      std::vector<std::string> arguments{path, row, std::to_string(operations), "1"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      sample s = samples_of_child(arguments, {{row, "ns"}}).front();
      return timed{.operations = operations,
                   .seconds = s.value * 1e-9 * static_cast<double>(operations),
                   .verified = s.verified,
                   .complaint = s.complaint,
                   .stats = s.stats};
    });
  }

  void note(std::string text) { m_plan.notes.push_back(std::move(text)); }
  void absent(std::string text) {
    if (m_programs.wanted()) m_plan.absent.push_back(std::move(text));
  }
  [[nodiscard]] bool peers() const { return m_programs.wanted(); }
  [[nodiscard]] plan take() { return std::move(m_plan); }

 private:
  void put(const char* row, contender c) {
    if (m_plan.groups.empty() || m_plan.groups.back().name != row)
      m_plan.groups.push_back({.name = row, .contenders = {}});
    m_plan.groups.back().contenders.push_back(std::move(c));
  }

  const options& m_options;
  const peer_programs& m_programs;
  plan m_plan;
};

void add_raw(builder& b) {
  b.add("ramie", 1, row_raw, &ramie_raw);
  b.add("control", 1, row_raw, &control_call);
  if (!b.peers()) return;
#if RAMIE_BENCH_BOOST_CONTEXT
  b.add("boost_context", 1, row_raw, &boost_jump_raw);
  b.add("boost_context_fiber", 1, row_raw, &boost_fiber_raw);
#else
  b.absent("boost_context: apt-get install libboost-context-dev, then configure and build again");
#endif
  b.add("ucontext", 1, row_raw, &ucontext_raw);
}

void add_yield(builder& b, const options& o, const std::vector<unsigned>& workers) {
  for (const unsigned w : workers) {
    b.add("ramie", w, row_yield, [o, w](std::uint64_t n) { return ramie_yield(o, w, n); });
  }
  b.add("control", 1, row_yield, &control_call);
  if (!b.peers()) return;
#if RAMIE_BENCH_BOOST_FIBER
  b.add("boost_fiber", 1, row_yield, &boost_fiber_yield);
#else
  b.absent("boost_fiber: apt-get install libboost-fiber-dev, then configure and build again");
#endif
  b.add_program("switch_go", "go", row_yield);
  b.add_program("switch_tokio", "tokio", row_yield);
  b.add_program("switch_tokio", "tokio_current_thread", row_yield, {"current_thread"});
}

void add_counter_pingpong(builder& b, const options& o, const std::vector<unsigned>& workers) {
  for (const unsigned w : workers) {
    b.add("ramie", w, row_counter_pingpong, [o, w](std::uint64_t n) { return ramie_counter_pingpong(o, w, n); });
  }
  b.add("control", 1, row_counter_pingpong, &control_call);
#if RAMIE_BENCH_BOOST_FIBER
  if (b.peers()) b.add("boost_fiber", 1, row_counter_pingpong, &boost_fiber_pingpong);
#endif
}

void add_spawn_join(builder& b, const options& o, const std::vector<unsigned>& workers) {
  for (const unsigned w : workers) {
    b.add("ramie", w, row_spawn_join, [o, w](std::uint64_t n) { return ramie_spawn_join(o, w, n); });
  }
  b.add("control", 1, row_spawn_join, &control_call);
  if (!b.peers()) return;
#if RAMIE_BENCH_BOOST_FIBER
  b.add("boost_fiber", 1, row_spawn_join, &boost_fiber_spawn_join);
#endif
  b.add_program("switch_go", "go", row_spawn_join);
  b.add_program("switch_tokio", "tokio", row_spawn_join);
  b.add_program("switch_tokio", "tokio_current_thread", row_spawn_join, {"current_thread"});
  b.add("std_thread", 1, row_spawn_join, &std_thread_spawn_join);
}

void add_kernel_threads(builder& b) {
  const auto add = [&](const char* row, timed (*loop)(bool, std::uint64_t), bool two_cores) {
    b.add("pthread", 2, row, [=](std::uint64_t n) { return loop(two_cores, n); });
  };
  const bool two = usable_cpus() >= 2;
  add(row_futex_same_core, &futex_pingpong, false);
  if (two) add(row_futex_two_cores, &futex_pingpong, true);
  add(row_condvar_same_core, &condvar_pingpong, false);
  if (two) add(row_condvar_two_cores, &condvar_pingpong, true);
  if (!two) b.note("futex_two_cores and condvar_two_cores are missing: this process may use one core only.");
}

plan make_plan(const options& o, const peer_programs& programs) {
  builder b(o, programs);
  // Two fibers that only hand over to each other: one worker, unless more are asked for.
  const auto workers = worker_list(o, {1});
  add_raw(b);
  add_yield(b, o, workers);
  add_counter_pingpong(b, o, workers);
  add_spawn_join(b, o, workers);
  add_kernel_threads(b);
  b.note("ns one way (raw, ping-pongs), a yield, a fiber spawned and joined. control: a call through a pointer.");
  return b.take();
}

}  // namespace

suite switch_suite() {
  return {
      .name = "switch",
      .summary = "from one flow of control to another: switch, yield, wake, spawn and join; kernel threads beside them",
      .make_plan = make_plan};
}

}  // namespace bench
