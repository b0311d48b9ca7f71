#include <ramie/sync/counter.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/scheduler/this_fiber.hpp>
#include <ramie/scheduler/worker.hpp>

namespace ramie {
namespace {

using group = detail::counter_core<>::group;

// A group lies on the stack of one of its waiters, so everything is read from it before the first is woken.
void wake_groups(group* reached) {
  while (reached != nullptr) {
    const group now = *reached;
    reached = now.next;
    if (now.count == 1) {
      wake(*now.first);
      continue;
    }
    wake_all(now.home, now.first, now.last, now.count);
  }
}

}  // namespace

void detail::target_below_zero() {
  throw misuse("wait_for_counter() was given a target below zero, which no counter reaches");
}

counter::counter(std::int64_t count) : m_core(count) {
  if (count < 0) throw misuse("a counter cannot begin below zero");
}

counter::~counter() {
  if (m_core.has_waiters()) detail::fail("a counter was destroyed while fibers wait for it.", "Let them finish first.");
}

void counter::add(std::int64_t amount) { wake_groups(m_core.add(amount)); }
void counter::decrement(std::int64_t amount) { wake_groups(m_core.add(-amount)); }

void counter::wait_on_thread(std::int64_t target) {
  if (worker::current() != nullptr) detail::not_a_fiber("wait_for_counter()");  // a worker between fibers
  thread_parker& mine = thread_parker::of_this_thread();
  group own{.target = target, .home = nullptr};
  if (m_core.enqueue(own, mine)) mine.park();
}

void counter::enqueue_left(worker& on, fiber& left, void* request) {
  auto& wait = *static_cast<detail::counter_wait*>(request);
  if (!wait.awaited.enqueue(wait.mine, left)) on.push_ready(left);
}

}  // namespace ramie
