// Several items at once, on their way from a victim's queues or the injector to the worker that takes them. It runs the
// first; the rest goes to its lane, where others can steal it.
//
// Between the two queues the rest is in none, and a worker that looked meanwhile may be asleep by now. So it is pushed
// like anything else: then comes notify(), [P2]–[P5] of sleep_gate.hpp.
#pragma once

#include <ramie/queue/injector.hpp>
#include <ramie/queue/work_queue.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace ramie::detail {

template <class Item>
struct stolen_batch {
  Item first{};           // of `count`, if that is not zero
  std::size_t count = 0;  // the rest is in the thief's lane
  bool raced = false;     // something was there, and another was faster
};

/// The thief's thread; its lane is empty. The oldest task, which promises most work, or a few of them (`at_most`) where
/// there are very many; else half of the victim's lane. Calls notify() after it has pushed.
template <class Deque, class Lane, class Notify>
[[gnu::always_inline]] inline stolen_batch<typename Lane::value_type> steal_batch(Deque& victims_deque,
                                                                                  Lane& victims_lane, Lane& own_lane,
                                                                                  Notify&& notify,
                                                                                  std::size_t at_most = 16) {
  std::array<typename Lane::value_type, queue::bundle_capacity> batch;
  // Recursive work has a short deque of ever smaller tasks: one is right. A long deque is a burst of equal ones.
  const std::size_t tasks = 1 + std::min<std::size_t>(victims_deque.size() / 64, at_most - 1);
  queue::batch_result taken = victims_deque.pop_top_batch(std::span(batch).first(tasks));
  bool raced = taken.status == queue::steal_status::lost_race;
  if (taken.status != queue::steal_status::item) {
    taken = victims_lane.pop_top_batch(batch);
    raced = raced || taken.status == queue::steal_status::lost_race;
  }
  if (taken.status != queue::steal_status::item) return {.raced = raced};
  // The lane keeps the order and needs no memory, whatever was taken. It has room: only this thread pushes, and it
  // steals when there is nothing in it.
  for (const auto item : std::span(batch).subspan(1, taken.count - 1)) static_cast<void>(own_lane.push_bottom(item));
  if (taken.count > 1) notify();
  return {.first = batch[0], .count = taken.count, .raced = raced};
}

/// The thread that owns the lane. A bundle of woken fibers, or a fair share of the single items; null if there is
/// nothing. Calls fetched(items) while they are still its own, and notify() if others may find something now.
template <class Injector, class Lane, class Fetched, class Notify>
[[gnu::always_inline]] inline typename Lane::value_type take_injected_batch(Injector& injector, Lane& own_lane,
                                                                            std::size_t workers, bool stealing,
                                                                            Fetched&& fetched, Notify&& notify) {
  const std::size_t waiting = injector.size();
  if (waiting == 0) return nullptr;
  std::array<typename Lane::value_type, queue::bundle_capacity> batch;
  const std::size_t room = Lane::capacity - own_lane.size();
  const std::size_t share = std::clamp<std::size_t>(waiting / workers, 1, std::max<std::size_t>(room, 1));
  const std::size_t count = injector.pop_batch(batch, share);
  if (count == 0) return nullptr;
  fetched(std::span(batch).first(count));
  // Once it is pushed, an item may be stolen, run and freed: nothing of it is touched any more.
  bool pushed_back = false;
  for (const auto item : std::span(batch).subspan(1, count - 1)) {
    if (own_lane.push_bottom(item)) [[likely]]
      continue;
    injector.push(item);
    pushed_back = true;
  }
  if (waiting > count || pushed_back || (count > 1 && stealing)) notify();
  return batch[0];
}

}  // namespace ramie::detail
