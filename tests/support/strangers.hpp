// Threads that the runtime does not know, to wake its fibers from outside.
#pragma once

#include <ramie/sync/counter.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace ramie::test {

// Threads that are no workers: they decrement counters that they are handed, some at once, some later.
class strangers {
 public:
  explicit strangers(int count) {
    for (int i = 0; i < count; ++i) {
      m_threads.emplace_back([this] {
        std::unique_lock guard(m_lock);
        for (;;) {
          m_some.wait(guard, [&] { return m_over || !m_counters.empty(); });
          if (m_counters.empty()) return;
          counter* const next = m_counters.front();
          m_counters.pop_front();
          guard.unlock();
          next->decrement();
          guard.lock();
        }
      });
    }
  }
  ~strangers() {
    {
      const std::lock_guard guard(m_lock);
      m_over = true;
    }
    m_some.notify_all();
    for (std::thread& each : m_threads) each.join();
  }
  void decrement_soon(counter& which) {
    {
      const std::lock_guard guard(m_lock);
      m_counters.push_back(&which);
    }
    m_some.notify_one();
  }

 private:
  std::mutex m_lock;
  std::condition_variable m_some;
  std::deque<counter*> m_counters;
  bool m_over = false;
  std::vector<std::thread> m_threads;
};

}  // namespace ramie::test
