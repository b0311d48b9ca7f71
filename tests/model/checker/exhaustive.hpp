// Every execution that the memory model allows, each exactly once.
//
// Kokologiannakis, Marmanis, Gladstein, Vafeiadis: "Truly Stateless, Optimal Dynamic Partial Order Reduction" (POPL
// 2022). Executions are graphs, not interleavings: two interleavings that differ in nothing that a thread can see are
// one graph. A graph grows by the next event of the first thread that has one.
//   - A read is bound to each write that it may see (forward).
//   - A write takes each place in modification order that it may have (forward).
//   - A write is also offered to the reads that are there already (backward): what was added after the read and did
//     not cause the write is taken away, and the read reads the write. Done from one graph only of all those that lead
//     to the same result: the one in which everything that is taken away was added maximally.
//
// A read that waits (predicate) is bound only to what lets it go on. It is also left blocked, whatever there is; that
// counts as its first choice, and only blocked ones are offered later writes.
#pragma once

#include <model/checker/strategy.hpp>

#include <vector>

namespace ramie::model {

class exhaustive final : public strategy {
 public:
  exhaustive() { m_pending.emplace_back(); }

  /// The next graph to run; false when there is none left.
  [[nodiscard]] bool next(execution& graph);

  [[nodiscard]] bool graphs() const override { return true; }
  std::uint8_t next_thread(const execution& graph, std::uint32_t runnable, std::uint8_t current) override;
  std::size_t source(execution& graph, event& read, const std::vector<event_id>& sources, bool may_block) override;
  std::size_t place(execution& graph, event& write, const std::vector<std::int32_t>& places) override;
  std::uint64_t choice(execution& graph, event& chosen, std::uint64_t count) override;

 private:
  void offer(const execution& graph, const event& write, const event& read);

  std::vector<execution> m_pending;
};

}  // namespace ramie::model
