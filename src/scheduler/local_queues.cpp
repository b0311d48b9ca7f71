#include <ramie/scheduler/local_queues.hpp>

#include <ramie/queue/family.hpp>

#include <utility>

namespace ramie::detail {

struct deque_maker::others {
  queue::family<work_item*> kin;
};

deque_maker::deque_maker(queue::kind which, const queue::settings& chosen) {
  queue::family<work_item*> kin(which, chosen);
  if (which != task_deque::by_value) m_others = std::make_unique<others>(std::move(kin));
}

deque_maker::~deque_maker() = default;

std::unique_ptr<other_deque> deque_maker::make() { return m_others ? m_others->kin.make() : nullptr; }

}  // namespace ramie::detail
