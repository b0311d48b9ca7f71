// One execution as a graph: the events of each thread, which write each read reads from, and for each location the
// order of its writes (modification order). Whether C++20 allows it is decided here and nowhere else.
//
// The rules are those of [intro.races] and [atomics.order] in C++20 (N4860; P0668 for sequential consistency), with one
// strengthening that every model checker of this kind makes: program order and reads-from together have no cycle, so a
// value never comes out of thin air and loads are not delayed past later stores.
//
//   coherence     floor(): a thread reads no write older than one that happened before, or than what a read that
//                 happened before has read; a write goes behind them.
//   atomicity     the write of a read-modify-write follows the write it has read directly.
//   happens       program order, and synchronizes-with: release stores and fences, release sequences (continued by
//   before        read-modify-writes alone), acquire loads and fences. Vector clocks, computed as events are added.
//   S             the total order of seq_cst operations and fences: consistent() looks for a cycle among what it must
//                 obey (strongly happens before, and the four conditions of [atomics.order] p4).
//   light, heavy  heavy fences are seq_cst fences. A light fence is ordered against a heavy one as a seq_cst fence
//                 would be: not both before and after it. Nothing is promised between light fences, nor along chains
//                 of several pairs.
#pragma once

#include <model/checker/event.hpp>
#include <model/checker/id_list.hpp>

#include <array>
#include <string>
#include <vector>

namespace ramie::model {

class execution {
 public:
  struct location {
    bool alive = false;
    event_id created = nobody;
    event_id destroyed = nobody;
    location_id futex = no_location;  // where the kernel's queue for this word is kept
    id_list writes;                   // in modification order; begins with the creation
    id_list reads;
  };

  // ---- Looking ----

  [[nodiscard]] const event& at(event_id id) const {
    return id == nobody ? m_nothing : m_threads[id.thread][static_cast<std::size_t>(id.index)];
  }
  [[nodiscard]] event& edit(event_id id) { return m_threads[id.thread][static_cast<std::size_t>(id.index)]; }
  [[nodiscard]] const std::vector<event>& thread(std::size_t index) const { return m_threads[index]; }
  [[nodiscard]] const location& where(location_id id) const { return m_locations[id]; }
  [[nodiscard]] const std::vector<location>& locations() const { return m_locations; }
  [[nodiscard]] std::size_t size() const;
  /// False for a read that has not found its write yet.
  [[nodiscard]] bool is_bound(const event& read) const;

  /// The position of the oldest write that a thread with this clock may still read.
  [[nodiscard]] std::int32_t floor(const clock& known, location_id id) const;
  /// Where a new write with this clock may go: positions, the last one first.
  [[nodiscard]] std::vector<std::int32_t> places(const event& write) const;
  [[nodiscard]] event_id newest(location_id id) const { return m_locations[id].writes.back(); }
  /// Whether S exists. Coherence and atomicity hold by construction.
  [[nodiscard]] bool consistent() const;
  /// The same for two executions exactly if they have the same events, reads-from and modification orders.
  [[nodiscard]] std::string identity() const;

  // ---- Growing ----

  /// Adds an event to its thread. A read is then bound, a write placed.
  event& append(std::uint8_t thread, event added);
  location_id create_location(event& creation);
  [[nodiscard]] location_id futex_of(location_id word);
  void destroy_location(event& destruction);
  void bind(event& read, event_id write);
  /// A read that waits: nothing it may read lets it go on.
  void block(event& read);
  void place(event& write, std::int32_t position);
  void learn(event& mark, const clock& happened_before, const clock& caused_by);

  // ---- Going back ----

  /// Takes a bound read or a placed write, the newest of its thread, back to where append() left it.
  void unbind(event& read);
  void unplace(event& write);
  /// The events added before `read`, `read` itself, unbound, and all that `write` was caused by, and `write`, unplaced.
  [[nodiscard]] execution restricted(const event& read, const event& write) const;

 private:
  [[nodiscard]] const event& before(const event& later) const {
    return later.id.index == 0 ? m_nothing : at({later.id.thread, static_cast<std::int16_t>(later.id.index - 1)});
  }

  static const event m_nothing;
  std::array<std::vector<event>, max_threads> m_threads;
  std::vector<location> m_locations;
  std::uint32_t m_next_stamp = 0;
};

}  // namespace ramie::model
