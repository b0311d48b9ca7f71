#include <simulation/simulator/machine.hpp>

#include <simulation/simulator/coroutine_stacks.hpp>

#include <ramie/context/switch_to.hpp>
#include <ramie/context/thread_slot.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#if RAMIE_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace ramie::sim {
namespace {

// Volatile: gcc takes the assembly of a switch for code that reads no variable of this file, and drops a store that is
// only read on its far side.
machine* volatile g_current = nullptr;

// The steps of the clock. A pause is as long as a processor's; nothing else depends on the numbers.
constexpr nanoseconds any_step{5};
constexpr nanoseconds a_pause{40};
constexpr nanoseconds a_yield{500};

std::string step_text(std::uint64_t step) { return "step " + std::to_string(step); }

}  // namespace

machine* machine::current() { return g_current; }

machine::machine(const settings& chosen)
    : m_settings(chosen),
      m_schedule(chosen.seed),
      m_trail(chosen.print_all_steps),
      m_staleness(chosen.seed),
      m_memory(chosen.weak_memory ? std::make_unique<weak::weak_memory>(m_staleness) : nullptr),
      m_place(chosen.planted),
      m_exceptions(&context::exception_state::of_this_thread()) {}

machine::~machine() {
  for (const auto& each : m_threads) coroutine_stacks::give_back(each->stack);
}

outcome machine::run(const std::function<void()>& body) {
  if (g_current != nullptr || !m_threads.empty()) {
    std::fputs("simulation: a machine runs once, and not inside another one\n", stderr);
    std::abort();
  }
  const auto call = [](void* argument) -> void* {
    try {
      (*static_cast<const std::function<void()>*>(argument))();
    } catch (const std::exception& error) {
      g_current->fail(std::string("an exception left the body: ") + error.what());
    } catch (...) {
      g_current->fail("an exception left the body");
    }
    return nullptr;
  };
  m_running = &m_host;
  make_thread(call, const_cast<std::function<void()>*>(&body));
  g_current = this;
  switch_to(m_schedule.choose(m_runnable, nullptr, schedule::reason::blocked, 0), false);
  g_current = nullptr;
  m_trail.flush();
  outcome made{m_failure, m_steps, m_switches, m_trail.hash(), static_cast<thread_number>(m_threads.size()), m_time};
  if (m_memory != nullptr) {
    made.old_reads = m_memory->old_reads();
    made.early_writes = m_memory->early_writes();
  }
  return made;
}

// ---- Threads ----

thread& machine::make_thread(void* (*function)(void*), void* argument) {
  auto made = std::make_unique<thread>();
  made->number = static_cast<thread_number>(m_threads.size());
  made->function = function;
  made->argument = argument;
  made->priority = m_schedule.draw_priority();
  made->doing = operation::start_thread;
  made->floating_point.save();  // as its maker's
  if (m_memory != nullptr) {
    made->in_memory = m_threads.empty() ? m_memory->begin_first() : m_memory->begin(m_running->in_memory);
  }
  made->stack = coroutine_stacks::take();
  made->bottom = made->stack;
  made->size = coroutine_stacks::size;
  context::make_context(made->machine, made->stack + coroutine_stacks::size, &thread_main, this);
  m_runnable.push_back(made.get());
  m_schedule.somebody_woke(m_steps);
  m_threads.push_back(std::move(made));
  return *m_threads.back();
}

void machine::thread_main(void* /*message*/, void* argument) {
  machine& self = *static_cast<machine*>(argument);
  thread& me = *self.m_running;
  self.arrive(me);
  me.function(me.argument);
  for (; !me.locals.empty(); me.locals.pop_back()) me.locals.back().destroy(me.locals.back().object);
  self.end_of_thread();
}

void machine::end_of_thread() {
  thread& me = *m_running;
  me.state = thread_state::finished;
  std::erase(m_runnable, &me);
  for (const auto& each : m_threads) {
    if (each->state == thread_state::joining && each->joins == me.number) make_runnable(*each);
  }
  if (me.number == 0) {
    const auto left =
        std::ranges::find_if(m_threads, [](const auto& each) { return each->state != thread_state::finished; });
    if (left != m_threads.end()) {
      fail("the body has ended and left thread " + std::to_string((*left)->number) + " behind, which nobody joined");
    }
    leave_for_good(m_host);
  }
  block();
}

