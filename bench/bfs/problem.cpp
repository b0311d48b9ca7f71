#include "bfs/problem.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>

#include "kernel/splitmix.hpp"

namespace bench::bfs {
namespace {

// The edges of a node lie anywhere in 64 MB. Asked for so many nodes ahead, they are there in time; where they begin
// must be known before that.
constexpr std::size_t edges_ahead = 16;
constexpr std::size_t first_ahead = 32;

// The arrays of a graph by value. A distance is a char type, which may alias all else: of what lies behind a reference
// the compiler would load every pointer anew for each edge.
struct edges_of {
  const std::uint32_t* first;
  const node* targets;

  explicit edges_of(const graph& g) : first(g.first.data()), targets(g.targets.data()) {}

  // Inlined by force: gcc 12 takes a function that only prefetches for one without effects, and drops the call.
  [[gnu::always_inline]] void prefetch(const node* frontier, std::size_t i, std::size_t end) const {
    if (i + first_ahead < end) __builtin_prefetch(first + frontier[i + first_ahead]);
    if (i + edges_ahead < end) __builtin_prefetch(targets + first[frontier[i + edges_ahead]]);
  }
};

[[noreturn]] void too_deep() { throw std::length_error("bfs: a distance above 254 does not fit in a byte"); }

template <class Distances>
timed compared(timed run, const problem& p, const Distances& found) {
  for (std::size_t v = 0; v < p.expected.size(); ++v) {
    const distance is = found[v];
    if (is == p.expected[v]) continue;
    run.complaint = fmt::format("node {} has distance {} instead of {} (255: not reached)", v, is, p.expected[v]);
    return run;
  }
  run.verified = true;
  return run;
}

}  // namespace

size size_at(scale s) {
  switch (s) {
    case scale::tiny: return {.nodes = 2'000, .degree = 8, .grain = 16};
    case scale::quick: return {.nodes = 200'000, .degree = 16, .grain = 256};
    case scale::ordinary:
    case scale::full: break;
  }
  return {.nodes = 1'000'000, .degree = 16, .grain = 256};
}

graph random_graph(std::uint32_t nodes, std::uint32_t degree) {
  graph g{.nodes = nodes,
          .first = huge_array<std::uint32_t>(nodes + std::size_t{1}),
          .targets = huge_array<node>(std::size_t{nodes} * degree)};
  splitmix random(1);
  for (std::uint32_t v = 0; v <= nodes; ++v) g.first[v] = v * degree;
  for (node& target : g.targets) target = random.below(nodes);
  return g;
}

huge_array<distance> all_unreached(std::uint32_t nodes) {
  huge_array<distance> distances(nodes);
  std::fill(distances.begin(), distances.end(), unreached);
  return distances;
}

std::size_t search_with_queue(const graph& g, huge_array<distance>& into, huge_array<node>& nodes) {
  const edges_of edges(g);
  distance* const distances = into.data();
  node* const queue = nodes.data();
  distances[0] = 0;
  queue[0] = 0;
  std::size_t end = 1;
  for (std::size_t i = 0; i < end; ++i) {
    edges.prefetch(queue, i, end);
    const node v = queue[i];
    const auto next = static_cast<distance>(distances[v] + 1);
    const std::uint32_t last = edges.first[v + 1];
    for (std::uint32_t e = edges.first[v]; e < last; ++e) {
      const node u = edges.targets[e];
      if (distances[u] != unreached) continue;
      if (next == unreached) too_deep();
      distances[u] = next;
      queue[end++] = u;
    }
  }
  return end;
}

const problem& problem_of(const size& n) {
  static std::optional<problem> kept;
  if (kept && kept->n == n) return *kept;
  kept.reset();
  graph g = random_graph(n.nodes, n.degree);
  huge_array<distance> expected = all_unreached(n.nodes);
  huge_array<node> queue(n.nodes);
  const std::size_t reached = search_with_queue(g, expected, queue);
  std::uint64_t edges = 0;
  for (std::size_t i = 0; i < reached; ++i) edges += g.first[queue[i] + 1] - g.first[queue[i]];
  const unsigned levels = expected[queue[reached - 1]] + 1U;
  kept.emplace(problem{n, std::move(g), std::move(expected), edges, levels});
  return *kept;
}

search::search(const bfs::graph& g) : m_graph(g), m_distances(g.nodes), m_frontier(g.nodes), m_next(g.nodes) {
  for (std::atomic<distance>& each : m_distances) each.store(unreached, std::memory_order_relaxed);
  m_distances[0].store(0, std::memory_order_relaxed);
  m_frontier[0] = 0;
}

void search::expand(std::size_t begin, std::size_t end) {
  // Found nodes are gathered here, on the stack, and then get a place in the next frontier: one atomic operation for
  // many nodes, and nobody has to put pieces together when the level is done.
  std::array<node, 512> found;
  std::size_t count = 0;
  const auto publish = [&] {
    const std::size_t place = m_found.fetch_add(count, std::memory_order_relaxed);
    std::memcpy(m_next.data() + place, found.data(), count * sizeof(node));
    count = 0;
  };
  const edges_of edges(m_graph);
  std::atomic<distance>* const distances = m_distances.data();
  const node* const frontier = m_frontier.data();
  const std::size_t width = m_width;
  const auto level = static_cast<distance>(m_levels);
  for (std::size_t i = begin; i < end; ++i) {
    edges.prefetch(frontier, i, width);
    const node v = frontier[i];
    const std::uint32_t last = edges.first[v + 1];
    for (std::uint32_t e = edges.first[v]; e < last; ++e) {
      const node u = edges.targets[e];
      // Relaxed: the distance publishes nothing, and the end of the level orders all. Most nodes were reached before,
      // and a load sees that without taking the cache line from others. The exchange decides between two that find
      // the same node at the same time.
      if (distances[u].load(std::memory_order_relaxed) != unreached) continue;
      if (distances[u].exchange(level, std::memory_order_relaxed) != unreached) continue;
      found[count++] = u;
      if (count == found.size()) publish();
    }
  }
  if (count != 0) publish();
}

bool search::advance() {
  m_width = m_found.load(std::memory_order_relaxed);
  m_found.store(0, std::memory_order_relaxed);
  std::swap(m_frontier, m_next);
  if (m_width == 0) return false;
  if (++m_levels == unreached) too_deep();
  return true;
}

timed judged(timed run, const problem& p, search& done) {
  run.stats["levels"] = done.levels();
  return compared(std::move(run), p, done.distances());
}

timed judged(timed run, const problem& p, const huge_array<distance>& found) {
  run.stats["levels"] = p.levels;
  return compared(std::move(run), p, found);
}

}  // namespace bench::bfs
