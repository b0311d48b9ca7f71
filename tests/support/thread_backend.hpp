// An execution backend that gives every fiber a kernel thread of its own: the least that shows that the seam holds.
#pragma once

#include <ramie/scheduler/execution_backend.hpp>
#include <ramie/scheduler/fiber.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/worker.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <thread>

namespace ramie::test {

class thread_backend final : public execution_backend {
 public:
  fiber& create(context::entry_function entry) override {
    auto made = std::make_unique<flow>();
    flow& mine = *made;
    mine.body = std::make_unique<fiber>(worker::current()->home(), stack::memory{}, std::uint8_t{0});
    {
      const std::lock_guard guard(m_lock);
      m_flows.emplace(&mine.body->execution, std::move(made));
      ++m_created;
    }
    mine.thread = std::thread([&mine, entry] {
      if (mine.sleep()) {
        try {
          entry(mine.message, mine.body.get());
        } catch (const fiber_is_over&) {
        }
      }
    });
    return *mine.body;
  }

  void* switch_to(context::execution& from, context::execution& to, void* message) override {
    flow& self = flow_of(from);
    flow& other = flow_of(to);
    other.message = message;
    other.go.release();
    if (!self.sleep()) throw fiber_is_over{};
    return self.message;
  }

  // Called on the thread that goes on; the finished one sleeps in its last switch_to.
  void destroy(fiber& finished) noexcept override {
    std::unique_ptr<flow> over;
    {
      const std::lock_guard guard(m_lock);
      const auto found = m_flows.find(&finished.execution);
      over = std::move(found->second);
      m_flows.erase(found);
      ++m_destroyed;
    }
    over->end = true;
    over->go.release();
    over->thread.join();
  }

  [[nodiscard]] int created() const { return m_created; }
  [[nodiscard]] int alive() const { return m_created - m_destroyed; }

 private:
  struct fiber_is_over {};

  struct flow {
    std::unique_ptr<fiber> body;  // null: a worker's own loop
    std::thread thread;
    std::binary_semaphore go{0};
    void* message = nullptr;
    bool end = false;

    // False: not to go on any more.
    bool sleep() {
      go.acquire();
      if (end) return false;
      context::set_thread_slot(message);  // this thread carries the worker from now on
      return true;
    }
  };

  flow& flow_of(context::execution& execution) {
    const std::lock_guard guard(m_lock);
    std::unique_ptr<flow>& found = m_flows[&execution];
    if (found == nullptr) found = std::make_unique<flow>();
    return *found;
  }

  std::mutex m_lock;
  std::map<context::execution*, std::unique_ptr<flow>> m_flows;
  int m_created = 0;
  int m_destroyed = 0;
};

}  // namespace ramie::test
