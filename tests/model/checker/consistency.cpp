// S, the single total order of seq_cst operations: [atomics.order] p4 in C++20.
//
// For atomic operations A coherence-ordered before B on one location, S obeys
//   A before B            where both are seq_cst
//   A before Y            where A is seq_cst and B happens before a seq_cst fence Y
//   X before B            where a seq_cst fence X happens before A and B is seq_cst
//   X before Y            where X happens before A and B happens before Y
// and strongly-happens-before between seq_cst operations. S exists if these have no cycle.
#include <model/checker/execution.hpp>

#include <algorithm>
#include <bitset>
#include <cstdio>
#include <cstdlib>

namespace ramie::model {
namespace {

// A member of S; a read-modify-write is one, with two events.
struct node {
  const event* first;
  const event* last;
};

// For up to `Max` members.
template <std::size_t Max>
class total_order {
  using node_set = std::bitset<Max>;

 public:
  explicit total_order(const execution& graph) : m_graph(graph) {
    for (std::size_t thread = 0; thread < max_threads; ++thread) {
      const std::vector<event>& events = graph.thread(thread);
      for (const event& each : events) collect(each, events);
    }
  }

  [[nodiscard]] bool exists() {
    m_before.resize(m_nodes.size());
    m_lights_before.resize(m_lights.empty() ? 0 : m_nodes.size());
    m_before_light.resize(m_lights.size());
    for (std::size_t later = 0; later < m_nodes.size(); ++later) {
      for (std::size_t earlier = 0; earlier < m_nodes.size(); ++earlier) {
        if (earlier != later && strongly_before(m_nodes[earlier], m_nodes[later])) m_before[later].set(earlier);
      }
    }
    for (const execution::location& each : m_graph.locations()) {
      if (each.alive && each.writes.size() + each.reads.size() > 1) order_by_coherence(each);
    }
    return no_cycle() && !light_and_heavy_disagree();
  }

 private:
  void collect(const event& each, const std::vector<event>& events) {
    if (each.kind == event_kind::light_fence) m_lights.push_back(&each);
    if (!each.sequentially_consistent()) return;
    const auto next = static_cast<std::size_t>(each.id.index) + 1;
    if (each.is_write() && each.exclusive) return;  // its read has brought it along
    const bool pair =
        each.is_read() && each.exclusive && next < events.size() && events[next].is_write() && events[next].exclusive;
    if (each.is_fence_of_the_total_order()) m_fences.push_back(m_nodes.size());
    m_nodes.push_back({&each, pair ? &events[next] : &each});
  }

  [[nodiscard]] bool strongly_before(const node& earlier, const node& later) const {
    const event_id last = earlier.last->id;
    const event_id first = later.first->id;
    if (last.thread == first.thread) return last.index < first.index;
    if (first.index == 0) return false;
    // Program order, then happens before, then program order: something after `earlier` is known to what is before
    // `later`. (A single synchronizes-with between two seq_cst operations is a reads-from, thus coherence order.)
    const event& previous = m_graph.at({first.thread, static_cast<std::int16_t>(first.index - 1)});
    return previous.happened_before.known(last.thread) >= last.index + 2;
  }

  [[nodiscard]] std::size_t own_node(const event& of) const {
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
      if (m_nodes[i].first == &of || m_nodes[i].last == &of) return i;
    }
    std::abort();
  }

  // Everything ordered before the operations that come after this one in coherence order.
  struct reach {
    node_set nodes;
    node_set lights;
  };
  [[nodiscard]] reach sources(const event& of) const {
    reach found;
    if (of.sequentially_consistent()) found.nodes.set(own_node(of));
    for (const std::size_t fence : m_fences) {
      if (of.happened_before.contains(m_nodes[fence].first->id)) found.nodes.set(fence);
    }
    for (std::size_t i = 0; i < m_lights.size(); ++i) {
      if (of.happened_before.contains(m_lights[i]->id)) found.lights.set(i);
    }
    return found;
  }

  void put_after(const event& target, const reach& earlier) {
    if (target.sequentially_consistent()) {
      const std::size_t own = own_node(target);
      const bool was = m_before[own].test(own);
      m_before[own] |= earlier.nodes;
      m_before[own].set(own, was);  // the two halves of one read-modify-write
    }
    for (const std::size_t fence : m_fences) {
      if (!m_nodes[fence].first->happened_before.contains(target.id)) continue;
      m_before[fence] |= earlier.nodes;
      if (!m_lights.empty()) m_lights_before[fence] |= earlier.lights;
    }
    for (std::size_t i = 0; i < m_lights.size(); ++i) {
      if (m_lights[i]->happened_before.contains(target.id)) m_before_light[i] |= earlier.nodes;
    }
  }

  // Coherence order: a write is before its readers, both are before the next write.
  void order_by_coherence(const execution::location& here) {
    reach earlier;
    for (const event_id id : here.writes) {
      const event& write = m_graph.at(id);
      reach up_to_here = earlier;
      if (id != nobody) {
        put_after(write, earlier);
        const reach own = sources(write);
        up_to_here.nodes |= own.nodes;
        up_to_here.lights |= own.lights;
      }
      reach after_readers = up_to_here;
      for (const event_id reader : here.reads) {
        const event& read = m_graph.at(reader);
        if (read.blocked || read.reads_from != id) continue;
        put_after(read, up_to_here);
        const reach own = sources(read);
        after_readers.nodes |= own.nodes;
        after_readers.lights |= own.lights;
      }
      earlier = after_readers;
    }
  }

  [[nodiscard]] bool no_cycle() const {
    node_set placed;
    for (std::size_t count = 0; count < m_nodes.size();) {
      const std::size_t before = count;
      for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        if (placed.test(i) || (m_before[i] & ~placed).any()) continue;
        placed.set(i);
        ++count;
      }
      if (count == before) return false;
    }
    return true;
  }

  [[nodiscard]] bool light_and_heavy_disagree() const {
    for (const std::size_t fence : m_fences) {
      for (std::size_t i = 0; i < m_lights.size(); ++i) {
        if (m_lights_before[fence].test(i) && m_before_light[i].test(fence) &&
            m_nodes[fence].first->kind == event_kind::heavy_fence) {
          return true;
        }
      }
    }
    return false;
  }

  const execution& m_graph;
  std::vector<node> m_nodes;
  std::vector<std::size_t> m_fences;
  std::vector<const event*> m_lights;
  std::vector<node_set> m_before;         // of each node
  std::vector<node_set> m_lights_before;  // of each fence
  std::vector<node_set> m_before_light;   // the nodes before each light fence
};

}  // namespace

bool execution::consistent() const {
  std::size_t members = 0, lights = 0;
  for (const std::vector<event>& events : m_threads) {
    for (const event& each : events) {
      members += each.sequentially_consistent() && !(each.is_write() && each.exclusive) ? 1 : 0;
      lights += each.kind == event_kind::light_fence ? 1 : 0;
    }
  }
  if (members < 2 && (members == 0 || lights == 0)) return true;
  const std::size_t most = std::max(members, lights);
  if (most <= 64) return total_order<64>(*this).exists();
  if (most <= 256) return total_order<256>(*this).exists();
  std::fputs("model: more than 256 seq_cst operations in one execution: make the scenario smaller\n", stderr);
  std::abort();
}

}  // namespace ramie::model
