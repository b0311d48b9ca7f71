#include <ramie/scheduler/diagnosis.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/scheduler/fiber.hpp>
#include <ramie/scheduler/hand_over.hpp>
#include <ramie/scheduler/worker.hpp>
#include <ramie/stack/guard.hpp>
#include <ramie/stack/overflow.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cxxabi.h>
#include <exception>
#include <pthread.h>
#include <string>
#include <typeinfo>
#include <unistd.h>

namespace ramie {
namespace {

// In signal handlers and before abort(): no allocation, no locks.
std::size_t describe_task(const task* running, char* text, std::size_t size) noexcept {
  if (running == nullptr) return 0;
  const std::string_view name = running->name();
  const auto id = static_cast<unsigned long long>(running->id());
  const int length =
      name.empty() ? std::snprintf(text, size, "fiber %llu", id)
                   : std::snprintf(text, size, "fiber %llu \"%.*s\"", id, static_cast<int>(name.size()), name.data());
  return length < 0 ? 0 : std::min(static_cast<std::size_t>(length), size - 1);
}

// Null where it is unknown: a write beyond the upper end of a stack may have hit the fiber there, too.
const task* task_on(const stack::memory& memory) noexcept {
  const fiber* const there = fiber::at_top_of(memory);
  const task* const noted = there->current_task;
  const auto* const bytes = reinterpret_cast<const std::byte*>(noted);
  if (noted == nullptr || reinterpret_cast<std::uintptr_t>(noted) % alignof(task) != 0 || !stack::readable(bytes) ||
      !stack::readable(bytes + sizeof(task) - sizeof(void*))) {
    return nullptr;
  }
  const worker* const here = worker::current();
  const bool runs_here = here != nullptr && here->current_fiber() == there;
  return runs_here && &noted->home() != &here->home() ? nullptr : noted;
}

std::size_t describe_stack(const stack::memory& memory, char* text, std::size_t size) noexcept {
  return describe_task(task_on(memory), text, size);
}

const void* running_fiber() noexcept { return detail::running_fiber(); }

void dump_worker() noexcept {
  char text[256];
  const worker* const here = worker::current();
  int length = 0;
  if (here == nullptr) {
    const fiber* const running = detail::running_fiber();
    char who[128] = "no fiber";
    if (running != nullptr) describe_task(running->current_task, who, sizeof who);
    length = std::snprintf(text, sizeof text, "ramie:   on a thread that holds no worker, in %s\n", who);
  } else {
    char who[128] = "its run loop";
    const fiber* const running = here->current_fiber();
    if (running != nullptr) describe_task(running->current_task, who, sizeof who);
    length = std::snprintf(text, sizeof text, "ramie:   on worker %u, in %s\n", here->index(), who);
  }
  if (length > 0) static_cast<void>(!::write(STDERR_FILENO, text, static_cast<std::size_t>(length)));
}

// A user-mode shadow stack (Linux 6.6, glibc 2.39) keeps return addresses where a switch of stacks does not reach them.
bool shadow_stack_active() {
  unsigned long shadow = 0;
  asm volatile("rdsspq %0" : "+r"(shadow));  // does nothing on processors and processes without one
  return shadow != 0;
}

// relaxed, all of it: written in a child that has one thread, or to say that it has more.
std::atomic<bool> g_child_of_a_fiber{false};

// The child has one thread and none of the others' work: its fiber code may only _exit or exec.
void in_a_child() noexcept {
  if (detail::running_fiber() != nullptr) g_child_of_a_fiber.store(true, std::memory_order_relaxed);
  context::set_thread_slot(nullptr);
  context::set_carrier_slot(nullptr);
}

}  // namespace

namespace diagnosis {

bool child_of_a_fiber() noexcept { return g_child_of_a_fiber.load(std::memory_order_relaxed); }

void own_runtime_begins() noexcept {
  if (child_of_a_fiber()) g_child_of_a_fiber.store(false, std::memory_order_relaxed);
}

void prepare_process() {
  static const bool once = [] {
    if (shadow_stack_active()) {
      detail::fail("this process runs with user shadow stacks, which fibers cannot switch.",
                   "Start it with GLIBC_TUNABLES=glibc.cpu.x86_shstk=off, or link it with -z noshstk.");
    }
    detail::set_state_dump(&dump_worker);
    stack::overflow_report::set_describer(&describe_stack);
    stack::overflow_report::set_running(&running_fiber);
    stack::overflow_report::install();
    ::pthread_atfork(nullptr, nullptr, &in_a_child);
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace diagnosis

void task::set_name(std::string_view name) {
  auto* const copy = new char[name.size() + 1];
  copy[name.copy(copy, name.size())] = '\0';
  m_name = copy;
}

void task::free_name() noexcept { delete[] m_name; }

std::exception_ptr detail::caught_in(const task* fiber) noexcept {
  std::exception_ptr caught = std::current_exception();
  if (caught != nullptr) return caught;
  char who[128] = "a job";
  describe_task(fiber, who, sizeof who);
  fail(std::string(who) + " ended the kernel thread that it ran on (pthread_exit, or pthread_cancel from elsewhere).",
       "The thread belongs to the runtime: return from the fiber's function.");
}

void detail::unjoined_exception(const task& thrower, const std::exception_ptr& error) noexcept {
  char who[128] = "a fiber";
  describe_task(&thrower, who, sizeof who);
  std::string what = "an exception of unknown type";
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& known) {
    int status = 0;
    char* const type = abi::__cxa_demangle(typeid(known).name(), nullptr, nullptr, &status);
    what = (status == 0 ? std::string(type) : typeid(known).name()) + ": " + known.what();
    std::free(type);
  } catch (...) {
  }
  fail(std::string(who) + " ended with an exception that nobody joins: " + what + ".",
       "Join its handle, or catch inside the fiber.");
}

}  // namespace ramie
