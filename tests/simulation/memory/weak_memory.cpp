#include <simulation/memory/weak_memory.hpp>

#include <cstdio>
#include <cstdlib>

namespace ramie::weak {
namespace {

bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst || order == std::memory_order_consume;
}
bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

}  // namespace

// ---- Threads ----

void weak_memory::begin_at(slot made, const knowledge& known) {
  thread_state& fresh = m_threads[made];
  fresh.counts = true;
  fresh.joined = false;
  fresh.now = known;
  fresh.released = fresh.pending = knowledge{};
  static_cast<void>(next_event(made));
}

slot weak_memory::begin_first() {
  begin_at(0, {});
  return 0;
}

slot weak_memory::begin(slot starter) {
  static_cast<void>(next_event(starter));
  const knowledge& known = m_threads[starter].now;
  for (slot made = 0; made < most_threads; ++made) {
    const thread_state& before = m_threads[made];
    // Of one that has been joined, to the starter's knowledge: all that it did happened before anyway.
    if (before.events != 0 && (!before.joined || known.happened[made] < before.events)) continue;
    begin_at(made, known);
    return made;
  }
  std::fputs("weak memory: too many threads at a time\n", stderr);
  std::abort();
}

void weak_memory::join(slot joiner, slot ended) {
  m_threads[joiner].now.join(m_threads[ended].now);
  m_threads[joiner].counts = true;
  m_threads[ended].counts = false;
  m_threads[ended].joined = true;
  static_cast<void>(next_event(joiner));
}

event_id weak_memory::next_event(slot by) {
  thread_state& me = m_threads[by];
  me.previous = me.now.happened;
  const event_id made{by, me.events++};
  me.now.happened.include(made);
  return made;
}

// ---- Words ----

void weak_memory::create(slot by, const void* word, std::uint64_t value) {
  word_state& made = m_words[word];
  made.created = next_event(by);
  made.first = value;
  made.used.reset();
  m_futexes.erase(word);
}

weak_memory::history& weak_memory::of(slot by, const void* word, std::uint64_t newest) {
  m_last_was_old = false;
  const auto [found, unknown] = m_words.try_emplace(word);
  word_state& state = found->second;
  if (unknown) state.first = newest;
  if (state.used == nullptr) {
    state.used = std::make_unique<history>();
    state.used->created = state.created;
    state.used->writes.push_back({state.first, false, {}});
    state.used->up_to_write.emplace_back();
    state.used->up_to_readers.emplace_back();
  }
  history& here = *state.used;
  if (here.created.index >= 0 && !m_threads[by].now.happened.contains(here.created)) {
    m_error = "a word is used by a thread that may not see its construction";
  }
  if (here.accesses.size() >= here.prune_at) prune(here);
  return here;
}

bool weak_memory::wants_old(slot by, const history& here) { return here.writes.size() > 1 && m_decides.old_place(by); }

// The oldest place that the next access may read, or come to lie behind.
std::int32_t weak_memory::floor_of(slot by, const history& here, std::memory_order order, bool update) {
  const thread_state& me = m_threads[by];
  std::int32_t floor = here.base;
  const auto raise = [&](const clock& known, const clock* members) {
    for (const access& each : here.accesses) {
      if (each.position <= floor) continue;
      if (known.contains(each.id) ||
          (members != nullptr && each.member >= 0 && members->contains({each.id.thread, each.member}))) {
        floor = each.position;
      }
    }
  };
  raise(me.now.happened, nullptr);
  if (floor == here.base + static_cast<std::int32_t>(here.writes.size()) - 1) return floor;
  const event_id member{by, me.events + (update ? 1 : 0)};
  const bool is_member = order == std::memory_order_seq_cst;
  const total_order::bar bar = m_order.bar_of(me.now.happened, is_member ? &member : nullptr, me.now.happened);
  raise(bar.happened, &bar.members);
  return floor;
}

std::uint64_t weak_memory::load(slot by, const void* word, std::uint64_t newest, std::memory_order order) {
  history& here = of(by, word, newest);
  const std::int32_t end = here.base + static_cast<std::int32_t>(here.writes.size());
  std::int32_t place = end - 1;
  if (wants_old(by, here)) {
    const std::int32_t floor = floor_of(by, here, order, false);
    const std::int32_t older = end - 1 - floor;
    if (older > 0) place = end - 2 - static_cast<std::int32_t>(m_decides.which(by, static_cast<std::size_t>(older)));
  }
  const std::uint64_t found = here.at(place).value;
  bind(by, here, place, order, false);
  return found;
}

