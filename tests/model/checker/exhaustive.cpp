#include <model/checker/exhaustive.hpp>

#include <algorithm>
#include <bit>

namespace ramie::model {
namespace {

// Whether `removed` was added as the first choice of all: only then does this graph stand for those that differ in it.
// Seen from `write`, which takes it away; `earlier` says what was there when it was added, or will be there again.
class maximality {
 public:
  maximality(const execution& graph, const event& write) : m_graph(graph), m_write(write) {}

  [[nodiscard]] bool of(const event& removed) const {
    switch (removed.kind) {
      case event_kind::read: return removed.awaits() ? removed.blocked : is_newest(removed, removed.reads_from);
      case event_kind::create: return !is_read(removed);
      case event_kind::write: return !is_read(removed) && is_newest(removed, removed.id);
      case event_kind::choice: return removed.value == 0;
      default: return true;
    }
  }

 private:
  [[nodiscard]] bool is_earlier(event_id other, const event& than) const {
    return other == nobody || m_graph.at(other).stamp <= than.stamp || m_write.caused_by.contains(other);
  }

  [[nodiscard]] bool is_read(const event& removed) const {
    return std::ranges::any_of(m_graph.where(removed.location).reads, [&](event_id read) {
      return m_graph.at(read).reads_from == removed.id && is_earlier(read, removed);
    });
  }

  [[nodiscard]] event_id newest_for(const event& removed) const {
    event_id newest = nobody;
    for (const event_id each : m_graph.where(removed.location).writes) {
      if (each != m_write.id && is_earlier(each, removed)) newest = each;
    }
    return newest;
  }

  [[nodiscard]] bool is_newest(const event& removed, event_id write) const { return newest_for(removed) == write; }

  const execution& m_graph;
  const event& m_write;
};

}  // namespace

bool exhaustive::next(execution& graph) {
  if (m_pending.empty()) return false;
  graph = std::move(m_pending.back());
  m_pending.pop_back();
  return true;
}

std::uint8_t exhaustive::next_thread(const execution& /*graph*/, std::uint32_t runnable, std::uint8_t /*current*/) {
  return static_cast<std::uint8_t>(std::countr_zero(runnable));
}

std::size_t exhaustive::source(execution& graph, event& read, const std::vector<event_id>& sources, bool may_block) {
  for (std::size_t i = 1; i < sources.size() + (may_block ? 1 : 0); ++i) {
    execution& other = m_pending.emplace_back(graph);
    if (i < sources.size()) {
      other.bind(other.edit(read.id), sources[i]);
    } else {
      other.block(other.edit(read.id));
    }
  }
  return 0;
}

std::size_t exhaustive::place(execution& graph, event& write, const std::vector<std::int32_t>& places) {
  for (const event_id each : graph.where(write.location).reads) offer(graph, write, graph.at(each));
  for (std::size_t i = 1; i < places.size(); ++i) {
    execution& other = m_pending.emplace_back(graph);
    other.place(other.edit(write.id), places[i]);
  }
  return 0;
}

void exhaustive::offer(const execution& graph, const event& write, const event& read) {
  if (write.caused_by.contains(read.id) || !read.awaited.allows(write.value)) return;
  const maximality maximal(graph, write);
  if (!maximal.of(read)) return;
  for (std::size_t thread = 0; thread < max_threads; ++thread) {
    const std::vector<event>& events = graph.thread(thread);
    for (auto i = static_cast<std::size_t>(write.caused_by.known(thread)); i < events.size(); ++i) {
      if (events[i].stamp > read.stamp && !maximal.of(events[i])) return;
    }
  }
  execution base = graph.restricted(read, write);
  for (const std::int32_t place : base.places(base.at(write.id))) {
    execution other = base;
    other.place(other.edit(write.id), place);
    event& again = other.edit(read.id);
    if (other.floor(again.happened_before, again.location) > place) continue;
    other.bind(again, write.id);
    if (other.consistent()) m_pending.push_back(std::move(other));
  }
}

std::uint64_t exhaustive::choice(execution& graph, event& chosen, std::uint64_t count) {
  for (std::uint64_t i = 1; i < count; ++i) {
    execution& other = m_pending.emplace_back(graph);
    other.edit(chosen.id).value = i;
  }
  return 0;
}

}  // namespace ramie::model
