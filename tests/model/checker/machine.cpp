#include <model/checker/machine.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>

namespace ramie::model {
namespace {

using enum std::memory_order;

machine* g_current = nullptr;

constexpr std::size_t stack_size = std::size_t{256} << 10U;
constexpr std::uint64_t queue_locked = std::uint64_t{1} << 63U;

event wanted_event(event_kind kind, location_id location, std::memory_order order, site where) {
  event wanted;
  wanted.kind = kind;
  wanted.location = location;
  wanted.order = order;
  wanted.where = where;
  return wanted;
}

}  // namespace

struct machine::coroutine {
  coroutine() {
    stack = ::mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) std::abort();
    self.tools.attach_stack(stack, static_cast<char*>(stack) + stack_size);
  }
  ~coroutine() {
    self.tools.detach_stack();
    ::munmap(stack, stack_size);
  }
  coroutine(const coroutine&) = delete;
  coroutine& operator=(const coroutine&) = delete;

  context::execution self;
  void* stack;
  state now = state::unused;
  std::int16_t executed = 0;
  event wanted;  // in at_new
  const std::function<void()>* body = nullptr;
  location_id spins_on = no_location;  // in pause(): goes on when this has another newest write than
  event_id spins_since = nobody;       // this one
  unsigned spurious_failures = 0;      // that it may still have
  unsigned threads_started = 0;        // by the body
};