std::uint64_t weak_memory::store(slot by, const void* word, std::uint64_t newest, std::uint64_t value,
                                 std::memory_order order) {
  history& here = of(by, word, newest);
  const std::int32_t end = here.base + static_cast<std::int32_t>(here.writes.size());
  std::int32_t place = end;
  if (wants_old(by, here)) {
    const std::int32_t floor = floor_of(by, here, order, false);
    m_places.clear();
    for (std::int32_t each = end - 1; each > floor; --each) {
      if (!here.at(each).exclusive) m_places.push_back(each);
    }
    if (!m_places.empty()) place = m_places[m_decides.which(by, m_places.size())];
  }
  put(by, here, place, value, order, false);
  return here.writes.back().value;
}

// A read of the write at `place`. `update`: the second half follows.
void weak_memory::bind(slot by, history& here, std::int32_t place, std::memory_order order, bool update) {
  thread_state& me = m_threads[by];
  const event_id read = next_event(by);
  const write& source = here.at(place);
  if (acquires(order)) {
    me.now.join(source.published);
  } else {
    me.pending.join(source.published);
  }
  const auto at = static_cast<std::size_t>(place - here.base);
  me.now.overtaken.join(here.up_to_write[at].happened);
  me.now.ordered.join(here.up_to_write[at].ordered);
  const event_id member{by, read.index + (update ? 1 : 0)};
  const bool is_member = order == std::memory_order_seq_cst;
  sum mine{me.now.happened, {}};
  if (is_member) {
    m_order.add_access(member, me.previous);
    m_order.put_before_access(here.up_to_write[at].happened, here.up_to_write[at].ordered, member);
    mine.ordered.include(member);
  }
  for (std::size_t i = at; i < here.writes.size(); ++i) {
    if (i > at) here.up_to_write[i].join(mine);
    here.up_to_readers[i].join(mine);
  }
  if (at + 1 < here.writes.size()) {
    ++m_old_reads;
    m_last_was_old = true;
    add_late(by, here, place, is_member ? &member : nullptr);
  }
  here.accesses.push_back({read, place, is_member ? member.index : -1});
}

void weak_memory::put(slot by, history& here, std::int32_t place, std::uint64_t value, std::memory_order order,
                      bool exclusive) {
  thread_state& me = m_threads[by];
  const event_id written = next_event(by);
  const auto at = static_cast<std::size_t>(place - here.base);
  const bool is_member = order == std::memory_order_seq_cst;
  const sum before = here.up_to_readers[at - 1];
  me.now.overtaken.join(before.happened);
  me.now.ordered.join(before.ordered);
  sum mine{me.now.happened, {}};
  if (is_member) {
    if (!exclusive) m_order.add_access(written, me.previous);
    m_order.put_before_access(before.happened, before.ordered, written);
    mine.ordered.include(written);
  }
  write made{value, exclusive, releases(order) ? me.now : me.released};
  // [intro.races] p5: a read-modify-write continues the release sequence of what it has read.
  if (exclusive) made.published.join(here.writes[at - 1].published);
  if (at < here.writes.size()) {
    for (access& each : here.accesses) each.position += each.position >= place ? 1 : 0;
  }
  const auto offset = static_cast<std::ptrdiff_t>(at);
  here.writes.insert(here.writes.begin() + offset, made);
  here.up_to_write.insert(here.up_to_write.begin() + offset, before);
  here.up_to_readers.insert(here.up_to_readers.begin() + offset, before);
  for (std::size_t i = at; i < here.writes.size(); ++i) {
    here.up_to_write[i].join(mine);
    here.up_to_readers[i].join(mine);
  }
  if (at + 1 < here.writes.size()) {
    ++m_early_writes;
    m_last_was_old = true;
    add_late(by, here, place, is_member ? &written : nullptr);
  }
  here.accesses.push_back({written, place, is_member ? written.index : -1});
}

// The newest event of `by` lies at `place`, and newer accesses are there already.
void weak_memory::add_late(slot by, const history& here, std::int32_t place, const event_id* member) {
  late made{{}, m_threads[by].now.happened, {}};
  made.newer.fill(no_access);
  std::vector<event_id> members;
  for (const access& each : here.accesses) {
    if (each.position <= place) continue;
    made.newer[each.id.thread] = std::min(made.newer[each.id.thread], each.id.index);
    if (each.member >= 0) members.push_back({each.id.thread, each.member});
  }
  if (member != nullptr) made.ordered.include(*member);
  m_order.add_late(made.happened, member, made.newer, members);
  m_late.push_back(made);
}

