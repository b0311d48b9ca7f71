// How the end of a task reaches who waits for it, in the locked pool. The lock and the condition belong to the list
// in which the task was queued; a status for futexes needs neither. See parts.hpp for why no wake-up is
// lost.
#pragma once

#include <type_traits>

#include "ablation/locked_pool/future.hpp"

namespace bench::locked {

template <class Task>
inline constexpr bool has_home = std::is_base_of_v<with_home, Task>;

/// By the worker that ran it. True: nobody wants it. Otherwise it is another thread's from now on, and may be gone.
template <class Task>
[[nodiscard]] bool finish(Task& f, bool fewer_locks) {
  if constexpr (!has_home<Task>) {
    return f.finish();
  } else {
    // The pool's, which is there as long as its workers are.
    task_list& home = *f.home;
    ending& end = *f.end;
    if (!fewer_locks) {
      const hold its(home.lock);
      const bool unwanted = f.finish_locked();
      end.reached.wake_all();
      return unwanted;
    }
    const bool unwanted = f.finish();
    // [E4] seq_cst: after [E2]; see [E5].
    if (end.waiting.load() != 0) {
      const hold its(home.lock);
      end.reached.wake_all();
    }
    return unwanted;
  }
}

/// Sleeps until it has finished, or `called` is set. In a worker of its pool, or as a guest.
template <class Task>
void wait(Task& f, const atomic<bool>& called) {
  if constexpr (!has_home<Task>) {
    f.wait(called);
  } else {
    task_list& home = *f.home;
    ending& end = *f.end;
    const hold its(home.lock);
    // [E5] seq_cst, both: with [E2] and [E4] one of the two sides sees the other. Either this thread sees that the task
    // has finished, or the finisher sees this thread, and wakes it under the lock, which is free once it sleeps.
    end.waiting.fetch_add(1);
    // Relaxed: the caller sets `called` before a turn at this lock, and wakes in that turn.
    while (!f.finished(std::memory_order_seq_cst) && !called.load(std::memory_order_relaxed)) {
      end.reached.wait(home.lock);
    }
    end.waiting.fetch_sub(1);
  }
}

/// By a thread that is no worker of its pool.
template <class Task>
void wait_outside(Task& f) {
  const atomic<bool> never{false};
  if constexpr (!has_home<Task>) {
    f.wait(never);
  } else {
    {
      const hold at_gate(gate::lock());
      if (f.finished()) return;
      gate::enter(*f.end);
    }
    ending& end = *f.end;
    wait(f, never);
    gate::leave(end);
  }
}

/// A worker's look, as the source has it.
template <class Task>
[[nodiscard]] bool finished_by_lock(const Task& f) {
  if constexpr (!has_home<Task>) {
    return f.finished();
  } else {
    const hold its(f.home->lock);
    return f.finished();
  }
}

/// Nobody wants the result. False: too late, it has finished.
template <class Task>
[[nodiscard]] bool abandon(Task& f) {
  if constexpr (!has_home<Task>) {
    return f.abandon();
  } else {
    const hold at_gate(gate::lock());  // keeps the pool, as a guest does
    if (f.finished()) return false;
    const hold its(f.home->lock);
    return f.abandon();
  }
}

/// Wakes the workers that follow the owner of this list, which has just pushed a task. By the owner.
template <class Task>
void call_followers(task_list& own) {
  for (;;) {
    task_list* home = nullptr;
    ending* end = nullptr;
    {
      const hold mine(own.lock);
      follower* const next = own.take_follower();
      if (next == nullptr) return;
      // It does not leave the future before it has had this lock.
      auto& f = static_cast<Task&>(next->awaited);
      // Relaxed: read under the lock that is taken next, or after the word that call() changes, [E6].
      next->called.store(true, std::memory_order_relaxed);
      if constexpr (has_home<Task>) {
        home = f.home;
        end = f.end;
      } else {
        f.call();
        continue;
      }
    }
    const hold its(home->lock);
    end->reached.wake_all();
  }
}

}  // namespace bench::locked
