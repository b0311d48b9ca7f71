#include <ramie/scheduler/worker_cpus.hpp>
#include <ramie/topology/affinity.hpp>

#include <algorithm>
#include <new>
#include <optional>

namespace ramie::detail {

void worker_cpus::note_cpu(unsigned worker) noexcept {
  m_on[worker].cpu.store(native_provider::current_cpu(), std::memory_order_relaxed);
}

void worker_cpus::arrive(unsigned worker) noexcept {
  const unsigned here = native_provider::current_cpu();
  const bool shared = std::ranges::any_of(m_on, [&](const place& other) {
    return &other != &m_on[worker] && other.cpu.load(std::memory_order_relaxed) == here;
  });
  std::optional<unsigned> moved;
  if (shared) [[unlikely]] {
    try {
      std::vector<unsigned> taken;
      for (const place& each : m_on) taken.push_back(each.cpu.load(std::memory_order_relaxed));
      moved = topology::move_current_thread_off(taken);
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): it stays where it is
    }
  }
  m_on[worker].cpu.store(moved.value_or(here), std::memory_order_relaxed);
}

}  // namespace ramie::detail
