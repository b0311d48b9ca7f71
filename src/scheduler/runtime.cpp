#include <ramie/scheduler/runtime.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/base/exit_watch.hpp>
#include <ramie/scheduler/diagnosis.hpp>
#include <ramie/scheduler/fast_paths.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/topology/affinity.hpp>
#include <ramie/topology/hierarchy.hpp>
#include <ramie/topology/worker_count.hpp>

#include "scheduler/profile_file.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

extern "C" const char RAMIE_LIBRARY_NAME = 0;

namespace ramie {
namespace {

const options& checked(const options& chosen) {
  constexpr unsigned most_workers = 4096;
  if (chosen.workers > most_workers) {
    throw bad_option("options.workers is " + std::to_string(chosen.workers) + "; it must be at most " +
                     std::to_string(most_workers) + ", or 0 for one a CPU");
  }
  if (chosen.spin && *chosen.spin < std::chrono::nanoseconds::zero()) {
    throw bad_option("options.spin is " + std::to_string(chosen.spin->count()) + " ns; it must not be negative");
  }
  return chosen;
}

options completed(options chosen, detail::profile_file* profile) {
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

namespace detail {
constinit native_provider::atomic<runtime*> process_runtime{nullptr};
}

worker::worker(runtime& home, unsigned index, const options& chosen, std::unique_ptr<detail::other_deque> deque,
               detail::near_first near)
    : m_forks(/*always_wanted=*/chosen.events != nullptr || chosen.fork_stealing == fork_stealing::continuation),
      m_backend(chosen.backend),
      m_observer(chosen.events),
      m_home(home),
      m_index(index),
      m_id_stride(chosen.workers + 1),
      m_stealing(chosen.stealing && chosen.workers > 1),
      m_fork_stealing(chosen.fork_stealing),
      m_deque(std::move(deque), chosen.queue_settings.capacity),
      m_victims(chosen.victim, index, chosen.workers, chosen.seed, std::move(near)),
      m_pace(*chosen.spin, chosen.backoff, chosen.seed + index),
      m_driver(chosen.make_idle_driver ? chosen.make_idle_driver() : nullptr),
      m_sleeps_in(m_driver != nullptr ? m_driver.get() : &m_futex) {
  if (m_driver == nullptr && chosen.make_idle_driver)
    throw bad_option("options.make_idle_driver returned no driver; it must make one a worker");
  m_floating_point.save();
}

runtime::runtime(const options& chosen)
    : m_profile(detail::profile_file::wanted(checked(chosen))),
      m_options(completed(chosen, m_profile.get())),
      m_observed(m_options.events != nullptr),
      m_places(m_options.workers),
      m_gate(m_options.workers) {
  diagnosis::prepare_process();
  if (m_options.pin) m_cpus = topology::allowed_cpus();
  m_depots[0] = make_depot(0);
  detail::deque_maker deques(m_options.queue, m_options.queue_settings);
  const std::optional<topology::hierarchy> machine = hierarchy_of(m_options);
  for (unsigned i = 0; i < m_options.workers; ++i) {
    detail::near_first near;
    if (machine) near = detail::near_first(*machine, i, m_options.workers, m_options.steal_threshold);
    m_workers.push_back(std::make_unique<worker>(*this, i, m_options, deques.make(), std::move(near)));
    const idle_driver* const driver = m_workers.back()->m_driver.get();
    m_drivers_are_reaped = driver != nullptr && m_options.stealing && m_options.workers > 1 && driver->can_be_reaped();
  }
}

bool runtime::inherited_by_fork() const {
  const pid_t began = m_running_in.load(std::memory_order_relaxed);
  return began != 0 && began != ::getpid();
}

runtime::~runtime() {
  if (detail::is_within(*this)) {
    detail::go_on_with_exit();
    detail::fail("a runtime was destroyed by one of its own fibers, which would wait for itself.",
                 "Destroy it from outside.");
  }
  // Nor one whose fibers may wait for the caller of exit(), who does not return to them.
  if (is_running()) detail::go_on_with_exit();
  const bool inherited = inherited_by_fork();
  stop();
  if (inherited) {
    // Its fibers are the parent's business, and its locks may be held by threads that do not exist here. This may even
    // run on one of its stacks. All of it goes with the process.
    for (auto& each : m_workers) static_cast<void>(each.release());
    for (auto& each : m_depots) static_cast<void>(each.release());
    static_cast<void>(m_profile.release());
    return;
  }
  m_strangers.wait_until_gone();
  drop_what_never_ran();
  std::uint64_t made = m_termination.spawned_outside();
  std::uint64_t freed = m_freed_outside.load();
  for (const auto& each : m_workers) {
    made += each->counters().spawned.get();
    freed += each->counters().freed.get();
    each->m_fibers.flush(depot(0));
  }
  if (made != freed) {
    detail::fail("a runtime was destroyed before " + std::to_string(made - freed) + " handles of its fibers.",
                 "Join or detach every handle first, or let the runtime live longer.");
  }
}

// ---- Spawning ----

void runtime::submit(task& spawned, const spawn_options& how) {
  if (!how.name.empty()) spawned.set_name(how.name);
  if (how.stack_size.count() != 0) spawned.set_stack_class(stack_class_of(how.stack_size));
  submit(spawned);
}

void runtime::submit(task& spawned) {
  if (worker* const here = worker::current(); here != nullptr && &here->home() == this) return here->push_task(spawned);
  const std::uint64_t before = m_termination.count_spawned_outside();  // as in worker::push_task
  spawned.set_id((before + 1) * (worker_count() + 1));
  if (m_options.events != nullptr) {
    const task* const parent = detail::is_within(*this) ? detail::running_fiber()->current_task : nullptr;
    m_options.events->spawned(spawned.id(), parent != nullptr ? parent->id() : 0);
  }
  inject(spawned);
}

void runtime::submit(call_item& fresh) {
  if (worker* const here = worker::current(); here != nullptr && &here->home() == this) return here->push_call(fresh);
  submit_without_memory(fresh);
}

void runtime::submit_without_memory(call_item& fresh) noexcept {
  // From outside, as the counts go.
  static_cast<void>(m_termination.count_spawned_outside());
  inject(fresh);
}

template <class Push>
void runtime::inject_by(Push&& push) noexcept {
  const worker* const here = worker::current();
  const bool stranger = here == nullptr || &here->home() != this;
  if (stranger) m_strangers.enter();
  push();
  if (notify() && !stranger) worker::current()->m_counters.wakeups.add();
  if (stranger) m_strangers.leave();
}

void runtime::inject(work_item& item) noexcept {
  inject_by([&] { m_injector.push(&item); });
}

void runtime::inject(std::span<work_item* const> items) noexcept {
  inject_by([&] { m_injector.push(items); });
}

void runtime::inject(waiter_bundle& first, waiter_bundle& last) noexcept {
  inject_by([&] { m_injector.push(&first, &last); });
}

void* runtime::allocate_task(std::size_t size) {
  if (worker* const here = worker::current(); here != nullptr && &here->home() == this)
    return here->allocate_task(size);
  if (!detail::task_depot::pooled(size)) return detail::task_depot::allocate_large(size);
  const auto one_of = [](auto& depot) {
    detail::magazine<detail::task_block> several = depot.refill();
    detail::task_block* const one = several.pop();
    depot.give_back(several);
    return one;
  };
  return detail::line_depot::pooled(size) ? one_of(m_line_depot) : one_of(m_task_depot);
}

void runtime::free_task_memory(void* memory, std::size_t size) noexcept {
  if (worker* const here = worker::current(); here != nullptr && &here->home() == this) {
    return here->free_task_memory(memory, size);
  }
  if (!detail::task_depot::pooled(size)) return detail::task_depot::free_large(memory);
  detail::magazine<detail::task_block> one;
  one.push(new (memory) detail::task_block{});
  detail::line_depot::pooled(size) ? m_line_depot.give_back(one) : m_task_depot.give_back(one);
}

void runtime::free_task(task& finished) noexcept {
  const std::size_t size = finished.size();
  if (m_options.events != nullptr && !inherited_by_fork()) [[unlikely]]
    m_options.events->destroyed(&finished);
  finished.destroy();  // the user's destructors: they may switch, so the worker is looked up after them
  if (worker* const here = worker::current(); here != nullptr && &here->home() == this) [[likely]] {
    here->m_counters.freed.add();
    return here->free_task_memory(&finished, size);
  }
  m_freed_outside.fetch_add(1, std::memory_order_relaxed);  // read when all threads have ended
  free_task_memory(&finished, size);
}

// What was spawned from outside while no one ran it, and never will be.
void runtime::drop_what_never_ran() noexcept {
  std::array<work_item*, queue::bundle_capacity> batch;
  while (const std::size_t count = m_injector.pop_batch(batch, batch.size())) {
    for (work_item* const item : std::span(batch).first(count)) {
      RAMIE_ASSERT(item->kind != work_kind::fiber, "a runtime ended with a fiber that could go on");
      if (item->kind == work_kind::call) {
        auto& dropped = static_cast<call_item&>(*item);
        call_frame last{.home = *this, .purpose = call_purpose::drop};
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

bytes runtime::guard_of(bytes stack_size, std::uint8_t stack_class) const {
  const bytes chosen = m_options.guard_size;
  if (chosen.count() == 0) return stack::usual_guard(stack_size);
  return stack_class == 0 ? chosen : std::min(chosen, bytes(stack_size.count() / 4));
}

stack::config runtime::stacks_of(std::uint8_t stack_class) const {
  const bytes stack_size = stack_class == 0 ? m_options.stack_size : bytes(smallest_class << (stack_class - 1U));
  stack::config stacks;
  stacks.size = stack_size;
  stacks.guard_size = guard_of(stack_size, stack_class);
  stacks.guard = m_options.unguarded == unguarded_stacks::allow ? stack::guard_policy::allow_unguarded
                                                                : stack::guard_policy::required;
  return stacks;
}

std::unique_ptr<detail::fiber_depot> runtime::make_depot(std::uint8_t stack_class) {
  return std::make_unique<detail::fiber_depot>(*this, stacks_of(stack_class), stack_class, m_options.retained_stacks);
}

std::uint8_t runtime::stack_class_of(bytes size) {
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

std::vector<worker_statistics> runtime::statistics() const {
  std::vector<worker_statistics> all;
  for (const auto& each : m_workers) all.push_back(each->counters().snapshot());
  return all;
}

}  // namespace ramie
