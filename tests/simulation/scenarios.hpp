// Programs for the simulated machine, each a function of a seed that also draws the runtime's options. All of them end,
// with nothing lost, if the runtime is right.
#pragma once

#include <ramie/scheduler/options.hpp>

#include <cstdint>

namespace ramie::scenarios {

/// The storm of support/storm.hpp, small; or with a second runtime.
void storm(std::uint64_t seed);
void storm_between_two(std::uint64_t seed);
/// A child that only another worker can run, because its spawner does not give way.
void child_while_its_spawner_spins(std::uint64_t seed);
/// Two fibers from outside that wait for each other without giving way: two workers must wake.
void two_who_need_each_other(std::uint64_t seed);
/// Each awaits one counter at a target of its own, while others go up and down; fibers and a thread.
void targets(std::uint64_t seed);
/// A crowd on one counter, more than a lane holds, woken by a fiber or from outside: bundles through the injector.
void crowd(std::uint64_t seed);
/// Counters that are destroyed as soon as the wait returns, while the last decrement is still returning.
void counters_that_go_at_once(std::uint64_t seed);
/// Handles that are joined by another fiber, a thread or a fiber of another runtime, or detached, at any moment.
void handles_that_travel(std::uint64_t seed);
/// Children that end on other workers just as they are joined.
void joins_at_the_last_moment(std::uint64_t seed);
/// start, spawns from outside meanwhile, stop with work pending, again.
void start_and_stop(std::uint64_t seed);
/// A runtime that is destroyed while strangers, threads and workers of another runtime, are on their way out of a wake.
void destroyed_under_a_waker(std::uint64_t seed);
/// Very few tasks and very many thieves: who takes the last one?
void thieves(std::uint64_t seed);
/// Nested forks whose fibers are moved to other workers between any two steps: before a fork, in either function, after
/// the join.
void forks_that_migrate(std::uint64_t seed);
/// Forks of which none ends before all have begun, on workers that sleep until then.
void forks_that_need_each_other(std::uint64_t seed);
/// The same where all options favour sleep: no more workers than must be awake at once.
void forks_among_sleepers(std::uint64_t seed);
/// How often fibers came out of one of these moves on another worker.
std::uint32_t migrations_of_forks(std::uint64_t seed);
/// A fiber that yields by itself while work lies elsewhere.
void yields_among_sleepers(std::uint64_t seed);
/// All the ways in which plain memory passes from fiber to fiber: spawns, forks, counters, jobs, loops, pipelines,
/// foreign threads.
void letters(std::uint64_t seed);
void letters_on(queue_kind kind, std::uint64_t seed);
/// Waits with deadlines: of fibers, of fibers while some workers are busy, of threads.
void waits_that_give_up(std::uint64_t seed);
void sleepers_beside_busy_workers(std::uint64_t seed);
void threads_that_give_up(std::uint64_t seed);
/// Fibers that block their threads, after giving their workers to others.
void workers_that_change_threads(std::uint64_t seed);
/// Operations that fibers submit to the drivers of their workers; and one that completes while its worker is in a long
/// task.
void operations_on_rings(std::uint64_t seed);
void completions_of_a_busy_worker(std::uint64_t seed);

/// For a machine that refuses the second thread.
void third_worker_refused();

}  // namespace ramie::scenarios
