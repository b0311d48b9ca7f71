#include <simulation/memory/total_order.hpp>

namespace ramie::weak {

template <class Entry>
const Entry* total_order::last_before(const std::vector<Entry>& all, std::int32_t index) {
  // Mostly one of the last.
  std::size_t end = all.size();
  for (int looks = 4; looks > 0 && end > 0; --looks, --end) {
    if (all[end - 1].index < index) return &all[end - 1];
  }
  const auto found = std::lower_bound(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(end), index,
                                      [](const Entry& each, std::int32_t bound) { return each.index < bound; });
  return found == all.begin() ? nullptr : &*(found - 1);
}

// The members in `prefix`, and what is before them.
void total_order::add_members(clock& into, const clock& prefix) const {
  for (slot thread = 0; thread < m_used; ++thread) {
    if (const node* const last = last_before(m_lines[thread].nodes, prefix[thread])) {
      into.join(last->before);
      into.include({thread, last->index});
    }
  }
}

// The fences among `events`, and what is before them.
void total_order::add_fences(clock& into, const clock& events) const {
  clock prefix;
  for (slot thread = 0; thread < m_used; ++thread) {
    if (const fence* const last = last_before(m_lines[thread].fences, events[thread])) {
      prefix.include({thread, last->index});
    }
  }
  add_members(into, prefix);
}

// Strongly happens before: the program's order, then happens before, then the program's order. So something after a
// member of another thread is known to what is before this one.
clock total_order::before_of(const clock& previous, event_id member) const {
  clock prefix;
  for (slot other = 0; other < m_used; ++other) {
    prefix.include({other, other == member.thread ? member.index - 1 : previous[other] - 2});
  }
  clock before;
  add_members(before, prefix);
  before.include({member.thread, member.index - 1});
  return before;
}

total_order::bar total_order::bar_of(const clock& known, const event_id* member, const clock& previous) const {
  bar made;
  add_fences(made.members, known);
  if (member != nullptr) made.members.join(before_of(previous, *member));
  for (slot thread = 0; thread < m_used; ++thread) {
    const line& here = m_lines[thread];
    if (const fence* const last = last_before(here.fences, made.members[thread])) made.happened.join(last->happened);
    if (const fence* const light = last_before(here.lights, known[thread])) {
      for (slot other = 0; other < m_used; ++other) {
        const fence* const heavy = last_before(m_lines[other].heavies, light->overtaken[other]);
        if (heavy != nullptr) made.happened.join(heavy->happened);
      }
    }
    if (const fence* const heavy = last_before(here.heavies, known[thread])) {
      for (slot other = 0; other < m_used; ++other) {
        const fence* const light = last_before(m_lines[other].lights, heavy->overtaken[other]);
        if (light != nullptr) made.happened.join(light->happened);
      }
    }
  }
  return made;
}

void total_order::add_access(event_id access, const clock& previous) {
  m_used = std::max(m_used, access.thread + 1);
  m_lines[access.thread].nodes.push_back({access.index, before_of(previous, access)});
}

void total_order::put_before_access(const clock& events, const clock& members, event_id access) {
  clock earlier;
  add_fences(earlier, events);
  add_members(earlier, members);
  put_before(earlier, access);
}

void total_order::add_fence(event_id added, bool heavy, const clock& previous, const knowledge& now) {
  m_used = std::max(m_used, added.thread + 1);
  line& here = m_lines[added.thread];
  clock before = before_of(previous, added);
  add_fences(before, now.overtaken);
  add_members(before, now.ordered);
  here.nodes.push_back({added.index, before});
  here.fences.push_back({added.index, now.happened, now.overtaken});
  if (heavy) here.heavies.push_back(here.fences.back());
}

void total_order::add_light_fence(event_id added, const knowledge& now) {
  m_used = std::max(m_used, added.thread + 1);
  m_lines[added.thread].lights.push_back({added.index, now.happened, now.overtaken});
}

// And before all that is behind it.
void total_order::put_before(const clock& earlier, event_id later) {
  for (slot thread = 0; thread < m_used; ++thread) {
    std::vector<node>& nodes = m_lines[thread].nodes;
    for (auto each = nodes.rbegin(); each != nodes.rend(); ++each) {
      const bool itself = thread == later.thread && each->index == later.index;
      if (!itself && !each->before.contains(later)) break;
      each->before.join(earlier);
    }
  }
}

void total_order::add_late(const clock& known, const event_id* member, const first_accesses& newer,
                           const std::vector<event_id>& members) {
  clock earlier;
  add_fences(earlier, known);
  if (member != nullptr) {
    clock prefix;
    prefix.include(*member);
    add_members(earlier, prefix);
  }
  const auto follows = [&](const clock& happened) {
    for (slot thread = 0; thread < most_threads; ++thread) {
      if (happened[thread] > newer[thread]) return true;
    }
    return false;
  };
  for (slot thread = 0; thread < m_used; ++thread) {
    line& here = m_lines[thread];
    std::int32_t first = -1;
    for (auto each = here.fences.rbegin(); each != here.fences.rend() && follows(each->happened); ++each) {
      first = each->index;
    }
    if (first >= 0) put_before(earlier, {thread, first});
    for (auto* const pairs : {&here.heavies, &here.lights}) {
      for (auto each = pairs->rbegin(); each != pairs->rend() && follows(each->happened); ++each) {
        each->overtaken.join(known);
      }
    }
  }
  for (const event_id each : members) put_before(earlier, each);
}

}  // namespace ramie::weak
