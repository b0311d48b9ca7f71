
#include <ramie/queue/family.hpp>

#include "scheduler/deque_maker.hpp"

#include <utility>

namespace ramie::detail {

task_deque::task_deque(other_deque* other, std::size_t capacity)
    : m_other(other),
      m_default(other == nullptr ? default_deque(capacity) : default_deque(default_deque::unused_t())) {}
task_deque::~task_deque() { delete m_other; }

bool task_deque::push_slowly(work_item* item) {
  return m_other == nullptr ? m_default.push_bottom(item) : m_other->push_bottom(item);
}

work_item* task_deque::pop_oldest() {
  if (m_other == nullptr) return m_default.pop_oldest().value_or(nullptr);
  const auto oldest = m_other->pop_top();
  return oldest.status == queue::steal_status::item ? oldest.item : nullptr;
}

struct deque_maker::others {
  queue::family<work_item*> kin;
};

deque_maker::deque_maker(queue::kind which, const queue::settings& chosen) {
  queue::family<work_item*> kin(which, chosen);
  if (which != by_value) m_others = std::make_unique<others>(std::move(kin));
}

deque_maker::~deque_maker() = default;

std::unique_ptr<other_deque> deque_maker::make() { return m_others ? m_others->kin.make() : nullptr; }

}  // namespace ramie::detail
