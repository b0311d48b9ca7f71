// Threads that the runtime does not know, to wake its fibers from outside.
#pragma once

#include <support/threads.hpp>

#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/sync/counter.hpp>

#include <climits>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace ramie::test {

// Threads that are no workers: they decrement counters that they are handed, some at once, some later.
class outside_threads {
 public:
  explicit outside_threads(int count) {
    for (int i = 0; i < count; ++i) m_threads.emplace_back([this] { serve(); });
  }
  ~outside_threads() {
    {
      const std::lock_guard guard(m_lock);
      m_over = true;
    }
    announce(INT_MAX);
  }
  outside_threads(const outside_threads&) = delete;
  outside_threads& operator=(const outside_threads&) = delete;

  void decrement_soon(counter& which) {
    {
      const std::lock_guard guard(m_lock);
      m_counters.push_back(&which);
    }
    announce(1);
  }

 private:
  void serve() {
    for (;;) {
      const std::uint32_t seen = m_changes.load(std::memory_order_acquire);
      counter* next = nullptr;
      {
        const std::lock_guard guard(m_lock);
        if (m_counters.empty() && m_over) return;
        if (!m_counters.empty()) {
          next = m_counters.front();
          m_counters.pop_front();
        }
      }
      if (next != nullptr) {
        next->decrement();
      } else {
        native_provider::futex_wait(m_changes, seen);
      }
    }
  }

  void announce(int to_how_many) {
    m_changes.fetch_add(1, std::memory_order_release);
    native_provider::futex_wake(m_changes, to_how_many);
  }

  futex_lock<> m_lock;
  native_provider::atomic<std::uint32_t> m_changes{0};
  std::deque<counter*> m_counters;
  bool m_over = false;
  std::vector<thread> m_threads;  // last: joined before the rest goes
};

}  // namespace ramie::test
