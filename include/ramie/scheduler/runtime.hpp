// A set of workers and the fibers that run on them.
#pragma once

#include <ramie/base/dynamic_array.hpp>
#include <ramie/base/error.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/scheduler/call_item.hpp>
#include <ramie/scheduler/options.hpp>
#include <ramie/scheduler/statistics.hpp>
#include <ramie/scheduler/task.hpp>
#include <ramie/scheduler/waiter_bundle.hpp>
#include <ramie/stack/config.hpp>

#include <cstddef>

namespace ramie {

namespace detail {
class scheduler;
}

/// Any number may exist in a process, one after another or at once; each can be started and stopped any number of
/// times. Must not be destroyed before the handles of its fibers.
class runtime {
 public:
  /// Checks the options and makes the workers; starts no thread. Throws bad_option, std::bad_alloc, spawn_error.
  explicit runtime(const options& chosen = {});
  /// As stop(). Tasks that were spawned and never ran, because nothing was started, are dropped. Ends the process, with
  /// a sentence, if handles of its fibers are left, or if one of its fibers calls it. But exit() that a fiber or a task
  /// of a pool has called waits for no runtime that is running: each is left as it is, and the process ends.
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Spawns a fiber from any thread, a fiber of this runtime or another, before or after start(). Throws
  /// std::bad_alloc, bad_option. About 15 ns from a fiber of this runtime; through a lock from elsewhere.
  /// Returns a join_handle<Result>; see spawn.hpp, where it is defined.
  template <class Function>
  auto spawn(Function&& function);
  template <class Function>
  auto spawn(const spawn_options& how, Function&& function);

  // start(), stop() and run() are called by one thread at a time, and not by a fiber. In a child made by fork() a
  // runtime that was running is the parent's: start() and run() throw misuse, stop() and the destructor leave its
  // fibers alone.

  /// Runs everything that was spawned, on the calling thread and workers - 1 more, until no fiber is left. Not from a
  /// fiber. Throws std::system_error if a thread cannot be started; nothing has run then.
  void run();

  /// Starts all workers on threads of their own and returns. Throws std::system_error as run().
  void start();
  /// Waits until no fiber is left, those spawned meanwhile included, and so for all that they wait for, deadlines too;
  /// then ends the threads. A program that goes on spawning from outside keeps it waiting. Not from a fiber of this
  /// runtime: throws misuse.
  void stop();

  /// Whether this process runs it: from start() to stop(), or while run() runs. Any thread; a guess by the time it is
  /// read, unless the caller starts and stops the runtime.
  [[nodiscard]] bool is_running() const;

  [[nodiscard]] unsigned worker_count() const;
  /// One element a worker, which can be moved and not copied. Any thread, at any time. Throws std::bad_alloc.
  [[nodiscard]] detail::dynamic_array<worker_statistics> statistics() const;
  /// How stacks of the default size are guarded.
  [[nodiscard]] stack::guard_kind stack_guards() const;
  /// Stacks of the default size: in use or kept for reuse, and the address space they lie in.
  [[nodiscard]] stack::usage stack_usage() const;

  // ---- For the library ----

  /// Memory for a task or a call.
  [[nodiscard]] void* allocate_task(std::size_t size);
  void free_task_memory(void* memory, std::size_t size) noexcept;
  /// Destroys the task and frees its memory. Ends the process if it holds an exception that nobody took.
  void free_task(task& finished) noexcept;
  /// Queues a task; throws, and has not queued it, on bad options or without memory.
  void submit(task& spawned, const spawn_options& how);
  void submit(task& spawned);
  /// The same for a call.
  void submit(detail::call_item& fresh);
  void submit_without_memory(detail::call_item& fresh) noexcept;
  /// This process is a child, made by fork(), of the process that runs it: none of the runtime's threads exists here.
  [[nodiscard]] bool inherited_by_fork() const;
  [[nodiscard]] observer* events() const { return m_events; }
  [[nodiscard]] detail::scheduler& shared() const { return *m_shared; }

 private:
  detail::scheduler* m_shared;  // owned
  observer* m_events;
};

extern "C" const char RAMIE_LIBRARY_NAME;

namespace detail {
[[gnu::used]] inline const char* const linked_library = &RAMIE_LIBRARY_NAME;  // see base/config.hpp

/// Throws misuse: `call` would wait for `what`, or hand it work, in a child made by fork().
[[noreturn]] void fail_in_forked_child(const char* call, const char* what);

/// Where spawn() goes on a thread that runs no fiber: see scheduler_init().
extern constinit native_provider::atomic<runtime*> process_runtime;
}  // namespace detail

}  // namespace ramie
