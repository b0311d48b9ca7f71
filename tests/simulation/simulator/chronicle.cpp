#include <simulation/simulator/chronicle.hpp>

namespace ramie::sim {

chronicle::chronicle(const char* name) : m_machine(*machine::current()), m_name(name) { m_machine.add(*this); }
chronicle::~chronicle() { m_machine.remove(*this); }

void chronicle::on(happening what, std::uint64_t fiber, unsigned worker) {
  thread& here = m_machine.running();
  here.home = m_name;
  here.worker = static_cast<int>(worker);
  m_machine.happened(what, fiber);
  here.fiber = what == happening::started || what == happening::resumed ? fiber : 0;
  if (what == happening::finished) {
    m_fibers.erase(fiber);
  } else {
    m_fibers[fiber] = {what, m_machine.steps(), worker};
  }
}

void chronicle::spawned(std::uint64_t fiber, std::uint64_t parent) noexcept {
  m_machine.happened(happening::spawned, fiber, parent);
  m_fibers[fiber] = {happening::spawned, m_machine.steps(), 0};
}
void chronicle::woken(std::uint64_t fiber, std::uint64_t waker) noexcept {
  m_machine.happened(happening::woken, fiber, waker);
  m_fibers[fiber] = {happening::woken, m_machine.steps(), 0};
}

void chronicle::started(std::uint64_t fiber, unsigned worker) noexcept { on(happening::started, fiber, worker); }
void chronicle::suspended(std::uint64_t fiber, unsigned worker) noexcept { on(happening::suspended, fiber, worker); }
void chronicle::resumed(std::uint64_t fiber, unsigned worker) noexcept { on(happening::resumed, fiber, worker); }
void chronicle::finished(std::uint64_t fiber, unsigned worker) noexcept { on(happening::finished, fiber, worker); }

void chronicle::stole(unsigned thief, unsigned victim, std::size_t items) noexcept {
  m_machine.running().worker = static_cast<int>(thief);
  m_machine.running().home = m_name;
  m_machine.happened(happening::stole, victim, items);
}
void chronicle::worker_sleeps(unsigned worker) noexcept {
  m_machine.running().worker = static_cast<int>(worker);
  m_machine.running().home = m_name;
  m_machine.happened(happening::worker_sleeps);
}
void chronicle::worker_wakes(unsigned worker) noexcept {
  m_machine.running().worker = static_cast<int>(worker);
  m_machine.happened(happening::worker_wakes);
}

std::string chronicle::testimony() const {
  constexpr std::size_t most = 20;
  const std::string dot = *m_name != '\0' ? std::string(m_name) + "." : "";
  std::string text;
  std::size_t told = 0;
  for (const auto& [fiber, last] : m_fibers) {
    if (++told > most) {
      text += "\n  and " + std::to_string(m_fibers.size() - most) + " more fibers";
      break;
    }
    text += "\n  fiber " + dot + std::to_string(fiber);
    const std::string since = " since step " + std::to_string(last.since);
    const std::string worker = "worker " + dot + std::to_string(last.worker);
    switch (last.last) {
      case happening::spawned: text += " was spawned, and has not begun," + since; break;
      case happening::woken: text += " was woken, and has not gone on," + since; break;
      case happening::suspended: text += " waits, left " + worker + "," + since; break;
      default: text += " runs on " + worker + "," + since; break;
    }
  }
  return text;
}

}  // namespace ramie::sim