// From whatever stack the running thread is on to whatever stack the next one was stopped on.
void machine::switch_to(thread& next, bool for_good) {
  thread& me = *m_running;
  ++m_switches;
  me.since = m_steps;
  me.slot = context::thread_slot();
  me.carrier_slot = context::carrier_slot();
  me.error_number = errno;
  me.floating_point.save();
  next.floating_point.load_if_different(me.floating_point);
  context::exchange_exception_state(*m_exceptions, me.exceptions, next.exceptions);
  m_left = &me;
  m_running = &next;
#if RAMIE_ASAN
  __sanitizer_start_switch_fiber(for_good ? nullptr : &me.fake_stack, next.bottom, next.size);
#else
  static_cast<void>(for_good);
#endif
  context::switch_to(me.machine, next.machine, nullptr);
  arrive(me);
}

void machine::arrive(thread& me) {
#if RAMIE_ASAN
  __sanitizer_finish_switch_fiber(me.fake_stack, &m_left->bottom, &m_left->size);
  me.fake_stack = nullptr;
#endif
  context::set_thread_slot(me.slot);
  context::set_carrier_slot(me.carrier_slot);
  errno = me.error_number;
}

void machine::leave_for_good(thread& next) {
  switch_to(next, true);
  std::abort();
}

void machine::fail(const std::string& what) {
  m_failure = "at " + step_text(m_steps) + ": " + what;
  for (const auto& each : m_threads) m_failure += "\n  " + describe(*each);
  for (const witness* const each : m_witnesses) m_failure += each->testimony();
  leave_for_good(m_host);
}

// ---- The thread that runs ----

void machine::reschedule(schedule::reason why) {
  if (m_steps >= m_settings.most_steps) {
    fail("no end after " + std::to_string(m_steps) + " steps (" + m_schedule.description() + "): a livelock?");
  }
  wake_those_in_time();
  thread& next = m_schedule.choose(m_runnable, m_running, why, m_steps);
  if (&next != m_running) switch_to(next, false);
}

// The running thread is not runnable any more.
void machine::block() {
  thread& me = *m_running;
  me.since = m_steps;
  wake_those_in_time();
  while (m_runnable.empty()) {
    if (m_next_deadline == nanoseconds::max()) fail("nobody can go on");
    m_time = m_next_deadline;
    wake_those_in_time();
  }
  thread& next = m_schedule.choose(m_runnable, nullptr, schedule::reason::blocked, m_steps);
  if (me.state == thread_state::finished) leave_for_good(next);
  if (&next != &me) switch_to(next, false);  // its own time may just have run out
}

void machine::make_runnable(thread& woken) {
  woken.state = thread_state::runnable;
  woken.sleeps_on = nullptr;
  woken.until.reset();
  m_runnable.push_back(&woken);
  m_schedule.somebody_woke(m_steps);
}

void machine::wake_those_in_time() {
  if (m_time < m_next_deadline) return;
  m_next_deadline = nanoseconds::max();
  std::vector<thread*> still;
  for (thread* const each : m_asleep) {
    if (each->until && *each->until <= m_time) {
      each->timed_out = true;
      make_runnable(*each);
      m_trail.happened(m_steps, *each, happening::timed_out);
    } else {
      if (each->until) m_next_deadline = std::min(m_next_deadline, *each->until);
      still.push_back(each);
    }
  }
  m_asleep = std::move(still);
}

