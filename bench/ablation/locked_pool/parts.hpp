// The parts of the locked pool that its switches do not change: locks, lists, and the places where its threads sleep.
//
// After a student's pool for a course on computer systems: one mutex and one list a worker, one of each for the pool, a
// condition for the end of tasks and one for new ones. A list's lock guards the list and whether its tasks have been
// begun. No thread holds two of them at once, nor one of them and the gate but to abandon a task.
//
// Why no wake-up is lost:
//
// - Of a new task. A worker that finds nothing registers (under the pool's lock), looks into every list once more
//   (under each one's lock), and only then sleeps. A producer looks for registered workers under the lock of the list.
//   Of these two turns at that lock one comes first: either the worker meets the task, or the producer meets the
//   worker, and calls it under the pool's lock. A call is a number under that lock, not only a signal: a registered
//   worker that does not sleep yet finds it, and does not go to sleep.
// - Of the end of a task. It is published under the lock of its list, which a waiter holds from the last look until it
//   sleeps. With fewer_locks it is published without: see [E2], [E4], [E5].
// - Of work to help with. A worker that waits for a task follows the worker that runs it: it registers with that
//   worker's list
//   if that is empty, both under its lock. The next push there takes it out, and calls it as the end of the task would.
// - Of the end of all. A worker registers with its own list empty, and nobody else pushes there. So when all are
//   registered and the pool's list is empty, there is nothing left, and nobody who could bring more.
#pragma once

#include <ramie/base/provider.hpp>

#include <mutex>
#include <pthread.h>
#include <utility>

#include "ablation/locked_pool/engine.hpp"

namespace bench::locked {

template <class T>
using atomic = ramie::native_provider::atomic<T>;

class mutex {
 public:
  mutex() = default;
  ~mutex() { ::pthread_mutex_destroy(&m_mutex); }
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  // Errors are those of misuse: of a mutex that is none, or is held already by one that checks.
  void lock() { static_cast<void>(::pthread_mutex_lock(&m_mutex)); }
  void unlock() { static_cast<void>(::pthread_mutex_unlock(&m_mutex)); }

 private:
  friend class condition;
  pthread_mutex_t m_mutex = PTHREAD_MUTEX_INITIALIZER;
};
using hold = std::lock_guard<mutex>;

class condition {
 public:
  condition() = default;
  ~condition() { ::pthread_cond_destroy(&m_condition); }
  condition(const condition&) = delete;
  condition& operator=(const condition&) = delete;
  /// May return for no reason.
  void wait(mutex& held) { static_cast<void>(::pthread_cond_wait(&m_condition, &held.m_mutex)); }
  void wake_one() { static_cast<void>(::pthread_cond_signal(&m_condition)); }
  void wake_all() { static_cast<void>(::pthread_cond_broadcast(&m_condition)); }

 private:
  pthread_cond_t m_condition = PTHREAD_COND_INITIALIZER;
};

/// In a circle with the list's own.
struct links {
  links* newer;
  links* older;
};

/// A future as lists see it.
struct listed : ::locked_future, links {};

/// A worker that sleeps until a task has finished and would rather help the one who runs that. On that worker's stack.
struct follower {
  explicit follower(listed& which) : awaited(which) {}
  listed& awaited;
  atomic<bool> called{false};
  follower* next = nullptr;
};

/// Tasks that nobody has begun, with the lock that guards them. All but count() is for the lock's holder.
class task_list {
 public:
  mutex lock;

  void push(listed& added) {
    added.older = m_ends.older;  // the newest, seen from the end of the circle
    added.newer = &m_ends;
    m_ends.older->newer = &added;
    m_ends.older = &added;
    change_count(1);
  }
  /// Null: empty.
  listed* pop_newest() { return taken(m_ends.older); }
  listed* pop_oldest() { return taken(m_ends.newer); }
  void remove(listed& out) {
    out.older->newer = out.newer;
    out.newer->older = out.older;
    change_count(-1);
  }
  [[nodiscard]] bool empty() const { return m_ends.newer == &m_ends; }

