#include <ramie/c/queue.h>

#include <ramie/base/error.hpp>
#include <ramie/queue/family.hpp>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "c/error.hpp"

namespace queues = ramie::queue;

struct ramie_queue {
  std::unique_ptr<queues::any_queue<std::uint64_t>> held;
};

namespace {

constexpr const char* the_queue = "the queue. Give what ramie_queue_new returned; check that.";
constexpr const char* the_item = "the place for the item. Give the address of a uint64_t.";

// Block-based kinds have blocks × entries items of room.
queues::block_shape blocks_for(std::size_t capacity) {
  queues::block_shape shape;
  shape.entries = std::clamp<std::size_t>(capacity / 2, 1, shape.entries);
  shape.blocks = std::max<std::size_t>(2, capacity / shape.entries + (capacity % shape.entries != 0 ? 1 : 0));
  return shape;
}

}  // namespace

ramie_queue* ramie_queue_new(const char* kind, std::size_t capacity) {
  const auto which = kind != nullptr ? queues::kind_of(kind) : std::nullopt;
  if (!which) {
    errno = EINVAL;
    return nullptr;
  }
  try {
    queues::family<std::uint64_t> family(*which, {.capacity = capacity, .blocks = blocks_for(capacity)});
    auto made = family.make();
    if (made != nullptr) return new ramie_queue{std::move(made)};
    errno = EINVAL;  // a kind that has a name and no queue
  } catch (const ramie::bad_option&) {
    errno = EINVAL;
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
  }
  return nullptr;
}

void ramie_queue_free(ramie_queue* queue) { delete queue; }

bool ramie_queue_push(ramie_queue* queue, std::uint64_t item) {
  ramie::c::require(queue, "ramie_queue_push", the_queue);
  try {
    if (queue->held->push_bottom(item)) return true;
    errno = EAGAIN;
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
  }
  return false;
}

bool ramie_queue_pop(ramie_queue* queue, std::uint64_t* item) {
  ramie::c::require(queue, "ramie_queue_pop", the_queue);
  ramie::c::require(item, "ramie_queue_pop", the_item);
  const auto popped = queue->held->pop_bottom();
  if (popped) *item = *popped;
  return popped.has_value();
}

ramie_steal ramie_queue_steal(ramie_queue* queue, std::uint64_t* item) {
  ramie::c::require(queue, "ramie_queue_steal", the_queue);
  ramie::c::require(item, "ramie_queue_steal", the_item);
  const auto stolen = queue->held->pop_top();
  switch (stolen.status) {
    case queues::steal_status::item: *item = stolen.item; return RAMIE_STEAL_ITEM;
    case queues::steal_status::empty: return RAMIE_STEAL_EMPTY;
    case queues::steal_status::lost_race: break;
  }
  return RAMIE_STEAL_LOST_RACE;
}

bool ramie_queue_empty(const ramie_queue* queue) {
  ramie::c::require(queue, "ramie_queue_empty", the_queue);
  return queue->held->size() == 0;
}
