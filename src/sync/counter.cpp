#include <ramie/sync/counter.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/scheduler/parked.hpp>
#include <ramie/scheduler/worker.hpp>

namespace ramie {
namespace {

using group = detail::counter_core<>::group;

// A group lies on the stack of one of its waiters, so everything is read from it before the first is woken.
void wake_groups(group* reached) {
  while (reached != nullptr) {
    const group now = *reached;
    reached = now.next;
    wake_all(now.home, now.first, now.last, now.count);
  }
}

struct wait_request {
  detail::counter_core<>& counter;
  group mine;
};

}  // namespace

counter::counter(std::int64_t count) : m_core(count) {
  if (count < 0) throw misuse("a counter cannot begin below zero");
}

counter::~counter() {
  if (m_core.has_waiters()) detail::fail("a counter was destroyed while fibers wait for it.", "Let them finish first.");
}

void counter::add(std::int64_t amount) { wake_groups(m_core.add(amount)); }
void counter::decrement(std::int64_t amount) { wake_groups(m_core.add(-amount)); }

void wait_for_counter(counter& awaited, std::int64_t target) {
  if (target < 0) throw misuse("wait_for_counter() was given a target below zero, which no counter reaches");
  if (awaited.m_core.reached(target)) return;
  worker* const here = worker::current();
  if (here == nullptr) {
    thread_parker& mine = thread_parker::of_this_thread();
    group own{.target = target, .home = nullptr};
    if (awaited.m_core.enqueue(own, mine)) mine.park();
    return;
  }
  if (here->current_fiber() == nullptr) throw misuse("wait_for_counter() was called on a worker outside a fiber");
  wait_request request{awaited.m_core, {.target = target, .home = &here->home()}};
  here->suspend(
      [](worker& on, fiber& left, void* argument) {
        auto& wanted = *static_cast<wait_request*>(argument);
        if (!wanted.counter.enqueue(wanted.mine, left)) on.push_ready(left);
      },
      &request);
}

}  // namespace ramie
