// An execution backend that gives every fiber a kernel thread of its own: the least that shows that the seam holds. A
// switch costs a wake and a sleep of the kernel's; locks are taken where a fiber begins and ends.
#pragma once

#include <ramie/base/error.hpp>
#include <ramie/scheduler/execution_backend.hpp>
#include <ramie/scheduler/fiber.hpp>
#include <ramie/scheduler/park_word.hpp>
#include <ramie/scheduler/task.hpp>
#include <ramie/stack/arena.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ramie::test {

class thread_backend : public execution_backend {
 public:
  thread_backend() = default;
  ~thread_backend() override { collect(); }

  void attach(context::execution& loop) noexcept override {
    static thread_local sleeper mine;
    loop.set_backend_slot(&mine);
    ++m_attached;
  }
  void detach(context::execution& loop) noexcept override {
    loop.set_backend_slot(nullptr);
    --m_attached;
  }

  fiber& create(const beginning& how) override {
    collect();
    auto made = std::make_unique<carried>(*this, how, memory_for(how.stack));
    carried& mine = *made;
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    int error = ::pthread_attr_setstack(&attributes, mine.memory.bottom, mine.below_fiber());
    if (error == 0) error = ::pthread_create(&mine.thread, &attributes, &carried::main, &mine);
    ::pthread_attr_destroy(&attributes);
    if (error != 0) {
      give_back(mine);
      throw spawn_error(std::string("no thread for a fiber: ") + std::strerror(error));
    }
    ++m_created;
    return *made.release()->body;
  }

  void* switch_to(context::execution& from, context::execution& to, void* message) override {
    sleeper& me = of(from);
    of(to).go_on(message);
    return me.sleep();
  }

  [[nodiscard]] int created() const { return m_created; }
  [[nodiscard]] int alive() const { return m_created - m_ended; }
  /// Loops that wait for fibers to come back.
  [[nodiscard]] int attached() const { return m_attached; }

 private:
  // The place where a thread sleeps while it is not its turn.
  class sleeper {
   public:
    void go_on(void* message) {
      m_message = message;
      m_word.unpark();
    }
    void* sleep() {
      m_word.park();
      return m_message;
    }

   private:
    detail::park_word<> m_word;
    void* m_message = nullptr;
  };

  struct carried : sleeper {
    carried(thread_backend& by, const beginning& how, const stack::memory& whole)
        : home(by), config(how.stack), entry(how.entry), memory(whole) {
      body = new (fiber::at_top_of(memory)) fiber(how.home, memory, how.stack_class);
      body->execution.set_backend_slot(static_cast<sleeper*>(this));
      const std::string name(how.first.name().substr(0, sizeof(thread_name) - 1));
      std::memcpy(thread_name, name.c_str(), name.size() + 1);
    }

    [[nodiscard]] std::size_t below_fiber() const {
      return static_cast<std::size_t>(reinterpret_cast<std::byte*>(body) - memory.bottom);
    }

    static void* main(void* argument) {
      auto& self = *static_cast<carried*>(argument);
      if (self.thread_name[0] != 0) ::pthread_setname_np(::pthread_self(), self.thread_name);
      const departure next = self.entry(*self.body, self.sleep());
      thread_backend& home = self.home;
      home.ended(self);  // a collector waits for this thread from now on
      of(next.to).go_on(next.message);
      return nullptr;
    }

    thread_backend& home;
    const stack::config config;
    departure (*const entry)(fiber&, void*);
    const stack::memory memory;
    fiber* body;
    char thread_name[16];
    pthread_t thread{};
  };

  static sleeper& of(context::execution& one) { return *static_cast<sleeper*>(one.backend_slot()); }

  // No smaller than what the C library asks for, and the sanitizers' threads.
  static stack::config enlarged(stack::config wanted) {
    wanted.size = std::max(wanted.size, bytes(RAMIE_TSAN ? 2U << 20U : 128U << 10U));
    return wanted;
  }

  stack::memory memory_for(const stack::config& wanted) {
    stack::memory found;
    arena_of(wanted).acquire(std::span(&found, 1));
    return found;
  }

  stack::arena& arena_of(const stack::config& wanted) {
    const stack::config config = enlarged(wanted);
    const std::lock_guard guard(m_lock);
    std::unique_ptr<stack::arena>& found = m_arenas[{config.size, config.guard_size}];
    if (found == nullptr) found = std::make_unique<stack::arena>(config);
    return *found;
  }

  // On the ending thread.
  void ended(carried& over) {
    const std::lock_guard guard(m_lock);
    m_over.push_back(&over);
    ++m_ended;
  }

  // Waits for the ends of threads that have done all but that.
  void collect() {
    std::vector<carried*> over;
    {
      const std::lock_guard guard(m_lock);
      over.swap(m_over);
    }
    for (carried* const each : over) {
      ::pthread_join(each->thread, nullptr);
      give_back(*each);
      delete each;
    }
  }

  void give_back(carried& over) {
    over.body->~fiber();
    arena_of(over.config).release(std::span(&over.memory, 1));
  }

  std::mutex m_lock;
  std::map<std::pair<bytes, bytes>, std::unique_ptr<stack::arena>> m_arenas;
  std::vector<carried*> m_over;
  std::atomic<int> m_created = 0;
  std::atomic<int> m_ended = 0;
  std::atomic<int> m_attached = 0;
};

}  // namespace ramie::test