std::string machine::describe(const thread& which) {
  std::string text = "thread " + std::to_string(which.number);
  if (which.number == 0) text += " (the test)";
  if (which.worker >= 0) {
    text +=
        std::string(" (worker ") + which.home + (*which.home != '\0' ? "." : "") + std::to_string(which.worker) + ")";
  }
  const std::uint64_t since = &which == m_running ? m_steps : which.since;
  switch (which.state) {
    case thread_state::finished: return text + " has ended";
    case thread_state::joining:
      return text + " joins thread " + std::to_string(which.joins) + ", since " + step_text(since) + ", at " +
             text_of(which.at);
    case thread_state::asleep:
      return text + " sleeps on " + m_trail.name_of(which.sleeps_on) + ", since " + step_text(since) + ", at " +
             text_of(which.at);
    case thread_state::runnable: break;
  }
  if (which.function != nullptr && which.doing == operation::start_thread && which.at.line() == 0) {
    return text + " has not begun";
  }
  return text + (&which == m_running ? " runs" : " could run, and does not since " + step_text(since)) + ", at " +
         text_of(which.at) + " (" + to_string(which.doing) + ")";
}

// ---- Steps ----

manner machine::take_turn(operation what, const void* word, where at) {
  thread& me = *m_running;
  me.doing = what;
  me.at = at;
  m_time += any_step;
  if (what == operation::pause || what == operation::yield_thread) {
    m_time += what == operation::pause ? a_pause : a_yield;
    reschedule(schedule::reason::gives_way);
  } else if (m_steps >= m_schedule.next_decision()) {
    reschedule(schedule::reason::turn_is_over);
  }
  if (++m_steps == m_settings.stop_before) std::raise(SIGTRAP);
  m_trail.step(m_steps, me, what, word, at);
  m_staleness.step(me.in_memory, at);
  return m_settings.planted.what == fault::kind::none ? manner::right : manner_of(what, at);
}

manner machine::manner_of(operation what, where at) {
  const fault& planted = m_settings.planted;
  switch (planted.what) {
    case fault::kind::torn:
    case fault::kind::blind_wait: {
      const operation wanted = planted.what == fault::kind::torn ? planted.torn : operation::futex_wait;
      if (what != wanted || !m_place.holds(at)) return manner::right;
      return m_fault_count++ >= planted.after ? manner::faulty : manner::right;
    }
    case fault::kind::weaker: return what == planted.torn && m_place.holds(at) ? manner::weaker : manner::right;
    case fault::kind::dropped_wake: return what == operation::futex_wake ? manner::faulty : manner::right;
    case fault::kind::refused_start:
    case fault::kind::none: break;
  }
  return manner::right;
}

// One of those that happen once.
bool machine::planted_now(fault::kind what, where at) {
  const fault& planted = m_settings.planted;
  return planted.what == what && std::string_view(at.file_name()).ends_with(planted.file) &&
         m_fault_count++ == planted.after;
}

void machine::happened(happening what, std::uint64_t a, std::uint64_t b) {
  m_trail.happened(m_steps, *m_running, what, a, b);
}

void machine::accessed(std::uint64_t before, std::uint64_t after) {
  m_trail.note(before, after);
  if (m_memory == nullptr) return;
  if (m_memory->last_was_old()) m_trail.note_old();
  check_accessed();
}

void machine::check_accessed() {
  if (m_memory->error() != nullptr) fail(std::string(m_memory->error()) + ", at " + text_of(m_running->at));
}

bool machine::sleep_on(const void* word, const nanoseconds* timeout) {
  thread& me = *m_running;
  if (m_schedule.spurious_wakeup()) {
    reschedule(schedule::reason::gives_way);
    happened(happening::spurious_wakeup);
    return true;
  }
  me.state = thread_state::asleep;
  me.sleeps_on = word;
  me.timed_out = false;
  if (timeout == nullptr && m_memory != nullptr) m_memory->wait_for_another(me.in_memory);
  if (timeout != nullptr) {
    me.until = m_time + *timeout;
    m_next_deadline = std::min(m_next_deadline, *me.until);
  }
  std::erase(m_runnable, &me);
  m_asleep.push_back(&me);
  block();
  return !me.timed_out;
}

