// The observer's events of a run, for the trace: which fiber did what on which worker, and which are left when nobody
// can go on.
#pragma once

#include <simulation/simulator/machine.hpp>

#include <ramie/scheduler/observer.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace ramie::sim {

/// options.events of one runtime of a simulated run. `name` tells several apart, and is a literal.
class chronicle final : public observer, private machine::witness {
 public:
  explicit chronicle(const char* name = "");
  ~chronicle() override;
  chronicle(const chronicle&) = delete;
  chronicle& operator=(const chronicle&) = delete;

  void spawned(std::uint64_t fiber, std::uint64_t parent) noexcept override;
  void started(std::uint64_t fiber, unsigned worker) noexcept override;
  void suspended(std::uint64_t fiber, unsigned worker) noexcept override;
  void resumed(std::uint64_t fiber, unsigned worker) noexcept override;
  void woken(std::uint64_t fiber, std::uint64_t waker) noexcept override;
  void finished(std::uint64_t fiber, unsigned worker) noexcept override;
  void stole(unsigned thief, unsigned victim, std::size_t items) noexcept override;
  void worker_sleeps(unsigned worker) noexcept override;
  void worker_wakes(unsigned worker) noexcept override;

 private:
  struct story {
    happening last = happening::none;
    std::uint64_t since = 0;
    unsigned worker = 0;
  };
  void on(happening what, std::uint64_t fiber, unsigned worker);
  [[nodiscard]] std::string testimony() const override;

  machine& m_machine;
  const char* const m_name;
  std::map<std::uint64_t, story> m_fibers;
};

}  // namespace ramie::sim
