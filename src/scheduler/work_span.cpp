#include <ramie/scheduler/work_span.hpp>

#include <algorithm>
#include <bit>
#include <mutex>
#include <time.h>

namespace ramie {
namespace {

// A strand never leaves its thread, so the thread's own CPU time measures it; being taken off the CPU does not count.
std::chrono::nanoseconds thread_cpu_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

double speed_up(std::chrono::nanoseconds work, std::chrono::nanoseconds span, unsigned workers) {
  if (work.count() <= 0) return 0;
  const auto t1 = static_cast<double>(work.count());
  return t1 / (t1 / workers + static_cast<double>(span.count()));
}

}  // namespace

double work_span_result::parallelism() const {
  return span.count() <= 0 ? 0 : static_cast<double>(work.count()) / static_cast<double>(span.count());
}
double work_span_result::allowed(unsigned workers) const { return speed_up(work, span, workers); }
double work_span_result::burdened(unsigned workers) const { return speed_up(work, burdened_span, workers); }

void work_span::chain::lengthen(std::chrono::nanoseconds by) {
  plain += by;
  burdened += by;
}

void work_span::chain::take_longer(const chain& other) {
  plain = std::max(plain, other.plain);
  burdened = std::max(burdened, other.burdened);
}

work_span::work_span(observer* also, std::chrono::nanoseconds burden, clock now)
    : m_also(also), m_burden(burden), m_now(now != nullptr ? now : &thread_cpu_time) {
  m_clock_cost = std::chrono::nanoseconds::max();
  for (int i = 0; i < 100; ++i) {
    const auto before = m_now();
    m_clock_cost = std::min(m_clock_cost, m_now() - before);
  }
}

work_span_result work_span::result() const {
  work_span_result all;
  all.burden = m_burden;
  for (const shard& each : m_shards) {
    const std::lock_guard hold(each.lock);
    all.work += each.work;
    all.span = std::max(all.span, each.longest.plain);
    all.burdened_span = std::max(all.burdened_span, each.longest.burdened);
    all.fibers += each.ended;
    all.strands += each.strands;
  }
  return all;
}

work_span::shard& work_span::shard_of(const void* object) {
  // Objects on fibers' stacks differ in few low bits: Fibonacci hashing spreads them.
  constexpr unsigned bits = std::bit_width(shard_count) - 1;
  return m_shards[(reinterpret_cast<std::uintptr_t>(object) * 0x9E3779B97F4A7C15U) >> (64U - bits)];
}

void work_span::end_strand(shard& where, strand& running, std::chrono::nanoseconds now) const {
  if (running.began == not_running) return;
  const auto took = std::max(now - running.began - m_clock_cost, std::chrono::nanoseconds::zero());
  running.began = not_running;
  running.before.lengthen(took);
  where.work += took;
  ++where.strands;
}

void work_span::begin_strand(std::uint64_t fiber) {
  shard& mine = shard_of(fiber);
  const std::lock_guard hold(mine.lock);
  if (strand* const next = mine.find(fiber)) {
    // Last of all: the time of the hook itself belongs to nobody.
    next->began = m_now();
  }
}

// Null: it is unknown, or has finished. A detached fiber's result may still wait when it is destroyed; that is not
// seen.
work_span::strand* work_span::shard::find(std::uint64_t fiber) {
  const auto found = fibers.find(fiber);
  return found == fibers.end() ? nullptr : &found->second;
}

void work_span::reset() {
  for (shard& each : m_shards) {
    const std::lock_guard hold(each.lock);
    each.fibers.clear();
    each.objects.clear();
    each.work = {};
    each.longest = {};
    each.ended = 0;
    each.strands = 0;
  }
}

// Each hook that a fiber runs into ends its strand at the entry, and begins the next one on the way out.

void work_span::spawned(std::uint64_t fiber, std::uint64_t parent) noexcept {
  const auto now = m_now();
  if (m_also != nullptr) m_also->spawned(fiber, parent);
  chain inherited;
  if (parent != 0) {
    shard& theirs = shard_of(parent);
    const std::lock_guard hold(theirs.lock);
    if (strand* const running = theirs.find(parent)) {
      end_strand(theirs, *running, now);
      inherited = running->before;
      inherited.burdened += m_burden;
    }
  }
  {
    shard& mine = shard_of(fiber);
    const std::lock_guard hold(mine.lock);
    mine.fibers[fiber].before = inherited;
  }
  if (parent != 0) begin_strand(parent);
}

void work_span::started(std::uint64_t fiber, unsigned worker) noexcept {
  if (m_also != nullptr) m_also->started(fiber, worker);
  begin_strand(fiber);
}

void work_span::suspended(std::uint64_t fiber, unsigned worker) noexcept {
  const auto now = m_now();
  if (m_also != nullptr) m_also->suspended(fiber, worker);
  shard& mine = shard_of(fiber);
  const std::lock_guard hold(mine.lock);
  if (strand* const running = mine.find(fiber)) end_strand(mine, *running, now);
}

void work_span::resumed(std::uint64_t fiber, unsigned worker) noexcept {
  if (m_also != nullptr) m_also->resumed(fiber, worker);
  begin_strand(fiber);
}

void work_span::finished(std::uint64_t fiber, unsigned worker) noexcept {
  const auto now = m_now();
  if (m_also != nullptr) m_also->finished(fiber, worker);
  shard& mine = shard_of(fiber);
  const std::lock_guard hold(mine.lock);
  const auto found = mine.fibers.find(fiber);
  if (found == mine.fibers.end()) return;
  end_strand(mine, found->second, now);
  mine.longest.take_longer(found->second.before);
  mine.fibers.erase(found);
  ++mine.ended;
}

void work_span::signalled(const void* object, std::uint64_t fiber) noexcept {
  const auto now = m_now();
  if (m_also != nullptr) m_also->signalled(object, fiber);
  chain here;
  {
    shard& mine = shard_of(fiber);
    const std::lock_guard hold(mine.lock);
    strand* const running = mine.find(fiber);
    if (running == nullptr) return;
    end_strand(mine, *running, now);
    here = running->before;
  }
  here.burdened += m_burden;
  {
    shard& theirs = shard_of(object);
    const std::lock_guard hold(theirs.lock);
    theirs.objects[object].take_longer(here);
  }
  begin_strand(fiber);
}

void work_span::received(const void* object, std::uint64_t fiber) noexcept {
  const auto now = m_now();
  if (m_also != nullptr) m_also->received(object, fiber);
  chain theirs;
  {
    shard& where = shard_of(object);
    const std::lock_guard hold(where.lock);
    const auto found = where.objects.find(object);
    if (found != where.objects.end()) theirs = found->second;
  }
  {
    shard& mine = shard_of(fiber);
    const std::lock_guard hold(mine.lock);
    strand* const running = mine.find(fiber);
    if (running == nullptr) return;
    end_strand(mine, *running, now);
    running->before.take_longer(theirs);
  }
  begin_strand(fiber);
}

void work_span::destroyed(const void* object) noexcept {
  if (m_also != nullptr) m_also->destroyed(object);
  shard& where = shard_of(object);
  const std::lock_guard hold(where.lock);
  where.objects.erase(object);
}

// Hooks that say nothing of work and span.

void work_span::woken(std::uint64_t fiber, std::uint64_t waker) noexcept {
  if (m_also != nullptr) m_also->woken(fiber, waker);
}
void work_span::stole(unsigned thief, unsigned victim, std::size_t items) noexcept {
  if (m_also != nullptr) m_also->stole(thief, victim, items);
}
void work_span::worker_sleeps(unsigned worker) noexcept {
  if (m_also != nullptr) m_also->worker_sleeps(worker);
}
void work_span::worker_wakes(unsigned worker) noexcept {
  if (m_also != nullptr) m_also->worker_wakes(worker);
}

}  // namespace ramie
