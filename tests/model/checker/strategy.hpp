// Chooses where an execution has several ways to go on: the next thread, the write that a read reads from, the place
// of a write.
#pragma once

#include <model/checker/execution.hpp>

#include <cstdint>
#include <vector>

namespace ramie::model {

class strategy {
 public:
  virtual ~strategy() = default;

  /// True: a thread runs on until it blocks or ends, and reads may be bound to what another read-modify-write has
  /// consumed; the strategy comes back to every read and write itself. False: it is asked before every step.
  [[nodiscard]] virtual bool graphs() const { return false; }

  /// Not graphs(): whether it is asked before steps that nobody can notice, too.
  [[nodiscard]] virtual bool every_step() const { return false; }

  /// Of the threads that can take a step, bit by bit; `current` took the last one. max_threads: the run ends here.
  virtual std::uint8_t next_thread(const execution& graph, std::uint32_t runnable, std::uint8_t current) = 0;
  /// An index into `sources`, newest first; never empty. The read is unbound. A read that waits may also be blocked:
  /// `may_block`, and the result may be sources.size().
  virtual std::size_t source(execution& graph, event& read, const std::vector<event_id>& sources, bool may_block) = 0;
  /// An index into `places`, newest first. The write is unplaced.
  virtual std::size_t place(execution& graph, event& write, const std::vector<std::int32_t>& places) = 0;
  /// A number below `count`. The event is in the graph already.
  virtual std::uint64_t choice(execution& graph, event& chosen, std::uint64_t count) = 0;
};

}  // namespace ramie::model
