// How a runtime is set up, and how a single fiber is.
#pragma once

#include <ramie/base/time.hpp>
#include <ramie/base/units.hpp>
#include <ramie/queue/kind.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ramie {

class execution_backend;
class idle_driver_factory;
class observer;

using queue_kind = queue::kind;

/// In which order a worker without work tries the others.
enum class victim_policy {
  sequential,    ///< from worker 0 upwards, every time: the source's first version, in which thieves collide
  random,        ///< each attempt at a worker drawn anew
  random_start,  ///< from a random worker on, round once
  last_victim,   ///< where the last steal succeeded, then as random_start
  two_random,    ///< two are drawn: first the worker that has more, then the other
  /// The near workers, drawn anew; workers one level farther after `steal_threshold` fruitless rounds. See `topology`.
  hierarchical,
  /// One is drawn and accepted with a probability that is proportional to what it has, else another is drawn: the
  /// policy of BWoS (Wang et al., OSDI 2023).
  probabilistic,
};

/// All of them.
inline constexpr std::array all_victim_policies{
    victim_policy::sequential, victim_policy::random,       victim_policy::random_start, victim_policy::last_victim,
    victim_policy::two_random, victim_policy::hierarchical, victim_policy::probabilistic};

[[nodiscard]] constexpr std::string_view name_of(victim_policy which) {
  switch (which) {
    case victim_policy::sequential: return "sequential";
    case victim_policy::random: return "random";
    case victim_policy::random_start: return "random_start";
    case victim_policy::last_victim: return "last_victim";
    case victim_policy::two_random: return "two_random";
    case victim_policy::hierarchical: return "hierarchical";
    case victim_policy::probabilistic: return "probabilistic";
  }
  return {};
}

/// None: there is no such policy.
[[nodiscard]] constexpr std::optional<victim_policy> victim_policy_of(std::string_view name) {
  for (const victim_policy each : all_victim_policies) {
    if (name_of(each) == name) return each;
  }
  return std::nullopt;
}

/// The pause of a worker between two fruitless rounds over its victims.
enum class backoff_policy {
  none,
  fixed,        ///< 64 pauses
  exponential,  ///< doubling from 1 to 1,024 pauses, with jitter, from 1 again after a success
};

/// Which part of a fork_join other workers may take.
enum class fork_stealing {
  /// The functions after the first one, which stay where they are until somebody wants work: about the price of a call.
  child,
  /// The rest of the caller: the first function begins at once as a fiber of its own, as in Cilk, Nowa and EMPER. One
  /// switch there and back for each fork. While no function blocks, P workers hold at most 2 P (D + 1) stacks at once
  /// for forks that are nested D deep (see spawn_child_first()).
  continuation,
};

/// Whether a fiber may run on a stack without a guard when no more guards can be had.
enum class unguarded_stacks { refuse, allow };

struct options {
  /// Kernel threads that run fibers. 0: as many as the CPU affinity and the cgroup quota allow.
  unsigned workers = 0;
  /// Address space of a fiber's stack, its guard included; rounded up to pages. Memory is used as it is touched.
  bytes stack_size{256U << 10U};
  /// The guard: memory below each stack that may not be touched: a function whose frame is larger may step over it, and
  /// write to another fiber's stack, unless it was compiled with -fstack-clash-protection. Rounded up to pages; two
  /// pages of the stack must remain, and stacks with a size of their own have no more than a quarter of that size. It
  /// takes address space, and no memory. 0: 40 KiB, or a quarter of a smaller stack (stack/config.hpp says why).
  bytes guard_size{};
  unguarded_stacks unguarded = unguarded_stacks::refuse;
  /// Stacks of finished fibers that are kept with their memory; beyond them memory goes back to the kernel.
  /// 0: as many as a quarter of the machine's memory holds at one page each.
  std::size_t retained_stacks = 0;
  /// Worker i stays on the i-th CPU that the process may use.
  bool pin = false;
  /// Drives victim choice and jitter.
  std::uint64_t seed = 1;
  /// The queues of the workers' own tasks. Tasks for which a bounded queue has no room go to the injector.
  queue_kind queue = queue_kind::split;
  queue::settings queue_settings{};
  victim_policy victim = victim_policy::random_start;
  /// For victim_policy::hierarchical: the machine, on whose i-th CPU worker i runs (exactly so where `pin` is set).
  /// Empty: this one, which costs the runtime's constructor milliseconds; as one level if it cannot be read. Else a
  /// synthetic description of hwloc, for example "pack:2 l3:2 core:4 pu:1"; see topology/hierarchy.hpp.
  std::string topology{};
  /// For victim_policy::hierarchical: fruitless rounds over the victims up to some distance (same last-level cache,
  /// same NUMA node and package, far) before the thief also looks one level farther. 0: every round looks at all, near
  /// ones first. A worker looks at all in any case when it comes back from sleep, or would fall asleep while there is
  /// work.
  unsigned steal_threshold = 4;
  backoff_policy backoff = backoff_policy::exponential;
  /// Whether workers take work from each other at all. Off, for comparison only: work stays where it was spawned. (What
  /// goes through the injector is still shared: spawns from outside, more than 256 ready fibers, crowds woken at once,
  /// and fibers that have blocked their thread without a worker; and fibers whose deadline another worker sees.)
  bool stealing = true;
  /// The part of a fork_join that other workers may take, also in the algorithms that are made of fork_join.
  ramie::fork_stealing fork_stealing = ramie::fork_stealing::child;
  /// How long a worker looks for work before it sleeps. Absent: 30 us, about the price of waking it again, and 0 where
  /// workers outnumber CPUs, because a spinning worker then keeps a working one from its CPU.
  std::optional<std::chrono::nanoseconds> spin{};

  // The seams. All are null for what the scheduler does by itself.
  /// Makes what a worker sleeps in; called once a worker, by the runtime's constructor. Null: a futex. Not owned.
  idle_driver_factory* drivers = nullptr;
  /// Runs fibers on something else than pooled stacks. Not owned; outlives the runtime.
  execution_backend* backend = nullptr;
  /// Is told of every spawn, start, suspension, wake-up, signal, steal; also where `profile` is set. Not owned;
  /// outlives the runtime.
  observer* events = nullptr;

  /// Measures work and span (see work_span.hpp), about 1 µs a hook. When a run is over, a table goes to standard
  /// error and a page with the plot to this file, which the runtime's constructor makes. Of several runs the file has
  /// the last; the second runtime that is to write out.html writes out-2.html. Empty: the environment's RAMIE_PROFILE,
  /// and if that is empty too, nothing.
  std::string profile{};
};

struct spawn_options {
  /// For messages, debuggers and traces. Copied.
  std::string_view name{};
  /// 0: the runtime's stack_size. Rounded up to a power of two.
  bytes stack_size{};
};

}  // namespace ramie
