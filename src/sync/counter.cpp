#include <ramie/sync/counter.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/scheduler/diagnosis.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/scheduler/this_fiber.hpp>
#include <ramie/scheduler/worker.hpp>

namespace ramie {
namespace {

using core = detail::counter_core<>;

void wake_reached(const core::reached_waiters& reached) {
  core::finish_each(reached.arms, [](work_item& waiter) { wake(waiter); });
  core::for_each_group(reached.groups, [](core::place& group) {
    if (group.last == &group.bundle && group.bundle.count == 1) {
      wake(*group.bundle.items[0]);
    } else {
      wake_all(group.home, group.bundle, *group.last);
    }
  });
}

}  // namespace

void detail::target_below_zero() {
  throw misuse("wait_for_counter() was given a target below zero, which no counter reaches");
}

counter::counter(std::int64_t count) : m_core(count) {
  if (count < 0 || count > max) throw misuse("a counter begins between 0 and 2^60 - 1");
  // The end of an earlier one at this address is not seen where no observed fiber ended it.
  if (detail::someone_observes()) [[unlikely]]
    detail::report_destruction(this);
}

counter::~counter() {
  if (detail::someone_observes()) [[unlikely]]
    detail::report_destruction(this);
  if (m_core.has_waiters()) detail::fail("a counter was destroyed while fibers wait for it.", "Let them finish first.");
}

void counter::add(std::int64_t amount) {
  if (amount < 0 && detail::someone_observes()) [[unlikely]]
    detail::report_signal(this);
  wake_reached(m_core.add(amount));
}

void counter::decrement(std::int64_t amount) {
  if (amount < -max) amount = -max;  // negated it would overflow; add() refuses it as it is
  add(-amount);
}

void detail::before_counter_wait_on_thread() {
  if (diagnosis::child_of_a_fiber()) fail_in_forked_child("wait_for_counter()", "whoever counts down");
  have_process_runtime_run(nullptr);  // its fibers may be those that count down
}

wake_reason wait_for_counter(counter& awaited, std::int64_t target, const wait_limits& limits) {
  if (!awaited.m_core.reached(target)) {
    if (target < 0) detail::target_below_zero();
    if (worker::current() == nullptr) detail::before_counter_wait_on_thread();
    core::record mine(detail::this_waiter());
    core::arm arm(target, mine);
    bool has_been_reached = false;  // also where a first wait was withdrawn, and the count has risen again since
    const wake_reason reason = detail::wait_until(
        mine, [&] { return !has_been_reached && awaited.m_core.enqueue(arm); },
        [&] { has_been_reached = awaited.m_core.withdraw(arm); }, limits);
    if (reason != wake_reason::woken) return reason;
  }
  if (detail::someone_observes()) [[unlikely]]
    detail::report_receipt(&awaited);
  return wake_reason::woken;
}

}  // namespace ramie
