// The smallest fiber that shows the context layer at work: a stack, an execution, a body. No scheduler.
#pragma once

#include <ramie/context/execution.hpp>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <sys/mman.h>
#include <utility>

namespace ramie::context::test {

/// Loops that a sanitizer makes slow run less often.
constexpr int fewer_when_sanitized(int count) { return RAMIE_ASAN || RAMIE_TSAN ? count / 20 : count; }

/// A stack with an inaccessible page below it.
class guarded_stack {
 public:
  explicit guarded_stack(std::size_t size = std::size_t{128} << 10) : m_size(size + page) {
    m_memory = ::mmap(nullptr, m_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m_memory == MAP_FAILED) throw std::runtime_error("no memory for a stack");
    ::mprotect(m_memory, page, PROT_NONE);
  }
  ~guarded_stack() { ::munmap(m_memory, m_size); }
  guarded_stack(const guarded_stack&) = delete;
  guarded_stack& operator=(const guarded_stack&) = delete;

  [[nodiscard]] void* bottom() const { return static_cast<char*>(m_memory) + page; }
  [[nodiscard]] void* top() const { return static_cast<char*>(m_memory) + m_size; }

 private:
  static constexpr std::size_t page = 4096;
  void* m_memory;
  std::size_t m_size;
};

/// The calling kernel thread, which resumes fibers.
struct host {
  host() { self.tools.attach_this_thread(); }
  execution self;
  exception_state& exceptions = exception_state::of_this_thread();
};

class fiber {
 public:
  /// Gets the fiber and the message of the first resume; what it returns is the message of the last switch.
  using body = std::function<void*(fiber&, void*)>;

  explicit fiber(body run) : m_body(std::move(run)) {
    make_context(m_self.machine, m_stack.top(), &begin, this);
    m_self.tools.attach_stack(m_stack.bottom(), m_stack.top());
  }
  ~fiber() { m_self.tools.detach_stack(); }
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  [[nodiscard]] bool done() const { return m_done; }

  /// Runs the fiber on this thread until it suspends or ends.
  [[gnu::always_inline]] void* resume(host& by, void* message = nullptr) {
    m_host = &by;
    return switch_execution(by.exceptions, by.self, m_self, message);
  }
  /// Inside the body: back to the context that resumed it. May return on another kernel thread.
  [[gnu::always_inline]] void* suspend(void* message = nullptr) {
    return switch_execution(m_host->exceptions, m_self, m_host->self, message);
  }

 private:
  static void begin(void* message, void* argument) {
    auto& self = *static_cast<fiber*>(argument);
    self.m_self.tools.arrive();
    message = self.m_body(self, message);
    self.m_done = true;
    switch_execution<leaving::for_good>(self.m_host->exceptions, self.m_self, self.m_host->self, message);
  }

  guarded_stack m_stack;
  execution m_self;
  body m_body;
  host* m_host = nullptr;
  bool m_done = false;
};

/// Nothing but switch_to, with what the sanitizers need around it.
[[gnu::always_inline]] inline void* bare_switch(execution& from, execution& to, void* message = nullptr) {
  from.tools.leave(to.tools, false);
  message = switch_to(from.machine, to.machine, message);
  from.tools.arrive();
  return message;
}

}  // namespace ramie::context::test
