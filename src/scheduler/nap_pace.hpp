// Not for users. Naps: short sleeps that a worker does not announce.
//
// An announced sleep (sleep_gate.hpp) costs a membarrier, and a request to every worker that forks. A worker that waits
// for I/O may sleep a hundred thousand times a second, for some microseconds each. So a worker whose last sleep was
// short, and ended by its own driver, naps first: it waits in its driver for `longest` at most, and counts as busy.
// Nobody relies on it meanwhile, and nobody wakes it. New work waits for the end of a nap at most, and only where no
// worker sleeps in the announced way: before each nap the worker has looked for work in vain, and it looks again before
// the next one. A nap that brings nothing is the last one until a short sleep shows that naps pay again.
#pragma once

#include <ramie/base/time.hpp>

namespace ramie::detail {

/// Of one worker, and for the thread that holds it.
class nap_pace {
 public:
  static constexpr std::chrono::microseconds longest{50};

  [[nodiscard]] bool pays() const { return m_pays; }
  /// After a sleep or a nap; whether its own driver had something then.
  void woke_after(std::chrono::nanoseconds slept, bool by_driver) { m_pays = by_driver && slept <= longest; }
  void napped(bool by_driver) { m_pays = by_driver; }

 private:
  bool m_pays = false;
};

}  // namespace ramie::detail
