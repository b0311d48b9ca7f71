// How parallel a program is: the work T1 and the span T∞ of what ran, measured while it ran, on any number of workers.
//
// After He, Leiserson and Leiserson, "The Cilkview scalability analyzer" (SPAA 2010), which needs an instrumented
// program; here the scheduler's hooks suffice. A strand is what a fiber does between two hooks. Each fiber carries the
// length of the longest chain of strands that leads to where it is; a spawn hands it to the child, a signal (the end of
// a fiber, a counter's decrement) leaves it with the object, and the fiber that goes on because of the object takes the
// longer of the two.
#pragma once

#include <ramie/base/cache_line.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/base/time.hpp>
#include <ramie/scheduler/observer.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace ramie {

/// The result of work_span, in CPU time of the strands: waiting inside a system call is no work, and a thread that is
/// taken off its CPU does no harm, so any number of workers will do.
struct work_span_result {
  std::chrono::nanoseconds work{};  ///< T1: all strands
  std::chrono::nanoseconds span{};  ///< T∞: the longest chain of strands, each of which had to wait for the last
  std::chrono::nanoseconds burdened_span{};  ///< the longest chain if every spawn and every signal costs the burden
  std::chrono::nanoseconds burden{};         ///< that cost
  std::uint64_t fibers = 0;                  ///< that ended
  std::uint64_t strands = 0;

  /// T1 / T∞: more workers than this cannot help. 0 if nothing ran.
  [[nodiscard]] double parallelism() const;
  /// The speed-up that T1/P + T∞ allows on P workers: the time that work stealing is expected to take, after Blumofe
  /// and Leiserson, who prove T1/P + O(T∞). A serial program comes out below 1.
  [[nodiscard]] double allowed(unsigned workers) const;
  /// The same with the burdened span: what to expect where tasks are so small that moving them counts.
  [[nodiscard]] double burdened(unsigned workers) const;
};

/// An observer for one runtime: `options.events = &it`, run, and ask for the result when nothing runs. About 1 µs a
/// hook, which is not counted as work; strands are measured to some 50 ns, so a fiber shorter than a microsecond comes
/// out coarsely.
///
/// Some things it cannot see. A fiber spawned by a thread outside the runtime begins a chain of its own, though that
/// thread may have waited for something first. A counter keeps the longest of all its signals: a waiter for a target
/// above zero may be charged with a signal that it did not need. Where several wait for one counter and the first to go
/// on destroys it, the others' chains do not pass through it. So spawn and wait in fibers, and give each phase its own
/// counter.
///
/// Memory: some 100 bytes a living fiber or counter. Where there is none left, std::terminate.
///
///     ramie::work_span profile;
///     ramie::run({.events = &profile}, program);
///     std::fputs(ramie::to_text(profile.result()).c_str(), stderr);
class work_span : public observer {
 public:
  /// The cost of a task that moves to another worker: Cilkview's 15,000 instructions.
  static constexpr std::chrono::nanoseconds default_burden{5'000};
  using clock = std::chrono::nanoseconds (*)();
  /// Algorithms that divide by the number of workers do it for so many, whatever the runtime has.
  static constexpr unsigned many_workers = 64;

  /// Passes every hook on to `also`. The clock, read on the strand's own thread, is that thread's CPU time unless
  /// another is given.
  explicit work_span(observer* also = nullptr, std::chrono::nanoseconds burden = default_burden, clock now = nullptr);

  /// Any thread; whole when no fiber runs.
  [[nodiscard]] work_span_result result() const;
  /// Forgets everything, for the next run. Any thread, while no fiber runs.
  void reset();

  void spawned(std::uint64_t fiber, std::uint64_t parent) noexcept override;
  void started(std::uint64_t fiber, unsigned worker) noexcept override;
  void suspended(std::uint64_t fiber, unsigned worker) noexcept override;
  void resumed(std::uint64_t fiber, unsigned worker) noexcept override;
  void woken(std::uint64_t fiber, std::uint64_t waker) noexcept override;
  void finished(std::uint64_t fiber, unsigned worker) noexcept override;
  void signalled(const void* object, std::uint64_t fiber) noexcept override;
  void received(const void* object, std::uint64_t fiber) noexcept override;
  void destroyed(const void* object) noexcept override;
  void stole(unsigned thief, unsigned victim, std::size_t items) noexcept override;
  void worker_sleeps(unsigned worker) noexcept override;
  void worker_wakes(unsigned worker) noexcept override;
  [[nodiscard]] unsigned divides_for() const noexcept override { return many_workers; }

 private:
  /// The longest chain so far, without and with burdens.
  struct chain {
    std::chrono::nanoseconds plain{};
    std::chrono::nanoseconds burdened{};
    void lengthen(std::chrono::nanoseconds by);
    void take_longer(const chain& other);
  };
  static constexpr std::chrono::nanoseconds not_running = std::chrono::nanoseconds::min();
  struct strand {
    chain before;
    std::chrono::nanoseconds began = not_running;  // a fiber that got no stack never runs
  };
  // Fibers and objects are spread over many locks, so that workers seldom meet.
  struct alignas(cache_line_size) shard {
    mutable futex_lock<> lock;
    std::unordered_map<std::uint64_t, strand> fibers;
    std::unordered_map<const void*, chain> objects;
    std::chrono::nanoseconds work{};
    chain longest;
    std::uint64_t ended = 0;
    std::uint64_t strands = 0;
    strand* find(std::uint64_t fiber);
  };
  static constexpr std::size_t shard_count = 64;

  shard& shard_of(std::uint64_t fiber) { return m_shards[fiber % shard_count]; }
  shard& shard_of(const void* object);
  void end_strand(shard& where, strand& running, std::chrono::nanoseconds now) const;
  void begin_strand(std::uint64_t fiber);

  observer* const m_also;
  const std::chrono::nanoseconds m_burden;
  const clock m_now;
  std::chrono::nanoseconds m_clock_cost{};  // the difference of two readings in a row
  std::array<shard, shard_count> m_shards;
};

/// A table of the result: work, span, and the speed-ups that they allow on 2 … 1024 workers.
[[nodiscard]] std::string to_text(const work_span_result& measured);
/// The same as a page of its own, with the plot.
[[nodiscard]] std::string to_html(const work_span_result& measured, const std::string& title);

}  // namespace ramie
