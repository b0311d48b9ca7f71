// The thread pool of threadpool.h.
#pragma once

#include <ramie/c/threadpool_options.h>
#include <ramie/queue/injector.hpp>
#include <ramie/scheduler/start_signal.hpp>
#include <ramie/scheduler/termination.hpp>
#include <ramie/scheduler/worker_cpus.hpp>

#include "c/pool/worker.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/// The type that C has pointers to; each is a pool.
struct thread_pool {};

namespace ramie::pool {

/// thread_pool_options::spin_ns of programs that leave it to the pool.
inline constexpr std::int64_t usual_spin = -1;
/// How long its workers look for tasks before they sleep. Throws std::bad_alloc.
[[nodiscard]] std::chrono::nanoseconds patience_of(const thread_pool_options& chosen);

class pool final : public ::thread_pool {
 public:
  /// Throws std::bad_alloc.
  explicit pool(const thread_pool_options& chosen);

  /// 0, or the number of the error; nothing has run then.
  [[nodiscard]] int start();
  /// When all that was submitted has ended, all threads have.
  void stop();

  /// From a thread that is no worker of this pool.
  void submit_from_outside(task_future& made);

  // ---- For the workers ----

  [[nodiscard]] worker& worker_at(unsigned index) { return *m_workers[index]; }
  [[nodiscard]] unsigned worker_count() const { return static_cast<unsigned>(m_workers.size()); }
  [[nodiscard]] detail::sleep_gate<>& gate() { return m_gate; }
  /// Wakes a worker that sleeps, if any: true if it did.
  bool notify() {
    return m_gate.notify([this](unsigned chosen) { m_workers[chosen]->interrupt(); });
  }
  /// The calling worker's, as those of worker_cpus. A pinned one stays where it is.
  void arrive(unsigned index) noexcept {
    if (m_cpus.empty()) m_places.arrive(index);
  }
  void note_cpu(unsigned index) noexcept { m_places.note_cpu(index); }
  void leave(unsigned index) noexcept { m_places.leave(index); }
  /// Null: none is there, for now.
  [[nodiscard]] task_future* take_from_outside();
  [[nodiscard]] bool has_visible_work() const;
  void finish_if_drained();
  [[nodiscard]] bool finished() const { return m_termination.finished(); }

 private:
  static void* run_when_started(void* argument);
  void wake_everyone() noexcept;

  std::vector<unsigned> m_cpus;  // empty: workers are not pinned
  std::vector<std::unique_ptr<worker>> m_workers;
  std::vector<native_provider::thread> m_threads;
  detail::start_signal<> m_start_signal;
  detail::worker_cpus m_places;
  detail::sleep_gate<> m_gate;
  queue::injector<task_future> m_from_outside;
  alignas(cache_line_size) detail::termination<> m_termination;
};

}  // namespace ramie::pool
