// Kernel threads that have no worker, and wait for one to be handed to them.
//
// A thread comes here when the fiber that has blocked it, and had given its worker away (hand_over.hpp), has gone on
// elsewhere. The next worker that leaves its thread goes to the thread that came here last, whose stack is in the
// cache.
#pragma once

#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/scheduler/park_word.hpp>

#include <mutex>

namespace ramie::detail {

template <class Worker, class Provider = native_provider>
class waiting_threads {
  template <class T>
  using plain = typename Provider::template plain<T>;

 public:
  /// Of one thread, on its stack.
  class place {
   public:
    place() = default;
    place(const place&) = delete;
    place& operator=(const place&) = delete;

    /// By the thread that has taken the place out of the list, once. The caller does not touch `given` any more.
    void hand(Worker& given) {
      m_handed = &given;
      m_word.unpark();  // [T2] publishes the worker as it is
    }

   private:
    friend class waiting_threads;
    park_word<Provider> m_word;
    plain<Worker*> m_handed = nullptr;
    plain<place*> m_next = nullptr;
  };

  /// The thread of `mine`. Sleeps until a worker is handed to it; null: the run is over.
  [[nodiscard]] Worker* wait(place& mine) {
    {
      const std::lock_guard guard(m_lock);
      if (m_over) return nullptr;
      mine.m_next = m_first;
      m_first = &mine;
    }
    mine.m_word.park();  // [T1] acquires what the thread has left that had the worker before
    return mine.m_handed;
  }

  /// Any thread: the caller hands it a worker. Null: nobody waits.
  [[nodiscard]] place* take() {
    const std::lock_guard guard(m_lock);
    place* const taken = m_first;
    if (taken != nullptr) m_first = taken->m_next;
    return taken;
  }

  /// Before a run, while no thread waits.
  void begin() { m_over = false; }

  /// The run is over: threads that wait, or come later, get no worker. Any number of times.
  void end() {
    place* waiting = nullptr;
    {
      const std::lock_guard guard(m_lock);
      m_over = true;
      waiting = m_first;
      m_first = nullptr;
    }
    while (waiting != nullptr) {
      place* const next = waiting->m_next;  // before its thread goes on
      waiting->m_handed = nullptr;
      waiting->m_word.unpark();
      waiting = next;
    }
  }

 private:
  ramie::lock_of<Provider> m_lock;
  // Under the lock:
  plain<place*> m_first = nullptr;
  plain<bool> m_over = false;
};

}  // namespace ramie::detail
