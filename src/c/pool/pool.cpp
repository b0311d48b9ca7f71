#include "c/pool/pool.hpp"

#include <ramie/base/config.hpp>
#include <ramie/topology/affinity.hpp>

#include <algorithm>
#include <array>
#include <new>
#include <ranges>

namespace ramie::pool {

// ---- The pool ----

// A sleeping worker costs about as much to wake as it looks for work before it sleeps; where threads outnumber the
// processors, looking only keeps a working one from its processor.
std::chrono::nanoseconds patience_of(const thread_pool_options& chosen) {
  if (chosen.spin_ns != usual_spin) return std::chrono::nanoseconds(chosen.spin_ns);
  const bool crowded = static_cast<std::size_t>(chosen.nthreads) > topology::allowed_cpus().size();
  return crowded ? std::chrono::nanoseconds::zero() : std::chrono::microseconds(30);
}

pool::pool(const thread_pool_options& chosen)
    : m_places(static_cast<unsigned>(chosen.nthreads)), m_gate(static_cast<unsigned>(chosen.nthreads)) {
  const auto workers = static_cast<unsigned>(chosen.nthreads);
  const std::chrono::nanoseconds patience = patience_of(chosen);
  if (chosen.pin) m_cpus = topology::allowed_cpus();
  m_threads.reserve(workers);
  m_workers.reserve(workers);
  for (unsigned i = 0; i < workers; ++i) m_workers.push_back(std::make_unique<worker>(*this, i, workers, patience));
}

int pool::start() {
  m_termination.begin(/*draining=*/false);
  for (const auto& each : m_workers) {
    native_provider::thread thread{};
    if (const int error = native_provider::start_thread(thread, &run_when_started, each.get()); error != 0) {
      m_start_signal.give_up();
      for (const native_provider::thread started : m_threads) native_provider::join_thread(started);
      return error;
    }
    m_threads.push_back(thread);
  }
  m_start_signal.go();
  return 0;
}

void* pool::run_when_started(void* argument) {
  auto& mine = *static_cast<worker*>(argument);
  pool& home = mine.home();
  if (!home.m_start_signal.wait()) return nullptr;
  if (!home.m_cpus.empty())
    static_cast<void>(topology::pin_current_thread(home.m_cpus[mine.index() % home.m_cpus.size()]));
  mine.run();
  return nullptr;
}

void pool::stop() {
  m_termination.drain([this] { wake_everyone(); });
  for (const native_provider::thread ending : m_threads) native_provider::join_thread(ending);
}

void pool::wake_everyone() noexcept {
  m_gate.notify_all([this](unsigned chosen) { m_workers[chosen]->interrupt(); });
}

void pool::finish_if_drained() {
  const auto totals = [](const std::unique_ptr<worker>& each) -> const worker& { return *each; };
  m_termination.finish_if_drained(std::views::transform(m_workers, totals), [this] { wake_everyone(); });
}

void pool::submit_from_outside(task_future& made) {
  static_cast<void>(m_termination.count_spawned_outside());
  m_from_outside.push(&made);
  static_cast<void>(notify());
}

task_future* pool::take_from_outside() {
  if (m_from_outside.size() == 0) [[likely]]
    return nullptr;
  std::array<task_future*, queue::bundle_capacity> oldest;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  return m_from_outside.pop_batch(oldest, 1) != 0 ? oldest[0] : nullptr;
}

bool pool::has_visible_work() const {
  return m_from_outside.size() != 0 ||
         std::ranges::any_of(m_workers, [](const auto& each) { return each->has_visible_work(); });
}

// ---- Futures ----

void free_memory(task_future& unused) { ::operator delete(&unused, std::align_val_t{cache_line_size}); }

void recycle(task_future& unused) {
  worker* const here = worker::current();
  // AddressSanitizer is to see a use after the end.
  if (RAMIE_ASAN != 0 || here == nullptr || !here->keep_memory(unused)) free_memory(unused);
}

void give_up(task_future& ended) {
  if (ended.begin.give_up()) recycle(ended);
}

}  // namespace ramie::pool
