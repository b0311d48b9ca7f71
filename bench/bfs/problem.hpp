// The suite `bfs`: breadth-first search of a random graph, level by level.
//
// All nodes of a level (the frontier) are expanded at once, in slices; what they find is the next frontier. There are
// few levels, and the first and the last are tiny, so the borders between them are what a runtime can lose.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "framework/options.hpp"
#include "framework/plan_builder.hpp"
#include "kernel/huge_array.hpp"

namespace bench::bfs {

inline constexpr row_of_time row{"bfs", "ns"};

struct size {
  std::uint32_t nodes;
  std::uint32_t degree;
  /// Nodes of a frontier that are expanded in one piece. At 16 edges a node and some 5 ns an edge, 256 are about 20 us.
  std::size_t grain;
  bool operator==(const size&) const = default;
};

[[nodiscard]] size size_at(scale s);

using node = std::uint32_t;

/// Compressed sparse rows: the edges of node v go to targets[first[v]] up to targets[first[v + 1]].
struct graph {
  std::uint32_t nodes = 0;
  huge_array<std::uint32_t> first;
  huge_array<node> targets;
};

/// Each node has `degree` edges to nodes drawn at random; the same graph every time.
[[nodiscard]] graph random_graph(std::uint32_t nodes, std::uint32_t degree);

/// A byte is enough: 1 MB of distances for a million nodes nearly fits into a core's cache, 4 MB would not. A random
/// graph has a dozen levels; longer distances throw std::length_error.
using distance = std::uint8_t;
inline constexpr distance unreached = 255;

[[nodiscard]] huge_array<distance> all_unreached(std::uint32_t nodes);

/// Distances from node 0 by a queue, without atomics and without levels: the row `plain_call`, and what all results
/// are compared with. `into` is all_unreached(), `nodes` has room for the queue; returns how many were reached.
std::size_t search_with_queue(const graph& g, huge_array<distance>& into, huge_array<node>& nodes);

/// A graph and what a search of it must give.
struct problem {
  size n;
  bfs::graph graph;
  huge_array<distance> expected;
  std::uint64_t edges;  ///< of the nodes that are reached: what a search looks at, and what its time is divided by
  unsigned levels;      ///< frontiers that are not empty
};

/// Made at the first call, and kept until another size is asked for. One thread.
[[nodiscard]] const problem& problem_of(const size& n);

/// One search, from node 0 alone in the first frontier.
class search {
 public:
  explicit search(const bfs::graph& g);

  /// How many nodes the frontier has.
  [[nodiscard]] std::size_t width() const { return m_width; }
  /// Nodes [begin, end) of the frontier: their unreached neighbours are claimed, each by one caller, and go into the
  /// next frontier. Any thread; together the calls between two advance() must cover the frontier.
  [[gnu::noinline]] void expand(std::size_t begin, std::size_t end);
  /// The vertices just found become the frontier. False: there were none. After all expand() of a level, by one thread.
  bool advance();

  [[nodiscard]] huge_array<std::atomic<distance>>& distances() { return m_distances; }
  [[nodiscard]] unsigned levels() const { return m_levels; }

 private:
  const bfs::graph& m_graph;
  huge_array<std::atomic<distance>> m_distances;
  huge_array<node> m_frontier;
  huge_array<node> m_next;
  std::size_t m_width = 1;
  unsigned m_levels = 1;
  alignas(64) std::atomic<std::size_t> m_found{0};
};

/// Judges `run` by every distance.
[[nodiscard]] timed judged(timed run, const problem& p, search& done);
[[nodiscard]] timed judged(timed run, const problem& p, const huge_array<distance>& found);

}  // namespace bench::bfs