namespace {

// A wild pointer ends the execution, not the checker. The handler never returns: the coroutine is left where it is.
void crashed(int signal, siginfo_t* information, void* /*context*/) {
  if (g_current == nullptr || !g_current->in_a_thread()) {
    std::signal(signal, SIG_DFL);
    return;
  }
  char address[32];
  std::snprintf(address, sizeof(address), "%p", information->si_addr);
  user_code::active = false;
  g_current->fail(std::string("a wild pointer: access to address ") + address);
}

void catch_wild_pointers() {
  static std::array<char, std::size_t{64} << 10U> handlers_stack;
  stack_t stack{};
  stack.ss_sp = handlers_stack.data();
  stack.ss_size = handlers_stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = &crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigaction(SIGSEGV, &action, nullptr);
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace

machine::machine() : m_exceptions(&context::exception_state::of_this_thread()) {
  for (auto& each : m_threads) each = std::make_unique<coroutine>();
  m_scheduler.tools.attach_this_thread();
  catch_wild_pointers();
  // Executions are copied and dropped all the time: the memory need not go back to the kernel each time.
  ::mallopt(M_TRIM_THRESHOLD, 512 << 20);
  ::mallopt(M_MMAP_THRESHOLD, 256 << 20);
}
machine::~machine() = default;

machine& machine::current() {
  if (g_current == nullptr) {
    std::fputs("model: an atomic of the model is used outside of a check\n", stderr);
    std::abort();
  }
  return *g_current;
}

// ---- Threads ----

ending machine::run(execution& graph, strategy& decisions, const std::function<void()>& body) {
  m_graph = &graph;
  m_strategy = &decisions;
  m_executed = 0;
  m_stop = m_abandoned = false;
  m_order.clear();
  m_outcomes.clear();
  m_failure.clear();
  empty_arenas();
  for (auto& each : m_threads) {
    each->now = state::unused;
    each->executed = 0;
  }
  m_threads[0]->body = &body;
  m_threads[0]->now = state::fresh;
  m_current = 0;
  g_current = this;
  while (!m_stop) {
    const std::optional<std::uint8_t> next = pick();
    if (!next) break;
    enter(*next);
  }
  g_current = nullptr;
  if (!m_failure.empty()) return ending::failed;
  return m_abandoned ? ending::abandoned : judge();
}

void machine::enter(std::uint8_t thread) {
  m_current = thread;
  user_code::thread = thread;
  coroutine& entered = *m_threads[thread];
  if (entered.now == state::fresh) {
    context::make_context(entered.self.machine, static_cast<char*>(entered.stack) + stack_size, &thread_main, this);
    entered.self.exceptions = {};
    entered.spins_on = no_location;
    entered.spurious_failures = m_spurious_failures;
    entered.threads_started = 0;
  }
  m_in_a_thread = true;
  context::switch_execution(*m_exceptions, m_scheduler, entered.self, nullptr);
  m_in_a_thread = false;
}

void machine::leave(state why) {
  coroutine& me = running();
  me.now = why;
  context::switch_execution(*m_exceptions, me.self, m_scheduler, nullptr);
}

void machine::thread_main(void* /*message*/, void* argument) {
  machine& self = *static_cast<machine*>(argument);
  coroutine& me = self.running();
  me.self.tools.arrive();
  const auto note = [&] {
    if (self.replay(wanted_event(event_kind::mark, no_location, relaxed, {})) == nullptr) {
      event& start = self.add(wanted_event(event_kind::mark, no_location, relaxed, {}));
      if (self.m_current != 0 && start.id.index == 0) {
        // Threads begin at the body's last event, the mark that run_threads() made.
        const coroutine& parent = *self.m_threads[0];
        const event& fork = self.m_graph->at({0, static_cast<std::int16_t>(parent.executed - 1)});
        self.m_graph->learn(start, fork.happened_before, fork.caused_by);
      }
      self.executed(start);
    }
  };
  note();
  user_code::active = true;
  (*me.body)();
  user_code::active = false;
  note();
  me.now = state::finished;
  context::switch_execution<context::leaving::for_good>(*self.m_exceptions, me.self, self.m_scheduler, nullptr);
}

void machine::run_threads(std::span<const std::function<void()>> bodies) {
  const checker_code here;
  coroutine& me = running();
  if (m_current != 0) fail("threads are started by the body alone");
  if (me.threads_started + bodies.size() >= max_threads) {
    fail("an execution has at most " + std::to_string(max_threads - 1) + " threads beside its body");
  }
  if (replay(wanted_event(event_kind::mark, no_location, relaxed, {})) == nullptr) {
    executed(add(wanted_event(event_kind::mark, no_location, relaxed, {})));
  }
  for (const std::function<void()>& body : bodies) {
    coroutine& started = *m_threads[++me.threads_started];
    started.body = &body;
    started.now = state::fresh;
  }
  leave(state::joining);
  if (replay(wanted_event(event_kind::mark, no_location, relaxed, {})) == nullptr) {
    event& joined = add(wanted_event(event_kind::mark, no_location, relaxed, {}));
    for (std::size_t thread = 1; thread <= me.threads_started; ++thread) {
      const event& last = m_graph->thread(thread).back();
      m_graph->learn(joined, last.happened_before, last.caused_by);
    }
    executed(joined);
  }
}

bool machine::replayable(const coroutine& thread) const {
  const event_id source = thread.wanted.reads_from;
  return source == nobody || m_threads[source.thread]->executed > source.index;
}

std::optional<std::uint8_t> machine::pick() {
  std::uint32_t runnable = 0;
  bool others_ended = true;
  for (std::uint8_t i = 0; i < max_threads; ++i) {
    const coroutine& each = *m_threads[i];
    switch (each.now) {
      case state::fresh: return i;
      case state::at_replay:
        if (replayable(each)) return i;
        others_ended = false;
        break;
      case state::at_new:
        if (m_strategy->graphs() || can_step(each)) runnable |= 1U << i;
        others_ended = false;
        break;
      case state::blocked: others_ended = others_ended && i == 0; break;
      case state::unused:
      case state::joining:
      case state::finished: break;
    }
  }
  if (m_threads[0]->now == state::joining && others_ended) return std::uint8_t{0};
  if (m_executed < m_graph->size()) {
    std::fputs("model: a body does not do the same every time: it depends on something outside of the model\n", stderr);
    std::abort();
  }
  if (runnable == 0) return std::nullopt;
  for (std::uint8_t i = 0; i < max_threads; ++i) {  // a read-modify-write that a replay has left in its middle
    if ((runnable >> i & 1U) != 0 && m_threads[i]->wanted.exclusive) return i;
  }
  return m_strategy->next_thread(*m_graph, runnable, m_current);
}

bool machine::has_candidate(const event& awaiting) const {
  const execution::location& here = m_graph->where(awaiting.location);
  const event_id newest = here.writes.back();
  return awaiting.awaited.allows(m_graph->at(newest).value);
}

bool machine::can_step(const coroutine& thread) const {
  if (thread.spins_on != no_location) return m_graph->newest(thread.spins_on) != thread.spins_since;
  return !thread.wanted.awaits() || has_candidate(thread.wanted);
}

// Nothing can take a step.
ending machine::judge() {
  if (m_threads[0]->now == state::finished) return ending::complete;
  std::string who;
  for (std::uint8_t i = 0; i < max_threads; ++i) {
    const coroutine& each = *m_threads[i];
    if (each.now != state::blocked && each.now != state::at_new) continue;
    site where = each.wanted.where;
    if (each.spins_on != no_location) {
      if (m_graph->newest(each.spins_on) != each.spins_since) return ending::blocked;
    } else {
      const event& waits = each.now == state::blocked ? m_graph->thread(i).back() : each.wanted;
      if (waits.awaited.allows(m_graph->at(m_graph->newest(waits.location)).value)) return ending::blocked;
      where = waits.where;
    }
    who += (who.empty() ? "thread " : ", thread ") + std::to_string(i) + " (" + text_of(where) + ")";
  }
  m_failure = "nobody can go on: " + who + (who.find(',') == std::string::npos ? " waits" : " wait") + " for ever";
  return ending::failed;
}

void machine::fail(const std::string& what) {
  user_code::active = false;
  m_failure = what;
  m_stop = true;
  leave(state::blocked);
  std::abort();
}

// ---- Events ----

void machine::executed(const event& step) {
  coroutine& me = running();
  ++me.executed;
  ++m_executed;
  m_order.push_back(step.id);
  if (static_cast<std::size_t>(me.executed) > m_step_limit) {
    fail("thread " + std::to_string(m_current) + " has taken " + std::to_string(m_step_limit) +
         " steps in one execution: a loop without pause()?");
  }
}

event* machine::replay(const event& wanted) {
  coroutine& me = running();
  if (static_cast<std::size_t>(me.executed) >= m_graph->thread(m_current).size()) return nullptr;
  event& known = m_graph->edit({m_current, me.executed});
  if (known.kind != wanted.kind || (wanted.kind != event_kind::create && known.location != wanted.location) ||
      (known.kind == event_kind::write && known.value != wanted.value)) {
    std::fprintf(stderr, "model: a body does not do the same every time: thread %u at %s\n", unsigned{m_current},
                 text_of(wanted.where).c_str());
    std::abort();
  }
  if (known.is_read() && !known.blocked) {
    me.wanted = known;
    if (!replayable(me)) leave(state::at_replay);
  }
  executed(known);
  if (known.blocked) leave(state::blocked);
  return &known;
}

void machine::await_turn(const event& wanted) {
  running().wanted = wanted;
  if (m_strategy->graphs() && m_executed == m_graph->size()) return;
  // Step by step, nobody notices when these happen; and the second half of a read-modify-write follows at once.
  const bool silent =
      wanted.kind == event_kind::mark || wanted.kind == event_kind::choice || wanted.kind == event_kind::create;
  if (!m_strategy->graphs() && (silent || wanted.exclusive)) return;
  leave(state::at_new);
}

event& machine::add(const event& wanted) {
  await_turn(wanted);
  return m_graph->append(m_current, wanted);
}

void machine::check_alive(const event& access) {
  const execution::location& here = m_graph->where(access.location);
  if (here.destroyed != nobody) fail("used after its destruction, at " + text_of(access.where));
  if (!access.happened_before.contains(here.created)) {
    fail("used at " + text_of(access.where) + " by a thread that may not see its construction");
  }
}

// Newest first. Where a strategy wants whole graphs, a source that another read-modify-write has taken counts too: this
// one's write finds no place then, but may be what the other one's read is to read.
std::vector<event_id> machine::sources_of(event& unbound, bool& may_block) {
  const id_list& writes = m_graph->where(unbound.location).writes;
  const auto newest = static_cast<std::int32_t>(writes.size()) - 1;
  const std::int32_t oldest = m_graph->floor(unbound.happened_before, unbound.location);
  std::vector<event_id> sources;
  may_block = unbound.awaits() && m_strategy->graphs();
  for (std::int32_t i = newest; i >= oldest; --i) {
    const event_id write = writes[static_cast<std::size_t>(i)];
    const std::uint64_t value = m_graph->at(write).value;
    if (!unbound.awaited.allows(value)) continue;
    const bool updates =
        unbound.update == rmw::always || (unbound.update == rmw::if_equal && value == unbound.expected);
    const bool taken = i != newest && m_graph->at(writes[static_cast<std::size_t>(i) + 1]).exclusive;
    if (updates && taken && !m_strategy->graphs()) continue;
    if (i != newest) {
      m_graph->bind(unbound, write);
      const bool allowed = m_graph->consistent();
      m_graph->unbind(unbound);
      if (!allowed) continue;
    }
    sources.push_back(write);
  }
  return sources;
}

event& machine::read(const event& wanted) {
  if (event* const known = replay(wanted)) return *known;
  event& unbound = add(wanted);
  check_alive(unbound);
  bool may_block = false;
  const std::vector<event_id> sources = sources_of(unbound, may_block);
  std::size_t chosen = 0;
  if (!sources.empty()) {
    chosen = m_strategy->source(*m_graph, unbound, sources, may_block);
  } else if (!may_block) {  // step by step: what it was to go on with is not allowed by S
    m_stop = m_abandoned = true;
    leave(state::blocked);
  }
  if (chosen < sources.size()) {
    m_graph->bind(unbound, sources[chosen]);
  } else {
    m_graph->block(unbound);
  }
  executed(unbound);
  if (unbound.blocked) leave(state::blocked);
  return unbound;
}

event& machine::write(const event& wanted) {
  if (event* const known = replay(wanted)) return *known;
  event& unplaced = add(wanted);
  check_alive(unplaced);
  std::vector<std::int32_t> places = m_graph->places(unplaced);
  const auto end = static_cast<std::int32_t>(m_graph->where(unplaced.location).writes.size());
  std::erase_if(places, [&](std::int32_t each) {
    if (each == end) return false;
    m_graph->place(unplaced, each);
    const bool allowed = m_graph->consistent();
    m_graph->unplace(unplaced);
    return !allowed;
  });
  const std::size_t chosen = m_strategy->place(*m_graph, unplaced, places);
  if (places.empty()) {
    m_stop = m_abandoned = true;
    leave(state::blocked);
  }
  m_graph->place(unplaced, places[chosen]);
  executed(unplaced);
  return unplaced;
}

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
        fail("destroyed at " + text_of(where) + " while thread " + std::to_string(each.thread) +
             " may still be using it, at " + text_of(m_graph->at(each).where));
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
  if (weak && running().spurious_failures > 0 && choose(2, where) == 1) {
    --running().spurious_failures;
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
    me.spins_since = last.reads_from;
    me.wanted = last;
    me.wanted.where = where;
    me.wanted.exclusive = false;
    if (m_strategy->graphs()) leave(state::blocked);  // what it would read next is another execution's first look
    if (m_graph->newest(me.spins_on) == me.spins_since) leave(state::at_new);
    me.spins_on = no_location;
    return;
  }
  fail("pause() at " + text_of(where) + " by a thread that has read nothing");
}

// ---- futex(2) ----
//
// The kernel's queue for a word is a location of its own: the numbers of those who sleep, four bits each and plus one,
// oldest lowest, and a lock bit. A waiter looks at the word under the lock, as the kernel does.

void machine::futex_wait(location_id word, std::uint32_t expected, site where) {
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

// Woken, or out of time: the explorer decides beforehand, and a sleeper whose time will run out does not sleep.
bool machine::futex_wait_for(location_id word, std::uint32_t expected, site where) {
  if (choose(2, where) == 1) return false;
  futex_wait(word, expected, where);
  return true;
}

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
    fail("data race: thread " + std::to_string(m_current) + " reads what thread " + std::to_string(cell.writer) +
         " writes" + place_of(where));
  }
  cell.read[m_current] = static_cast<std::int16_t>(running().executed + 1);
}

void machine::plain_write(access_record& cell, site where) {
  const checker_code here;
  if (cell.writer != 0xFF && !known_here(cell.writer, cell.written)) {
    fail("data race: thread " + std::to_string(m_current) + " writes what thread " + std::to_string(cell.writer) +
         " writes" + place_of(where));
  }
  for (std::uint8_t i = 0; i < max_threads; ++i) {
    if (cell.read[i] != 0 && !known_here(i, static_cast<std::int16_t>(cell.read[i] - 1))) {
      fail("data race: thread " + std::to_string(m_current) + " writes what thread " + std::to_string(i) + " reads" +
           place_of(where));
    }
  }
  cell.read = {};
  cell.writer = m_current;
  cell.written = running().executed;
}

}  // namespace ramie::model