void machine::wake_sleepers(const void* word, int count, manner how) {
  const auto here = [word](const thread* each) { return each->sleeps_on == word; };
  if (m_memory != nullptr) {
    m_memory->lock_futex(m_running->in_memory, word);
    m_memory->unlock_futex(m_running->in_memory, word);
  }
  const auto sleepers = std::ranges::count_if(m_asleep, here);
  const auto wanted = std::min<std::ptrdiff_t>(sleepers, count);
  if (wanted > 0 && how == manner::faulty && planted_now(fault::kind::dropped_wake, m_running->at)) {
    note(static_cast<std::uint64_t>(sleepers), 0);
    return;
  }
  note(static_cast<std::uint64_t>(sleepers), static_cast<std::uint64_t>(wanted));
  for (std::ptrdiff_t left = wanted; left > 0; --left) {
    const auto still = static_cast<std::uint32_t>(std::ranges::count_if(m_asleep, here));
    std::uint32_t skip = still > 1 ? m_schedule.below(still) : 0;
    const auto chosen = std::ranges::find_if(m_asleep, [&](const thread* each) { return here(each) && skip-- == 0; });
    thread& woken = **chosen;
    m_asleep.erase(chosen);
    if (m_memory != nullptr) m_memory->lock_futex(woken.in_memory, word);
    make_runnable(woken);
    happened(happening::woke_thread, woken.number);
  }
}

int machine::start(thread_number& made, void* (*function)(void*), void* argument, where at) {
  take_turn(operation::start_thread, nullptr, at);
  if (planted_now(fault::kind::refused_start, at)) return EAGAIN;
  made = make_thread(function, argument).number;
  note(made, made);
  return 0;
}

void machine::join(thread_number ending, where at) {
  take_turn(operation::join_thread, nullptr, at);
  note(ending, ending);
  thread& me = *m_running;
  if (m_threads[ending]->state != thread_state::finished) {
    me.state = thread_state::joining;
    me.joins = ending;
    if (m_memory != nullptr) m_memory->wait_for_another(me.in_memory);
    std::erase(m_runnable, &me);
    block();
  }
  if (m_memory != nullptr) m_memory->join(me.in_memory, m_threads[ending]->in_memory);
}

void* machine::local_object(const void* key, void* (*make)(), void (*destroy)(void*)) {
  thread& me = *m_running;
  const auto found = std::ranges::find(me.locals, key, &thread::local::key);
  if (found != me.locals.end()) return found->object;
  void* const made = make();
  me.locals.push_back({key, made, destroy});
  return made;
}

std::string machine::report() {
  return "the last steps (" + m_schedule.description() + (m_memory != nullptr ? "; " + m_staleness.description() : "") +
         "; step, who, what, where):\n" + m_trail.last();
}

// ---- operations.hpp ----

bool running() { return g_current != nullptr; }
thread_number current_thread() { return running() ? g_current->running().number : 0; }

manner take_turn(operation what, const void* word, where at) {
  return g_current != nullptr ? g_current->take_turn(what, word, at) : manner::right;
}
void note(std::uint64_t before, std::uint64_t after) {
  if (g_current != nullptr) g_current->note(before, after);
}
void accessed(std::uint64_t before, std::uint64_t after) {
  if (g_current != nullptr) g_current->accessed(before, after);
}
void check_accessed() {
  if (g_current != nullptr) g_current->check_accessed();
}
weak::weak_memory* weak_memory() { return g_current != nullptr ? g_current->memory() : nullptr; }
weak::slot weak_thread() { return g_current->running().in_memory; }
bool sleep_on(const void* word, const nanoseconds* timeout) { return g_current->sleep_on(word, timeout); }
void wake_sleepers(const void* word, int count, manner how) {
  if (g_current != nullptr) g_current->wake_sleepers(word, count, how);
}
std::chrono::steady_clock::time_point virtual_now() {
  return std::chrono::steady_clock::time_point(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::hours(1) + g_current->time()));
}
int start_thread(thread_number& made, void* (*function)(void*), void* argument, where at) {
  if (g_current == nullptr) {
    std::fputs("simulation: a thread is started outside of a simulated run\n", stderr);
    std::abort();
  }
  return g_current->start(made, function, argument, at);
}
void join_thread(thread_number ending, where at) { g_current->join(ending, at); }
void* local_object(const void* key, void* (*make)(), void (*destroy)(void*)) {
  return g_current->local_object(key, make, destroy);
}

}  // namespace ramie::sim