  /// To be called with the next task that is pushed.
  void add(follower& added) {
    added.next = m_followers;
    m_followers = &added;
  }
  /// Null: there is none. One that was taken is to be called.
  follower* take_follower() { return m_followers == nullptr ? nullptr : std::exchange(m_followers, m_followers->next); }
  /// If it is still there.
  void drop(follower& out) {
    for (follower** at = &m_followers; *at != nullptr; at = &(*at)->next) {
      if (*at == &out) {
        *at = out.next;
        return;
      }
    }
  }
  [[nodiscard]] bool has_followers() const { return m_followers != nullptr; }

  /// Any thread; without the lock it is what it was a moment ago.
  // Relaxed: a number to go by, which publishes nothing.
  [[nodiscard]] unsigned count() const { return m_count.load(std::memory_order_relaxed); }

 private:
  listed* taken(links* end) {
    if (end == &m_ends) return nullptr;
    listed* const out = static_cast<listed*>(end);
    remove(*out);
    return out;
  }
  // Relaxed, and no read-modify-write: the lock keeps other writers out.
  void change_count(int by) { m_count.store(count() + static_cast<unsigned>(by), std::memory_order_relaxed); }

  links m_ends{&m_ends, &m_ends};
  follower* m_followers = nullptr;
  atomic<unsigned> m_count{0};
};

/// Where those sleep who wait for the end of a task that was in one list, with that list's lock.
struct ending {
  condition reached;
  atomic<unsigned> waiting{0};  ///< only fewer_locks looks at it
  unsigned guests = 0;          ///< threads of others that are in here; guarded by the gate
};

/// Where workers sleep that find nothing. For the holder of the pool's lock, but for any().
class idle_workers {
 public:
  explicit idle_workers(unsigned workers) : m_workers(workers) {}

  /// Some are registered, and not called yet. With the lock of the list to which a task has just been pushed.
  // [I1] relaxed: the two turns at the list's lock order this after the store in enter() of a worker that has looked
  // into the list in vain; see above.
  [[nodiscard]] bool any() const { return m_uncalled.load(std::memory_order_relaxed) != 0; }
  /// Calls one of these, if there are any.
  void call_one() {
    if (!any()) return;
    change_uncalled(-1);
    ++m_calls;
    m_called.wake_one();
  }

  /// Registers a worker, which looks once more and then says sleep() or leave().
  void enter() {
    ++m_inside;
    change_uncalled(1);
  }
  /// Back to work. A call stays for another one: what it was made for is not what this worker has found.
  void leave() {
    --m_inside;
    if (any()) {
      change_uncalled(-1);
    } else {
      --m_calls;
    }
  }
  /// Returns when there is a call, or when all is over.
  void sleep(mutex& held) {
    while (m_calls == 0 && !m_over) m_called.wait(held);
    --m_inside;
    if (m_calls != 0) {
      --m_calls;
    } else {
      change_uncalled(-1);
    }
  }

  [[nodiscard]] bool all_inside() const { return m_inside == m_workers; }
  [[nodiscard]] bool over() const { return m_over; }
  void end() {
    m_over = true;
    m_called.wake_all();
  }

 private:
  // [I1]; no read-modify-write: the pool's lock keeps other writers out.
  void change_uncalled(int by) {
    m_uncalled.store(m_uncalled.load(std::memory_order_relaxed) + static_cast<unsigned>(by), std::memory_order_relaxed);
  }

  condition m_called;
  atomic<unsigned> m_uncalled{0};  // registered = uncalled + calls
  unsigned m_calls = 0;
  unsigned m_inside = 0;
  unsigned m_workers;
  bool m_over = false;
};

/// The door for threads that are no workers of a pool and wait for its tasks: the pool may end meanwhile, and its locks
/// with it. One for all pools, since it must outlive them. A thread that finds a task unfinished at the gate finds the
/// pool there too: the pool passes the gate after its last task.
class gate {
 public:
  static mutex& lock();
  /// With the lock, having seen a task of this ending unfinished.
  static void enter(ending& at) { ++at.guests; }
  static void leave(ending& at);
  /// Sleeps until nobody is in there. No task of this ending is unfinished any more.
  static void wait_until_empty(ending& at);
};

}  // namespace bench::locked