// Before a fence: what a thread knows may be newer than what came to lie before it later.
void weak_memory::learn_late(slot by) {
  thread_state& me = m_threads[by];
  for (const late& each : m_late) {
    bool follows = false;
    for (slot thread = 0; thread < most_threads; ++thread) {
      follows = follows || me.now.happened[thread] > each.newer[thread];
    }
    if (!follows) continue;
    me.now.overtaken.join(each.happened);
    me.now.ordered.join(each.ordered);
  }
  if (m_late.size() < m_forget_late_at) return;
  std::erase_if(m_late, [&](const late& each) {
    return std::all_of(m_threads.begin(), m_threads.end(), [&](const thread_state& any) {
      return !any.counts || (any.now.overtaken.contains(each.happened) && any.now.ordered.contains(each.ordered));
    });
  });
  m_forget_late_at = 64 + 2 * m_late.size();
}

// Forgets the values that every thread knows to be old.
void weak_memory::prune(history& here) {
  clock known_to_all;
  bool first = true;
  for (const thread_state& each : m_threads) {
    if (!each.counts) continue;
    if (first) known_to_all = each.now.happened;
    known_to_all.meet(each.now.happened);
    first = false;
  }
  std::int32_t oldest = here.base;
  std::array<const access*, most_threads> last{};
  for (const access& each : here.accesses) {
    if (!known_to_all.contains(each.id)) continue;
    oldest = std::max(oldest, each.position);
    last[each.id.thread] = &each;
  }
  std::vector<access> kept;
  for (const access& each : here.accesses) {
    if (!known_to_all.contains(each.id) || last[each.id.thread] == &each) kept.push_back(each);
  }
  here.accesses = std::move(kept);
  here.prune_at = 48 + 2 * here.accesses.size();
  const std::ptrdiff_t gone = oldest - here.base;
  here.writes.erase(here.writes.begin(), here.writes.begin() + gone);
  here.up_to_write.erase(here.up_to_write.begin(), here.up_to_write.begin() + gone);
  here.up_to_readers.erase(here.up_to_readers.begin(), here.up_to_readers.begin() + gone);
  here.base = oldest;
}

// ---- Fences ----

void weak_memory::fence(slot by, std::memory_order order) {
  thread_state& me = m_threads[by];
  const event_id made = next_event(by);
  if (acquires(order)) me.now.join(me.pending);
  if (order == std::memory_order_seq_cst) {
    learn_late(by);
    m_order.add_fence(made, false, me.previous, me.now);
  }
  if (releases(order)) me.released = me.now;
}

void weak_memory::heavy_fence(slot by) {
  thread_state& me = m_threads[by];
  const event_id made = next_event(by);
  me.now.join(me.pending);
  learn_late(by);
  m_order.add_fence(made, true, me.previous, me.now);
  me.released = me.now;
}

void weak_memory::light_fence(slot by) {
  const event_id made = next_event(by);
  learn_late(by);
  m_order.add_light_fence(made, m_threads[by].now);
}

// ---- Futexes ----

void weak_memory::lock_futex(slot by, const void* word) {
  static_cast<void>(next_event(by));
  m_threads[by].now.join(m_futexes[word]);
  m_threads[by].counts = true;
}

void weak_memory::unlock_futex(slot by, const void* word) {
  static_cast<void>(next_event(by));
  m_futexes[word] = m_threads[by].now;
}

// ---- Plain memory ----

// An access that comes before the n-th event of its thread is known to every thread that knows that event.

void weak_memory::create_plain(slot by, const void* cell) { m_plain[cell] = {{by, m_threads[by].events}, {}}; }

void weak_memory::read_plain(slot by, const void* cell) {
  plain_cell& here = m_plain[cell];
  const thread_state& me = m_threads[by];
  here.read.include({by, me.events});
  if (here.written.thread != by && !me.now.happened.contains(here.written)) {
    m_error = "data race: this reads what another thread writes";
  }
}

void weak_memory::write_plain(slot by, const void* cell) {
  plain_cell& here = m_plain[cell];
  const thread_state& me = m_threads[by];
  if (here.written.thread != by && !me.now.happened.contains(here.written)) {
    m_error = "data race: this writes what another thread writes";
  }
  for (slot other = 0; other < most_threads; ++other) {
    if (other != by && here.read[other] > me.now.happened[other]) {
      m_error = "data race: this writes what another thread reads";
    }
  }
  here = {{by, me.events}, {}};
}

}  // namespace ramie::weak
