// The locked pool, once for each of the switches that change what things look like; the others are asked at run time.
#pragma once

#include <ramie/base/exit_watch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "ablation/locked_pool/end.hpp"
#include "ablation/locked_pool/future.hpp"
#include "ablation/locked_pool/state.hpp"

namespace bench::locked {

template <layout Layout, bool ConstFields, bool UnsignedIds>
class pool_with : public pool_state {
  using id = std::conditional_t<UnsignedIds, unsigned, int>;
  template <class T>
  using field = std::conditional_t<ConstFields, const T, T>;
  using task = task_future<Layout, id>;
  static constexpr bool has_pool = Layout != LOCKED_FUTURE_WITHOUT_POOL;

  struct worker : worker_state {
    worker(pool_with* of, id which) : pool(of), number(which) {}
    field<pool_with*> pool;
    field<id> number;
  };

  explicit pool_with(const locked_pool_options& chosen, const pool_shape& shape)
      : pool_state(functions, chosen, shape) {
    for (int i = 0; i < chosen.nthreads; ++i) new (place_of(i)) worker(this, static_cast<id>(i));
  }
  ~pool_with() {
    for (int i = 0; i < m_chosen.nthreads; ++i) worker_at(static_cast<id>(i)).~worker();
  }

 public:
  static ::locked_pool* make(const locked_pool_options& chosen) {
    const pool_shape shape = shape_of(chosen, sizeof(pool_with), sizeof(worker));
    static_assert(alignof(worker) <= pool_shape::least_alignment);
    void* const memory = memory_for(shape);
    if (memory == nullptr) return nullptr;
    auto* const made = new (memory) pool_with(chosen, shape);
    if (made->start_workers(&worker_main)) return made;
    made->~pool_with();
    std::free(memory);
    return nullptr;
  }

  static void destroy(::locked_pool& ended) {
    auto& pool = static_cast<pool_with&>(ended);
    if (of_this_thread(pool) != nullptr) fail_destroyed_by_task();
    pool.finish_workers();
    pool.~pool_with();
    std::free(&pool);
  }

  static locked_future* submit(::locked_pool& to, locked_pool_task_t what, void* data) {
    auto& pool = static_cast<pool_with&>(to);
    worker* const me = of_this_thread(pool);
    void* const memory = me != nullptr ? me->spare.take(sizeof(task)) : std::malloc(sizeof(task));
    if (memory == nullptr) return nullptr;
    if (me == nullptr) {
      auto* const made = new (memory)
          task(functions, what, data, &pool, &pool.m_tasks, &pool.m_end, static_cast<id>(pool.m_chosen.nthreads));
      pool.push_from_outside(*made);
      return made;
    }
    auto* const made = new (memory) task(functions, what, data, &pool, &me->tasks, &me->end, me->number);
    // The source does not even queue it, and leaves it to future_get: a task that nobody asks for would never run.
    if (const unsigned most = pool.m_chosen.push_limit; most != 0 && me->tasks.count() >= most) {
      made->begin(me->number);
      run(*made, *me);
    } else {
      pool.push(*made, *me);
    }
    return made;
  }

  static void* get(locked_future& awaited) {
    auto& f = static_cast<task&>(awaited);
    // Before any pointer of it is followed: where it has finished, its pool may be gone.
    if (f.finished()) return f.result();
    if (worker* const me = of_this_thread(); me != nullptr && me->pool->has(f)) {
      if (me->pool->claim(f, *me)) {
        run(f, *me);
      } else {
        help_thief_of(f, *me);
      }
    } else {
      wait_outside(f);
    }
    return f.result();
  }

  static void free(locked_future& unwanted) {
    auto& f = static_cast<task&>(unwanted);
    if (f.finished() || !abandon(f)) reclaim(f);
  }

  static constexpr engine_functions functions{make, destroy, submit, get, free};

 private:
  [[nodiscard]] worker& worker_at(id number) { return *static_cast<worker*>(place_of(number)); }
  /// Null: it is none of such a pool.
  [[nodiscard]] static worker* of_this_thread() {
    const holder held = this_thread;
    return held.of == &functions ? static_cast<worker*>(held.worker) : nullptr;
  }
  /// Null: it is none of this pool's.
  [[nodiscard]] static worker* of_this_thread(const pool_with& pool) {
    worker* const me = of_this_thread();
    return me != nullptr && me->pool == &pool ? me : nullptr;
  }
  /// Of a task that has not finished, so that its pointers are good. Without a pool in it, its list tells.
  [[nodiscard]] bool has(const task& f) const {
    if constexpr (has_pool) return f.pool == this;
    if constexpr (!has_pool) return contains(f.home);
  }
  [[nodiscard]] task_list& list_at(id number) {
    return static_cast<int>(number) == m_chosen.nthreads ? m_tasks : worker_at(number).tasks;
  }

