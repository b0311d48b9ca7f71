#include <model/checker/coroutine.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>

namespace ramie::model {
namespace {

machine* g_current = nullptr;

event mark_event() { return wanted_event(event_kind::mark, no_location, std::memory_order_relaxed, {}); }

// A wild pointer ends the execution, not the checker. The handler never returns: the coroutine is left where it is.
void crashed(int signal, siginfo_t* information, void* /*context*/) {
  if (g_current == nullptr || !g_current->in_a_thread()) {
    std::signal(signal, SIG_DFL);
    return;
  }
  char text[64];
  std::snprintf(text, sizeof(text), "a wild pointer: access to address %p", information->si_addr);
  user_code::active = false;
  static std::string what;  // outlives the stack that is left
  what = text;
  g_current->fail(what);
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
  for (std::uint8_t i = 0; i < max_threads; ++i) {
    m_threads[i] = std::make_unique<coroutine>();
    m_threads[i]->number = i;
  }
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
  m_failed_thread.reset();
  m_for_ever = std::chrono::hours(1);
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
    entered.renew();
    context::make_context(entered.self.machine, static_cast<char*>(entered.stack) + coroutine::stack_size, &thread_main,
                          this);
    entered.self.exceptions = {};
    entered.spins_on = entered.spun_on = no_location;
    entered.will_time_out = false;
    entered.spurious_failures = m_spurious_failures;
    entered.threads_started = 0;
    entered.clock = {};
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
    if (self.replay(mark_event()) == nullptr) {
      event& start = self.add(mark_event());
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
    fail_with(
        [] { return "an execution has at most " + std::to_string(max_threads - 1) + " threads beside its body"; });
  }
  if (replay(mark_event()) == nullptr) {
    executed(add(mark_event()));
  }
  for (const std::function<void()>& body : bodies) {
    coroutine& started = *m_threads[++me.threads_started];
    started.body = &body;
    started.now = state::fresh;
  }
  leave(state::joining);
  if (replay(mark_event()) == nullptr) {
    event& joined = add(mark_event());
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
  const std::uint8_t next = m_strategy->next_thread(*m_graph, runnable, m_current);
  return next < max_threads ? std::optional(next) : std::nullopt;
}

// Not the newest alone: what is older may be read as well, where coherence allows it. S is asked when the read is
// bound.
bool machine::has_candidate(const coroutine& thread) const {
  const event& awaiting = thread.wanted;
  const id_list& writes = m_graph->where(awaiting.location).writes;
  const event& last = m_graph->thread(thread.number).back();
  const auto newest = static_cast<std::int32_t>(writes.size()) - 1;
  const std::int32_t oldest = m_graph->floor(last.happened_before, awaiting.location);
  for (std::int32_t i = newest; i >= oldest; --i) {
    const bool taken = i != newest && m_graph->at(writes[static_cast<std::size_t>(i) + 1]).exclusive;
    if (taken && awaiting.update == rmw::always) continue;
    if (awaiting.awaited.allows(m_graph->at(writes[static_cast<std::size_t>(i)]).value)) return true;
  }
  return false;
}

bool machine::can_step(const coroutine& thread) const {
  if (thread.spins_on != no_location) return has_changed(thread);
  return !thread.wanted.awaits() || has_candidate(thread);
}

// Read-modify-writes that leave it the same are others who spin, and no news.
bool machine::has_changed(const coroutine& spinning) const {
  const id_list& writes = m_graph->where(spinning.spins_on).writes;
  const event& seen = m_graph->at(spinning.spins_since);
  return std::any_of(writes.begin() + seen.position + 1, writes.end(), [&](event_id each) {
    return m_graph->at(each).value != seen.value || !m_graph->at(each).exclusive;
  });
}

// Nothing can take a step.
ending machine::judge() {
  if (m_threads[0]->now == state::finished) return ending::complete;
  std::string who;
  for (std::uint8_t i = 0; i < max_threads; ++i) {
    const coroutine& each = *m_threads[i];
    if (each.now != state::blocked && each.now != state::at_new) continue;
    site where = each.wanted.where;
    if (each.will_time_out) return ending::blocked;  // it does in another execution
    if (each.spins_on != no_location) {
      if (has_changed(each)) return ending::blocked;
    } else {
      const event& waits = each.now == state::blocked ? m_graph->thread(i).back() : each.wanted;
      if (!waits.awaits() || waits.awaited.allows(m_graph->at(m_graph->newest(waits.location)).value)) {
        return ending::blocked;
      }
      where = waits.where;
    }
    who += (who.empty() ? "thread " : ", thread ") + std::to_string(i) + " (" + text_of(where) + ")";
  }
  m_failure = "nobody can go on: " + who + (who.find(',') == std::string::npos ? " waits" : " wait") + " for ever";
  return ending::failed;
}

void machine::fail(const std::string& what) {
  note_failure(what);
  stop();
}

void machine::note_failure(const std::string& what) {
  user_code::active = false;
  m_failure = what;
  m_failed_thread = m_current;
  const std::vector<event>& events = m_graph->thread(m_current);
  const auto begun = static_cast<std::size_t>(running().executed);
  if (begun < events.size()) m_order.push_back(events[begun].id);  // what it was about to do is part of the story
}

void machine::stop() {
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
    fail_with([this] {
      return "thread " + std::to_string(m_current) + " has taken " + std::to_string(m_step_limit) +
             " steps in one execution: a loop without pause()?";
    });
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
  if (!m_strategy->graphs() && ((silent && !m_strategy->every_step()) || wanted.exclusive)) return;
  leave(state::at_new);
}

event& machine::add(const event& wanted) {
  await_turn(wanted);
  return m_graph->append(m_current, wanted);
}

void machine::check_alive(const event& access) {
  const execution::location& here = m_graph->where(access.location);
  if (here.destroyed != nobody) {
    fail_with([&] { return "used after its destruction, at " + text_of(access.where); });
  }
  if (!access.happened_before.contains(here.created)) {
    fail_with([&] { return "used at " + text_of(access.where) + " by a thread that may not see its construction"; });
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
  // Step by step, a thread that has paused sees a newer value than the one that made it pause: no endless loops over an
  // old value.
  coroutine& me = running();
  if (me.spun_on == unbound.location && !m_strategy->graphs()) {
    const std::int32_t seen = m_graph->at(me.spins_since).position;
    const auto old = std::ranges::find_if(sources, [&](event_id each) { return m_graph->at(each).position <= seen; });
    if (old != sources.begin()) sources.erase(old, sources.end());
    me.spun_on = no_location;
  }
  return sources;
}

// A thread that is left here never comes back, so no function that has a vector leaves.

event& machine::read(const event& wanted) {
  if (event* const known = replay(wanted)) return *known;
  event& unbound = add(wanted);
  check_alive(unbound);
  if (!find_source(unbound)) abandon();
  executed(unbound);
  if (unbound.blocked) leave(state::blocked);
  return unbound;
}

bool machine::find_source(event& unbound) {
  bool may_block = false;
  const std::vector<event_id> sources = sources_of(unbound, may_block);
  // Step by step, what it was to go on with may not be allowed by S.
  if (sources.empty() && !may_block) return false;
  const std::size_t chosen = sources.empty() ? 0 : m_strategy->source(*m_graph, unbound, sources, may_block);
  if (chosen < sources.size()) {
    m_graph->bind(unbound, sources[chosen]);
  } else {
    m_graph->block(unbound);
  }
  return true;
}

event& machine::write(const event& wanted) {
  if (event* const known = replay(wanted)) return *known;
  event& unplaced = add(wanted);
  check_alive(unplaced);
  if (!find_place(unplaced)) abandon();
  executed(unplaced);
  return unplaced;
}

bool machine::find_place(event& unplaced) {
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
  if (places.empty()) return false;
  m_graph->place(unplaced, places[chosen]);
  return true;
}

void machine::abandon() {
  m_abandoned = true;
  stop();
}

}  // namespace ramie::model
