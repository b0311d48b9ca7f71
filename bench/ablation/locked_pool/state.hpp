// A locked pool and its workers, as far as they do not depend on how futures are laid out.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <pthread.h>
#include <vector>

#include "ablation/locked_pool/parts.hpp"

namespace bench::locked {

/// Memory of freed futures, all of one size, that a worker keeps instead of giving it back. The worker's own.
class spare_futures {
 public:
  ~spare_futures() {
    while (m_first != nullptr) std::free(pop());
  }
  void keep_some() { m_most = 1024; }

  [[nodiscard]] void* take(std::size_t bytes) { return m_first != nullptr ? pop() : std::malloc(bytes); }
  void put(void* memory) {
    // Memory that others have allocated may end up here, so there is a limit.
    if (m_kept == m_most) return std::free(memory);
    m_first = new (memory) free_one{m_first};
    ++m_kept;
  }

 private:
  struct free_one {
    free_one* next;
  };
  void* pop() {
    free_one* const out = m_first;
    m_first = out->next;
    --m_kept;
    return out;
  }

  free_one* m_first = nullptr;
  unsigned m_kept = 0;
  unsigned m_most = 0;
};

struct worker_state {
  task_list tasks;
  ending end;
  spare_futures spare;
  pthread_t thread{};
};

/// One piece of memory: the pool, and behind it its workers, a `stride` from one to the next.
struct pool_shape {
  static constexpr std::size_t least_alignment = alignof(std::max_align_t);
  std::size_t alignment;
  std::size_t workers;  ///< where the first one is
  std::size_t stride;
  std::size_t bytes;
};
/// With padding, each worker has cache lines of its own; without, they lie as in an array.
[[nodiscard]] pool_shape shape_of(const locked_pool_options& chosen, std::size_t pool, std::size_t worker);
/// Null, and errno says why. For std::free.
[[nodiscard]] void* memory_for(const pool_shape& shape);

/// The worker that the calling thread is, and of which kind of pool. (A task stays on its kernel thread, so this needs
/// none of the care that fibers' thread-locals do.)
struct holder {
  const engine_functions* of;
  void* worker;
};
[[gnu::tls_model("initial-exec")]] inline constinit thread_local holder this_thread{nullptr, nullptr};

class pool_state : public ::locked_pool {
 protected:
  pool_state(const engine_functions& of, const locked_pool_options& chosen, const pool_shape& shape);

  [[nodiscard]] void* place_of(int worker) { return place_of(static_cast<std::size_t>(worker)); }
  [[nodiscard]] void* place_of(unsigned worker) { return place_of(std::size_t{worker}); }
  [[nodiscard]] bool contains(const void* address) const;

  /// False, and errno says why: then none runs.
  [[nodiscard]] bool start_workers(void* (*main)(void*));
  /// Returns when all tasks have run, the threads have ended, and no guest is left.
  void finish_workers();
  /// The calling worker to its CPU, if that is wanted.
  void pin(std::size_t worker) const;

  /// By a thread that is no worker.
  void push_from_outside(listed& added);
  /// By a worker whose list is empty and that has found nothing. False: all is over.
  [[nodiscard]] bool sleep(int worker);

  void call_worker();

  const locked_pool_options m_chosen;
  task_list m_tasks;  // what comes from outside; its lock is the pool's
  ending m_end;
  idle_workers m_idle;

 private:
  [[nodiscard]] void* place_of(std::size_t worker) {
    return reinterpret_cast<char*>(this) + m_shape.workers + worker * m_shape.stride;
  }
  [[nodiscard]] worker_state& state_of(int worker) { return *static_cast<worker_state*>(place_of(worker)); }
  [[nodiscard]] bool others_have_tasks(int worker);
  void end_if_idle();
  void join(int workers);

  const pool_shape m_shape;
  bool m_shutting_down = false;  // guarded by the pool's lock
  std::vector<unsigned> m_cpus;  // empty: workers stay where the kernel puts them
};

}  // namespace bench::locked
