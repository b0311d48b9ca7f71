// The state that the workers of a runtime share, made and destroyed; spawns and wake-ups from outside; stacks.

#include <ramie/base/assert.hpp>
#include <ramie/base/exit_watch.hpp>
#include <ramie/scheduler/diagnosis.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/topology/affinity.hpp>
#include <ramie/topology/hierarchy.hpp>
#include <ramie/topology/worker_count.hpp>

#include "scheduler/deque_maker.hpp"
#include "scheduler/profile_file.hpp"
#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

namespace ramie::detail {
namespace {

const options& checked(const options& chosen) {
  constexpr unsigned most_workers = 4096;
  if (chosen.workers > most_workers) {
    throw bad_option("options.workers is " + std::to_string(chosen.workers) + "; it must be at most " +
                     std::to_string(most_workers) + ", or 0 for one a CPU");
  }
  if (chosen.drivers != nullptr && chosen.backend != nullptr) {
    throw bad_option(
        "options.drivers and options.backend are both set; a driver belongs to the thread that holds a worker, and a "
        "backend's fibers run on others: set one of them");
  }
  if (chosen.spin && *chosen.spin < std::chrono::nanoseconds::zero()) {
    throw bad_option("options.spin is " + std::to_string(chosen.spin->count()) + " ns; it must not be negative");
  }
  return chosen;
}

options completed(options chosen, profile_file* profile) {
  if (profile != nullptr) chosen.events = profile;
  if (chosen.workers == 0) chosen.workers = topology::default_worker_count();
  if (!chosen.spin) {
    const bool crowded = chosen.workers > topology::allowed_cpus().size();
    chosen.spin = crowded ? std::chrono::nanoseconds::zero() : std::chrono::microseconds(30);
  }
  if (chosen.retained_stacks == 0) {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    chosen.retained_stacks = pages > 0 ? static_cast<std::size_t>(pages) / 4 : std::size_t{1} << 16U;
  }
  return chosen;
}

// Only where somebody asks for it: reading the machine takes milliseconds.
std::optional<topology::hierarchy> hierarchy_of(const options& chosen) {
  if (chosen.victim != victim_policy::hierarchical) return {};
  if (!chosen.topology.empty()) return topology::hierarchy::described(chosen.topology);
  return topology::hierarchy::of_this_machine(topology::allowed_cpus());
}

}  // namespace

whole_worker::whole_worker(scheduler& shared, runtime& home, unsigned index, const options& chosen,
                           std::unique_ptr<other_deque> deque, near_first near)
    : worker(home, index, chosen, deque.release(), shared.gate().word()),
      m_shared(shared),
      m_victims(chosen.victim, index, chosen.workers, chosen.seed, std::move(near)),
      m_pace(*chosen.spin, chosen.backoff, chosen.seed + index),
      m_driver(chosen.drivers != nullptr ? chosen.drivers->make() : nullptr),
      m_clock(*this),
      m_side(*this, m_driver.get()) {
  if (m_driver == nullptr && chosen.drivers != nullptr)
    throw bad_option("options.drivers made no driver; it must make one a worker");
  m_floating_point.save();
}

scheduler::scheduler(runtime& owner, const options& chosen)
    : m_owner(owner),
      m_profile(profile_file::wanted(checked(chosen))),
      m_options(completed(chosen, m_profile.get())),
      m_observed(m_options.events != nullptr),
      m_fiber_of_calls(owner),
      m_places(m_options.workers),
      m_gate(m_options.workers) {
  diagnosis::prepare_process();
  if (m_options.pin) m_cpus = topology::allowed_cpus();
  m_depots[0] = make_depot(0);
  deque_maker deques(m_options.queue, m_options.queue_settings);
  const std::optional<topology::hierarchy> machine = hierarchy_of(m_options);
  for (unsigned i = 0; i < m_options.workers; ++i) {
    near_first near;
    if (machine) near = near_first(*machine, i, m_options.workers, m_options.steal_threshold);
    m_workers.push_back(std::make_unique<whole_worker>(*this, owner, i, m_options, deques.make(), std::move(near)));
  }
  m_drivers_are_reaped = m_options.drivers != nullptr && m_options.stealing && m_options.workers > 1 &&
                         std::ranges::all_of(m_workers, [](const auto& each) { return each->can_be_reaped(); });
}

// No run is under way.
scheduler::~scheduler() {
  m_foreign_callers.wait_until_gone();
  drop_what_never_ran();
  std::uint64_t made = m_termination.spawned_outside();
  std::uint64_t freed = m_freed_outside.load();
  for (const auto& each : m_workers) {
    made += each->counters().spawned.get();
    freed += each->counters().freed.get();
    each->flush_fibers(depot(0));
  }
  if (made != freed) {
    fail("a runtime was destroyed before " + std::to_string(made - freed) + " handles of its fibers.",
         "Join or detach every handle first, or let the runtime live longer.");
  }
}

bool scheduler::inherited_by_fork() const {
  const pid_t began = m_running_in.load(std::memory_order_relaxed);
  return began != 0 && began != ::getpid();
}

// ---- Spawning ----

void scheduler::submit(task& spawned) {
  if (worker* const here = worker::current(); here != nullptr && &here->home() == &m_owner)
    return here->push_task(spawned);
  const std::uint64_t before = m_termination.count_spawned_outside();  // as in worker::push_task
  spawned.set_id((before + 1) * (m_workers.size() + 1));
  if (m_options.events != nullptr) {
    const task* const parent = is_within(m_owner) ? running_fiber()->current_task : nullptr;
    m_options.events->spawned(spawned.id(), parent != nullptr ? parent->id() : 0);
  }
  inject(spawned);
}

void scheduler::submit(call_item& fresh) {
  if (worker* const here = worker::current(); here != nullptr && &here->home() == &m_owner)
    return here->push_call(fresh);
  submit_without_memory(fresh);
}

void scheduler::submit_without_memory(call_item& fresh) noexcept {
  // From outside, as the counts go.
  static_cast<void>(m_termination.count_spawned_outside());
  inject(fresh);
}

bool scheduler::notify() noexcept {
  return m_gate.notify([this](unsigned chosen) {
    if (const worker* const here = worker::current(); here != nullptr && &here->home() == &m_owner)
      m_places.note_cpu(here->index());
    m_workers[chosen]->interrupt();
  });
}

template <class Push>
void scheduler::inject_by(Push&& push) noexcept {
  const worker* const here = worker::current();
  const bool foreign = here == nullptr || &here->home() != &m_owner;
  if (foreign) m_foreign_callers.enter();
  push();
  if (notify() && !foreign) whole_worker::current()->count_wakeup();
  if (foreign) m_foreign_callers.leave();
}

void scheduler::inject(work_item& item) noexcept {
  inject_by([&] { m_injector.push(&item); });
}

void scheduler::inject(std::span<work_item* const> items) noexcept {
  inject_by([&] { m_injector.push(items); });
}

void scheduler::inject(waiter_bundle& first, waiter_bundle& last) noexcept {
  inject_by([&] { m_injector.push(&first, &last); });
}

void* scheduler::allocate_task(std::size_t size) {
  if (worker* const here = worker::current(); here != nullptr && &here->home() == &m_owner)
    return here->allocate_task(size);
  if (!task_cache::serves(size)) return allocate_large_task(size);
  const auto one_of = [](auto& depot) {
    magazine<task_block> several = depot.refill();
    task_block* const one = several.pop();
    depot.give_back(several);
    return one;
  };
  return line_cache::serves(size) ? one_of(m_lines) : one_of(m_tasks);
}

void scheduler::free_task_memory(void* memory, std::size_t size) noexcept {
  if (worker* const here = worker::current(); here != nullptr && &here->home() == &m_owner) {
    return here->free_task_memory(memory, size);
  }
  if (!task_cache::serves(size)) return free_large_task(memory);
  magazine<task_block> one;
  one.push(new (memory) task_block{});
  line_cache::serves(size) ? m_lines.give_back(one) : m_tasks.give_back(one);
}

void scheduler::free_task(task& finished) noexcept {
  const std::size_t size = finished.size();
  if (m_options.events != nullptr && !inherited_by_fork()) [[unlikely]]
    m_options.events->destroyed(&finished);
  finished.destroy();  // the user's destructors: they may switch, so the worker is looked up after them
  if (worker* const here = worker::current(); here != nullptr && &here->home() == &m_owner) [[likely]] {
    here->count_as_freed();
    return here->free_task_memory(&finished, size);
  }
  m_freed_outside.fetch_add(1, std::memory_order_relaxed);  // read when all threads have ended
  free_task_memory(&finished, size);
}

// Items spawned from outside while the runtime did not run. They will never run.
void scheduler::drop_what_never_ran() noexcept {
  std::array<work_item*, queue::bundle_capacity> batch;
  while (const std::size_t count = m_injector.pop_batch(batch, batch.size())) {
    for (work_item* const item : std::span(batch).first(count)) {
      RAMIE_ASSERT(item->kind != work_kind::fiber, "a runtime ended with a fiber that could go on");
      if (item->kind == work_kind::call) {
        auto& dropped = static_cast<call_item&>(*item);
        call_frame last{.home = m_owner, .purpose = call_purpose::drop};
        dropped.call(dropped, last);
        if (last.before_other_work != nullptr) last.before_other_work(last);
        m_freed_outside.fetch_add(1, std::memory_order_relaxed);
        continue;
      }
      auto& never_ran = static_cast<task&>(*item);
      never_ran.refuse(nullptr);
      if (never_ran.complete()) free_task(never_ran);
    }
  }
}

// ---- Stacks ----

bytes scheduler::guard_of(bytes stack_size, std::uint8_t stack_class) const {
  const bytes chosen = m_options.guard_size;
  if (chosen.count() == 0) return stack::usual_guard(stack_size);
  return stack_class == 0 ? chosen : std::min(chosen, bytes(stack_size.count() / 4));
}

stack::config scheduler::stacks_of(std::uint8_t stack_class) const {
  const bytes stack_size = stack_class == 0 ? m_options.stack_size : bytes(smallest_class << (stack_class - 1U));
  stack::config stacks;
  stacks.size = stack_size;
  stacks.guard_size = guard_of(stack_size, stack_class);
  stacks.guard = m_options.unguarded == unguarded_stacks::allow ? stack::guard_policy::allow_unguarded
                                                                : stack::guard_policy::required;
  return stacks;
}

std::unique_ptr<fiber_depot> scheduler::make_depot(std::uint8_t stack_class) {
  return std::make_unique<fiber_depot>(m_owner, stacks_of(stack_class), stack_class, m_options.retained_stacks);
}

std::uint8_t scheduler::stack_class_of(bytes size) {
  if (size == m_options.stack_size) return 0;
  constexpr std::size_t largest_class = smallest_class << (stack_classes - 2);
  if (size.count() > largest_class) {  // before it is rounded up: beyond 2^63 there is no power of two
    throw bad_option("spawn_options.stack_size is " + std::to_string(size.count()) + " bytes; it must be at most " +
                     std::to_string(largest_class));
  }
  const std::size_t rounded = std::bit_ceil(std::max(size.count(), smallest_class));
  const auto stack_class = static_cast<std::size_t>(std::countr_zero(rounded / smallest_class)) + 1;
  const std::lock_guard guard(m_depots_lock);
  if (m_depots[stack_class] == nullptr) {
    m_depots[stack_class] = make_depot(static_cast<std::uint8_t>(stack_class));
  }
  return static_cast<std::uint8_t>(stack_class);
}

}  // namespace ramie::detail
