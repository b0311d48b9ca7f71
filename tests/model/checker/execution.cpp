#include <model/checker/execution.hpp>

#include <algorithm>

namespace ramie::model {

const event execution::m_nothing{};

bool predicate::allows(std::uint64_t value) const {
  switch (kind) {
    case test::always: return true;
    case test::equal: return value == argument;
    case test::lacks_bits: return (value & argument) == 0;
    case test::not_queued:
      for (std::uint64_t queue = value & ~(std::uint64_t{1} << 63U); queue != 0; queue >>= 4U) {
        if ((queue & 15U) == argument) return false;
      }
      return true;
  }
  return true;
}

std::size_t execution::size() const {
  std::size_t sum = 0;
  for (const auto& each : m_threads) sum += each.size();
  return sum;
}

bool execution::is_bound(const event& read) const {
  const id_list& reads = m_locations[read.location].reads;
  return std::ranges::find(reads, read.id) != reads.end();
}

std::int32_t execution::floor(const clock& known, location_id id) const {
  const location& here = m_locations[id];
  std::int32_t oldest = 0;
  for (auto i = static_cast<std::int32_t>(here.writes.size()) - 1; i > 0; --i) {
    if (known.contains(here.writes[static_cast<std::size_t>(i)])) {
      oldest = i;
      break;
    }
  }
  for (const event_id read : here.reads) {
    if (!known.contains(read)) continue;
    const event_id source = at(read).reads_from;
    if (source != nobody) oldest = std::max(oldest, at(source).position);
  }
  return oldest;
}

std::vector<std::int32_t> execution::places(const event& write) const {
  const id_list& writes = m_locations[write.location].writes;
  std::vector<std::int32_t> found;
  const auto splits_a_pair = [&](std::int32_t place) {
    return place < static_cast<std::int32_t>(writes.size()) && at(writes[static_cast<std::size_t>(place)]).exclusive;
  };
  if (write.exclusive) {
    const event_id source = before(write).reads_from;
    const std::int32_t place = (source == nobody ? 0 : at(source).position) + 1;
    if (!splits_a_pair(place)) found.push_back(place);
    return found;
  }
  const std::int32_t first = floor(write.happened_before, write.location) + 1;
  for (auto place = static_cast<std::int32_t>(writes.size()); place >= first; --place) {
    if (!splits_a_pair(place)) found.push_back(place);
  }
  return found;
}

event& execution::append(std::uint8_t thread, event added) {
  std::vector<event>& events = m_threads[thread];
  added.id = {thread, static_cast<std::int16_t>(events.size())};
  added.stamp = m_next_stamp++;
  const event& previous = events.empty() ? m_nothing : events.back();
  added.happened_before = previous.happened_before;
  added.caused_by = previous.caused_by;
  added.released = previous.released;
  added.pending = previous.pending;
  added.happened_before.include(added.id);
  added.caused_by.include(added.id);
  if (added.kind == event_kind::heavy_fence || added.kind == event_kind::fence) {
    const std::memory_order order = added.kind == event_kind::heavy_fence ? std::memory_order_seq_cst : added.order;
    if (acquires(order)) added.happened_before.join(added.pending);
    if (releases(order)) added.released = added.happened_before;
  }
  if (added.is_write()) {
    // [atomics.fences]: a relaxed write publishes what was known at the last release fence.
    added.published = releases(added.order) ? added.happened_before : added.released;
    // [intro.races] p5: a read-modify-write continues the release sequence of what it has read.
    if (added.exclusive && previous.reads_from != nobody) added.published.join(at(previous.reads_from).published);
  }
  events.push_back(added);
  return events.back();
}

location_id execution::create_location(event& creation) {
  auto slot = std::ranges::find(m_locations, false, &location::alive);
  if (slot == m_locations.end()) slot = m_locations.insert(slot, location{});
  *slot = location{};
  slot->alive = true;
  slot->created = creation.id;
  slot->writes.push_back(creation.id);
  creation.location = static_cast<location_id>(slot - m_locations.begin());
  creation.position = 0;
  return creation.location;
}

location_id execution::futex_of(location_id word) {
  if (m_locations[word].futex == no_location) {
    auto slot = std::ranges::find(m_locations, false, &location::alive);
    if (slot == m_locations.end()) slot = m_locations.insert(slot, location{});
    *slot = location{};
    slot->alive = true;
    slot->writes.push_back(nobody);
    m_locations[word].futex = static_cast<location_id>(slot - m_locations.begin());
  }
  return m_locations[word].futex;
}

void execution::destroy_location(event& destruction) { m_locations[destruction.location].destroyed = destruction.id; }

void execution::bind(event& read, event_id write) {
  const event& source = at(write);
  read.reads_from = write;
  read.value = source.value;
  read.blocked = false;
  read.exclusive = read.update == rmw::always || (read.update == rmw::if_equal && read.value == read.expected);
  if (read.update == rmw::if_equal) read.order = read.exclusive ? read.order_of_success : read.order_of_failure;
  read.caused_by.join(source.caused_by);
  if (acquires(read.order)) {
    read.happened_before.join(source.published);
  } else {
    read.pending.join(source.published);
  }
  m_locations[read.location].reads.push_back(read.id);
}

void execution::block(event& read) {
  read.blocked = true;
  read.reads_from = nobody;
  m_locations[read.location].reads.push_back(read.id);
}

void execution::unbind(event& read) {
  const event& previous = before(read);
  read.happened_before = previous.happened_before;
  read.caused_by = previous.caused_by;
  read.pending = previous.pending;
  read.happened_before.include(read.id);
  read.caused_by.include(read.id);
  read.reads_from = nobody;
  read.blocked = false;
  read.exclusive = false;
  m_locations[read.location].reads.erase(read.id);
}

void execution::place(event& write, std::int32_t position) {
  id_list& writes = m_locations[write.location].writes;
  writes.insert(static_cast<std::size_t>(position), write.id);
  for (auto i = static_cast<std::size_t>(position); i < writes.size(); ++i) {
    if (writes[i] != nobody) edit(writes[i]).position = static_cast<std::int32_t>(i);
  }
}

void execution::unplace(event& write) {
  id_list& writes = m_locations[write.location].writes;
  writes.erase_at(static_cast<std::size_t>(write.position));
  for (auto i = static_cast<std::size_t>(write.position); i < writes.size(); ++i) {
    edit(writes[i]).position = static_cast<std::int32_t>(i);
  }
}

void execution::learn(event& mark, const clock& happened_before, const clock& caused_by) {
  mark.happened_before.join(happened_before);
  mark.caused_by.join(caused_by);
}

execution execution::restricted(const event& read, const event& write) const {
  execution kept;
  kept.m_next_stamp = m_next_stamp;
  std::array<std::size_t, max_threads> length{};
  for (std::size_t i = 0; i < max_threads; ++i) {
    const std::vector<event>& events = m_threads[i];
    const auto younger = std::ranges::upper_bound(events, read.stamp, {}, &event::stamp);
    length[i] = std::max(static_cast<std::size_t>(younger - events.begin()),
                         static_cast<std::size_t>(write.caused_by.known(i)));
    kept.m_threads[i].assign(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(length[i]));
  }
  const auto is_kept = [&](event_id id) {
    return id == nobody || static_cast<std::size_t>(id.index) < length[id.thread];
  };
  kept.m_locations.resize(m_locations.size());
  for (std::size_t i = 0; i < m_locations.size(); ++i) {
    const location& old = m_locations[i];
    location& fresh = kept.m_locations[i];
    if (!old.alive || !is_kept(old.created)) continue;
    fresh.alive = true;
    fresh.created = old.created;
    fresh.futex = old.futex;
    if (old.destroyed != nobody && is_kept(old.destroyed)) fresh.destroyed = old.destroyed;
    for (const event_id each : old.writes) {
      if (!is_kept(each) || each == write.id) continue;
      if (each != nobody) kept.edit(each).position = static_cast<std::int32_t>(fresh.writes.size());
      fresh.writes.push_back(each);
    }
    for (const event_id each : old.reads) {
      if (is_kept(each) && each != read.id) fresh.reads.push_back(each);
    }
  }
  // The kernel's queues have no creation of their own: they go with their words.
  for (std::size_t i = 0; i < m_locations.size(); ++i) {
    if (m_locations[i].futex != no_location && !kept.m_locations[i].alive) {
      kept.m_locations[m_locations[i].futex] = location{};
    }
  }
  event& again = kept.edit(read.id);
  const event& previous = kept.before(again);
  again.happened_before = previous.happened_before;
  again.caused_by = previous.caused_by;
  again.pending = previous.pending;
  again.happened_before.include(again.id);
  again.caused_by.include(again.id);
  again.reads_from = nobody;
  again.blocked = false;
  again.exclusive = false;
  return kept;
}

std::string execution::identity() const {
  std::string text;
  const auto put = [&](event_id id) {
    text += static_cast<char>(id.thread);
    text.append(reinterpret_cast<const char*>(&id.index), sizeof(id.index));
  };
  for (const std::vector<event>& events : m_threads) {
    text += '|';
    for (const event& each : events) {
      text += static_cast<char>(each.kind);
      text += static_cast<char>(each.blocked);
      if (each.is_read()) put(each.reads_from);
      text.append(reinterpret_cast<const char*>(&each.value), sizeof(each.value));
    }
  }
  // Locations in the order of their first writes: slots differ from run to run.
  std::vector<const location*> sorted;
  for (const location& each : m_locations) {
    if (each.alive && each.writes.size() > 1) sorted.push_back(&each);
  }
  std::ranges::sort(sorted, [](const location* a, const location* b) { return a->writes < b->writes; });
  for (const location* each : sorted) {
    text += '/';
    for (const event_id id : each->writes) put(id);
  }
  return text;
}

}  // namespace ramie::model
