// An idle driver that completes operations, as a ring of the kernel would: threads of the test are the kernel.
#pragma once

#include <ramie/base/futex_lock.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/scheduler/idle_driver.hpp>
#include <ramie/scheduler/this_fiber.hpp>
#include <ramie/sync/counter.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace ramie::test {

class test_ring;

/// The rings of one runtime. Outlives it.
struct ring_group final : idle_driver_factory {
  // The faults, and the work done.
  std::atomic<int> wrong_thread{0};
  std::atomic<int> attached{0}, detached{0}, polls{0}, naps_or_sleeps{0}, interrupts{0}, own_interrupts{0};
  std::atomic<int> reaped_by_others{0}, reaped{0};
  std::atomic<int> attaches_left{1'000'000};  // from then on attach() throws
  std::size_t stack_of_reap = 0;              // bytes that reap() takes, as users' callbacks might

  std::vector<test_ring*> rings;  // as they were made
  native_provider::atomic<test_ring*> watcher{nullptr};

  [[nodiscard]] bool any_completions() const;
  [[nodiscard]] std::unique_ptr<idle_driver> make() override;
};

/// An operation that a fiber waits for.
struct operation {
  counter done{1};
  test_ring* on = nullptr;  // where it was submitted
  std::thread::id reaped_by;
};

class test_ring final : public idle_driver {
 public:
  static constexpr driver_kind kind{"test ring"};

  explicit test_ring(ring_group& of) : idle_driver(&kind), m_group(of), m_index(of.rings.size()) {
    of.rings.push_back(this);
  }

  // ---- A fiber on its worker ----

  void submit(operation& fresh) {
    require_thread();
    fresh.on = this;
  }

  // ---- The kernel: any thread ----

  void complete(operation& done) { complete(std::vector{&done}); }
  /// All of them before anybody is told.
  void complete(const std::vector<operation*>& done) {
    {
      const std::lock_guard guard(m_lock);
      m_completed.insert(m_completed.end(), done.begin(), done.end());
      m_count.store(m_completed.size(), std::memory_order_release);
    }
    m_bell.interrupt();
    native_provider::fence_seq_cst();  // pairs with that between watch(true) and the last look before the sleep
    if (test_ring* const watching = m_group.watcher.load(); watching != nullptr && watching != this)
      watching->m_bell.interrupt();
  }

  // ---- As idle_driver says ----

  void attach(worker& to) override {
    if (m_group.attaches_left.fetch_sub(1) <= 0) throw std::runtime_error("no ring");
    if (m_thread != std::thread::id()) ++m_group.wrong_thread;
    m_worker.store(&to);
    m_thread = std::this_thread::get_id();
    ++m_group.attached;
  }
  void detach() noexcept override {
    require_thread();
    m_thread = {};
    ++m_group.detached;
  }
  bool poll() noexcept override {
    require_thread();
    ++m_group.polls;
    return false;
  }
  [[nodiscard]] bool wants_poll() const noexcept override { return has_completions(); }
  void wait(std::optional<std::chrono::steady_clock::time_point> deadline) noexcept override {
    require_thread();
    ++m_group.naps_or_sleeps;
    const auto over = [&] {
      return m_interrupted.exchange(0) != 0 || has_completions() || (m_watches && m_group.any_completions()) ||
             (deadline && native_provider::now() >= *deadline);
    };
    asleep = true;
    while (!over()) m_bell.wait(deadline);  // which may have been rung for what is done already
    asleep = false;
  }
  void watch(bool others) noexcept override {
    require_thread();
    m_watches = others;
    test_ring* const before = m_group.watcher.exchange(others ? this : nullptr);
    if (before != (others ? nullptr : this)) ++m_group.wrong_thread;  // two at once
  }
  [[nodiscard]] bool can_be_reaped() const noexcept override { return true; }
  [[nodiscard]] bool has_completions() const noexcept override { return m_count.load(std::memory_order_acquire) != 0; }
  bool reap() noexcept override {
    take_stack(m_group.stack_of_reap);
    if (m_reaping.exchange(true)) ++m_group.wrong_thread;
    std::vector<operation*> completed;
    {
      const std::lock_guard guard(m_lock);
      completed.swap(m_completed);
      m_count.store(0, std::memory_order_release);
    }
    const worker* const here = worker::current();
    if (here == nullptr || here->current_fiber() != nullptr) ++m_group.wrong_thread;  // on the loop
    m_group.reaped += static_cast<int>(completed.size());
    if (here != m_worker.load()) m_group.reaped_by_others += static_cast<int>(completed.size());
    m_reaping = false;
    for (operation* const each : completed) {
      each->reaped_by = std::this_thread::get_id();
      each->done.decrement();
    }
    return !completed.empty();
  }
  void interrupt() noexcept override {
    ++m_group.interrupts;
    if (worker::current() != nullptr && worker::current() == m_worker.load()) ++m_group.own_interrupts;
    m_interrupted.exchange(1);
    m_bell.interrupt();
  }

  [[nodiscard]] std::size_t index() const { return m_index; }

  std::atomic<bool> asleep{false};

 private:
  void require_thread() const {
    if (m_thread != std::this_thread::get_id()) ++m_group.wrong_thread;
  }
  [[gnu::noinline]] static void take_stack(std::size_t bytes) {
    auto* const frame = static_cast<volatile char*>(__builtin_alloca(bytes + 1));
    for (std::size_t i = 0; i <= bytes; i += 1024) frame[i] = 1;
  }

  ring_group& m_group;
  const std::size_t m_index;
  native_provider::atomic<worker*> m_worker{nullptr};  // interrupt() reads it at any time
  std::thread::id m_thread;                            // to which it is attached
  bool m_watches = false;
  std::atomic<bool> m_reaping{false};
  native_provider::atomic<std::size_t> m_count{0};
  native_provider::atomic<int> m_interrupted{0};
  futex_idle_driver<> m_bell;
  futex_lock<> m_lock;
  std::vector<operation*> m_completed;  // under the lock
};

inline std::unique_ptr<idle_driver> ring_group::make() { return std::make_unique<test_ring>(*this); }

inline bool ring_group::any_completions() const {
  for (const test_ring* const each : rings) {
    if (each->has_completions()) return true;
  }
  return false;
}

/// Submits to the ring of the calling fiber's worker, and waits until the kernel has completed it. `to_kernel` gets
/// the operation.
template <class ToKernel>
void perform(operation& mine, ToKernel&& to_kernel) {
  this_fiber::driver<test_ring>()->submit(mine);
  to_kernel(mine);
  wait_for_counter(mine.done);
}

}  // namespace ramie::test
