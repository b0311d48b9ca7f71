// The operations of a model's thread: on atomics, fences, futexes, plain memory.
#include <model/checker/coroutine.hpp>

#include <algorithm>

namespace ramie::model {
namespace {

using enum std::memory_order;

constexpr std::uint64_t queue_locked = std::uint64_t{1} << 63U;

}  // namespace

// ---- Operations ----

location_id machine::create(std::uint64_t value, site where) {
  const checker_code here;
  event wanted = wanted_event(event_kind::create, no_location, relaxed, where);
  wanted.value = value;
  if (const event* const known = replay(wanted)) return known->location;
  event& creation = add(wanted);
  m_graph->create_location(creation);
  executed(creation);
  return creation.location;
}

void machine::destroy(location_id location, site where) noexcept {
  const checker_code here;
  const event wanted = wanted_event(event_kind::destroy, location, relaxed, where);
  if (replay(wanted) != nullptr) return;
  event& destruction = add(wanted);
  check_alive(destruction);
  m_graph->destroy_location(destruction);
  executed(destruction);
  const execution::location& gone = m_graph->where(location);
  for (const auto* accesses : {&gone.writes, &gone.reads}) {
    for (const event_id each : *accesses) {
      if (!destruction.happened_before.contains(each)) {
        fail_with([&] {
          return "destroyed" + place_of(where) + ", while thread " + std::to_string(each.thread) +
                 " may still be using it, at " + text_of(m_graph->at(each).where);
        });
      }
    }
  }
}

std::uint64_t machine::load(location_id location, std::memory_order order, site where, predicate awaited) {
  const checker_code here;
  event wanted = wanted_event(event_kind::read, location, order, where);
  wanted.awaited = awaited;
  return read(wanted).value;
}

void machine::store(location_id location, std::uint64_t value, std::memory_order order, site where) {
  const checker_code here;
  event wanted = wanted_event(event_kind::write, location, order, where);
  wanted.value = value;
  write(wanted);
}

std::uint64_t machine::update(location_id location, const std::function<std::uint64_t(std::uint64_t)>& change,
                              std::memory_order order, site where, predicate awaited) {
  const checker_code here;
  event wanted = wanted_event(event_kind::read, location, order, where);
  wanted.awaited = awaited;
  wanted.update = rmw::always;
  const std::uint64_t before = read(wanted).value;
  event second = wanted_event(event_kind::write, location, order, where);
  second.exclusive = true;
  second.value = change(before);
  write(second);
  return before;
}

std::optional<std::uint64_t> machine::compare_exchange(location_id location, std::uint64_t expected,
                                                       std::uint64_t desired, std::memory_order success,
                                                       std::memory_order failure, bool weak, site where) {
  if (weak && fails_spuriously(where)) {
    return load(location, failure, where);
  }
  const checker_code here;
  event wanted = wanted_event(event_kind::read, location, failure, where);
  wanted.update = rmw::if_equal;
  wanted.expected = expected;
  wanted.order_of_success = success;
  wanted.order_of_failure = failure;
  const event& found = read(wanted);
  const std::uint64_t before = found.value;
  if (!found.exclusive) return before;
  event second = wanted_event(event_kind::write, location, success, where);
  second.exclusive = true;
  second.value = desired;
  write(second);
  return std::nullopt;
}

void machine::fence(event_kind kind, std::memory_order order, site where) {
  const checker_code here;
  const event wanted = wanted_event(kind, no_location, order, where);
  if (replay(wanted) == nullptr) executed(add(wanted));
}

std::uint64_t machine::choose(std::uint64_t count, site where) {
  const checker_code here;
  const event wanted = wanted_event(event_kind::choice, no_location, relaxed, where);
  if (const event* const known = replay(wanted)) return known->value;
  event& made = add(wanted);
  made.value = m_strategy->choice(*m_graph, made, count);
  executed(made);
  return made.value;
}

void machine::pause(site where) {
  const checker_code here;
  coroutine& me = running();
  for (std::int16_t i = me.executed; i-- > 0;) {
    const event& last = m_graph->at({m_current, i});
    if (!last.is_read()) continue;
    me.spins_on = last.location;
    // The value that it has read, or its own write in place of that.
    me.spins_since = last.exclusive ? event_id{m_current, static_cast<std::int16_t>(i + 1)} : last.reads_from;
    me.wanted = last;
    me.wanted.where = where;
    me.wanted.exclusive = false;
    if (m_strategy->graphs()) leave(state::blocked);  // what it would read next is another execution's first look
    if (!has_changed(me) || m_strategy->every_step()) leave(state::at_new);
    me.spun_on = me.spins_on;
    me.spins_on = no_location;
    return;
  }
  fail_with([&] { return "pause() at " + text_of(where) + " by a thread that has read nothing"; });
}

// ---- futex(2) ----
//
// The kernel's queue for a word is a location of its own: the numbers of those who sleep, four bits each and plus one,
// oldest lowest, and a lock bit. A waiter looks at the word under the lock, as the kernel does.

bool machine::fails_spuriously(site where) {
  if (running().spurious_failures == 0 || choose(2, where) == 0) return false;
  --running().spurious_failures;
  return true;
}

void machine::futex_wait(location_id word, std::uint32_t expected, site where) {
  if (fails_spuriously(where)) return;
  const location_id queue = [&] {
    const checker_code here;
    return m_graph->futex_of(word);
  }();
  constexpr predicate unlocked{predicate::test::lacks_bits, queue_locked};
  const std::uint64_t sleepers =
      update(queue, [](std::uint64_t before) { return before | queue_locked; }, acquire, where, unlocked);
  if (load(word, relaxed, where) != expected) return store(queue, sleepers, release, where);
  std::uint64_t end = 0;
  while ((sleepers >> end) != 0) end += 4;
  const std::uint64_t mine = std::uint64_t{m_current} + 1;
  store(queue, sleepers | mine << end, release, where);
  load(queue, acquire, where, predicate{predicate::test::not_queued, mine});
}

// Woken, or out of time: the explorer decides beforehand, and a sleeper whose time will run out does not sleep. So one
// that sleeps, and that nobody wakes, is no deadlock.
bool machine::futex_wait_for(location_id word, std::uint32_t expected, site where) {
  if (choose(2, where) == 1) return false;
  running().will_time_out = true;
  futex_wait(word, expected, where);
  running().will_time_out = false;
  return true;
}

std::chrono::nanoseconds machine::now() const { return m_threads[m_current]->clock; }
void machine::pass(std::chrono::nanoseconds time) { running().clock += std::max(time, std::chrono::nanoseconds{0}); }

void machine::futex_wake(location_id word, int count, site where) {
  const location_id queue = [&] {
    const checker_code here;
    return m_graph->futex_of(word);
  }();
  constexpr predicate unlocked{predicate::test::lacks_bits, queue_locked};
  const auto take = [count](std::uint64_t sleepers) {
    for (int i = 0; i < count && sleepers != 0; ++i) sleepers >>= 4U;
    return sleepers;
  };
  update(queue, take, acq_rel, where, unlocked);
}

// ---- Plain memory ----

bool machine::known_here(std::uint8_t thread, std::int16_t events) const {
  if (thread == m_current) return true;
  const coroutine& me = *m_threads[m_current];
  const event& last = m_graph->at({m_current, static_cast<std::int16_t>(me.executed - 1)});
  return last.happened_before.known(thread) > events;
}

// A cell that is used like a T does not know where: then it is after the thread's last operation.
std::string machine::place_of(site where) const {
  if (where.line != 0) return ", at " + text_of(where);
  for (std::int16_t i = m_threads[m_current]->executed; i-- > 0;) {
    const event& last = m_graph->at({m_current, i});
    if (last.where.line != 0) return ", after " + text_of(last.where);
  }
  return "";
}

void machine::plain_read(access_record& cell, site where) {
  const checker_code here;
  if (cell.writer != 0xFF && !known_here(cell.writer, cell.written)) {
    fail_with([&] {
      return "data race: thread " + std::to_string(m_current) + " reads what thread " + std::to_string(cell.writer) +
             " writes" + place_of(where);
    });
  }
  cell.read[m_current] = static_cast<std::int16_t>(running().executed + 1);
}

void machine::plain_write(access_record& cell, site where) {
  const checker_code here;
  if (cell.writer != 0xFF && !known_here(cell.writer, cell.written)) {
    fail_with([&] {
      return "data race: thread " + std::to_string(m_current) + " writes what thread " + std::to_string(cell.writer) +
             " writes" + place_of(where);
    });
  }
  for (std::uint8_t i = 0; i < max_threads; ++i) {
    if (cell.read[i] != 0 && !known_here(i, static_cast<std::int16_t>(cell.read[i] - 1))) {
      fail_with([&] {
        return "data race: thread " + std::to_string(m_current) + " writes what thread " + std::to_string(i) +
               " reads" + place_of(where);
      });
    }
  }
  cell.read = {};
  cell.writer = m_current;
  cell.written = running().executed;
}

}  // namespace ramie::model
