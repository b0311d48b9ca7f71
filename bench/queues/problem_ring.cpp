// The cost of a queue that nobody else may touch.
#include <ramie/queue/work_queue.hpp>

#include <memory>
#include <optional>

#include "queues/contenders.hpp"
#include "queues/encounter.hpp"

namespace bench::queues {
namespace {

/// Newest first.
class plain_ring {
 public:
  using value_type = std::uint64_t;

  bool push_bottom(value_type item) {
    if (m_tail - m_head == capacity) return false;
    m_items[m_tail++ % capacity] = item;
    return true;
  }
  std::optional<value_type> pop_bottom() {
    if (m_tail == m_head) return std::nullopt;
    return m_items[--m_tail % capacity];
  }
  [[nodiscard]] std::size_t size() const { return m_tail - m_head; }

 private:
  std::size_t m_head = 0;
  std::size_t m_tail = 0;
  std::array<value_type, capacity> m_items{};
};

}  // namespace

outcome run_plain_ring(const setup& how) {
  const auto ring = std::make_unique<plain_ring>();
  return encounter(*ring, how);
}

}  // namespace bench::queues