  void push(task& added, worker& own) {
    bool some_sleep = false;
    bool followed = false;
    {
      const hold mine(own.tasks.lock);
      own.tasks.push(added);
      some_sleep = m_idle.any();
      followed = own.tasks.has_followers();
    }
    if (some_sleep) call_worker();
    if (followed) [[unlikely]]
      call_followers<task>(own.tasks);
  }
  /// The source's hundred, of which each looks into all lists. It has 32 workers; with thousands all these looks take
  /// minutes.
  [[nodiscard]] static unsigned delayed_looks(int workers) {
    return static_cast<unsigned>(std::clamp(100 * 64 / workers, 1, 100));
  }
  static void* worker_main(void* given) noexcept {
    worker& me = *static_cast<worker*>(given);
    const ramie::detail::exit_watch exits;
    this_thread = {&functions, &me};
    pool_with& pool = *me.pool;
    pool.pin(static_cast<std::size_t>(me.number));
    const unsigned patience = pool.m_chosen.delayed_sleep ? delayed_looks(pool.m_chosen.nthreads) : 1;
    for (unsigned vain = 0;;) {
      if (task* const found = pool.find_task(me)) {
        run(*found, me);
        vain = 0;
      } else if (++vain >= patience) {
        if (!pool.sleep(static_cast<int>(me.number))) return nullptr;
        vain = 0;
      }
    }
  }

  [[nodiscard]] task* find_task(worker& me) {
    {
      const hold mine(me.tasks.lock);
      if (listed* const newest = me.tasks.pop_newest()) return begun(newest, me);
    }
    if (task* const submitted = steal(m_tasks, me)) return submitted;
    const auto workers = static_cast<id>(m_chosen.nthreads);
    for (id victim = me.number + 1; victim < workers; ++victim) {
      if (task* const stolen = steal(worker_at(victim).tasks, me)) return stolen;
    }
    for (id victim = 0; victim < me.number; ++victim) {
      if (task* const stolen = steal(worker_at(victim).tasks, me)) return stolen;
    }
    return nullptr;
  }
  [[nodiscard]] static task* steal(task_list& from, worker& me) {
    const hold its(from.lock);
    listed* const oldest = from.pop_oldest();
    return oldest == nullptr ? nullptr : begun(oldest, me);
  }
  /// With the lock of the list that it has just left.
  [[nodiscard]] static task* begun(listed* out, worker& me) {
    auto* const f = static_cast<task*>(out);
    f->begin(me.number);
    return f;
  }
  /// Takes it out of its list, if nobody has begun it.
  [[nodiscard]] bool claim(task& f, worker& me) {
    task_list* home = nullptr;
    if constexpr (has_home<task>) {
      home = f.home;
    } else {
      id number{};
      if (!f.queued(number)) return false;
      home = &list_at(number);
    }
    const hold its(home->lock);
    if (f.begun()) return false;
    home->remove(f);
    f.begin(me.number);
    return true;
  }

  static void run(task& f, worker& me) noexcept {
    f.set_result(call(f.task, me.pool, f.data()));
    if (finish(f, me.pool->m_chosen.fewer_locks)) reclaim(f);
  }
  /// Works for the thief until it has finished f. The source goes on looking for ever, on a CPU that the thief may
  /// want; here a worker sleeps when it has found nothing some hundred times in a row, about 30 us.
  static void help_thief_of(task& f, worker& me) {
    constexpr unsigned most_in_vain = 500;
    const bool locked = !me.pool->m_chosen.unsafe_reads;
    for (unsigned vain = 0;; ++vain) {
      if (locked ? finished_by_lock(f) : f.finished()) return;
      // Some layouts forget the thief at the end.
      if (f.thief() == me.number && !f.finished()) fail_waits_for_below();
      task_list& of_thief = me.pool->worker_at(f.thief()).tasks;
      if (task* const stolen = steal(of_thief, me)) {
        run(*stolen, me);
        vain = 0;
      } else if (vain >= most_in_vain) {
        follow(of_thief, f);
        vain = 0;
      }
    }
  }
  /// Sleeps until f has finished or there is something in the list of the worker that runs it.
  static void follow(task_list& of_thief, task& f) {
    follower mine(f);
    {
      const hold its(of_thief.lock);
      if (!of_thief.empty()) return;
      of_thief.add(mine);
    }
    wait(f, mine.called);
    const hold its(of_thief.lock);
    of_thief.drop(mine);
  }
  /// By the last thread that knows it.
  static void reclaim(task& f) {
    f.~task();
    if (worker* const me = of_this_thread(); me != nullptr) return me->spare.put(&f);
    std::free(&f);
  }
};

}  // namespace bench::locked
