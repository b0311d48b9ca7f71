#include <ramie/parallel/task_graph.hpp>

#include <ramie/base/assert.hpp>
#include <ramie/base/error.hpp>
#include <ramie/parallel/divide.hpp>
#include <ramie/parallel/permit.hpp>
#include <ramie/scheduler/runtime.hpp>
#include <ramie/scheduler/task.hpp>

#include <parallel/graph_circle.hpp>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace ramie {
namespace detail {

/// Brings a fiber from node to node, as long as one that has ended lets another one begin.
class graph_carrier {
 public:
  explicit graph_carrier(task_graph& graph) : m_graph(graph) {}

  /// A node whose predecessors have ended. The first one is this carrier's own, others are spawned; if that is not to
  /// be had, it runs them one after another.
  void offer(graph_node& ready) noexcept {
    if (m_ready != nullptr && spawn(ready)) return;
    ready.next = m_ready;
    m_ready = &ready;
  }

  void carry() noexcept {
    while (m_ready != nullptr) {
      graph_node& mine = *m_ready;
      m_ready = std::exchange(mine.next, nullptr);
      run(mine);
    }
  }

 private:
  class carrier_task;

  void run(graph_node& mine) noexcept {
    mine.begun_in.store(m_graph.m_run, std::memory_order_relaxed);  // for messages
    // [G2] relaxed: nobody takes one off before the next run, which comes after the join of this one.
    mine.left.store(mine.predecessors, std::memory_order_relaxed);
    if (m_graph.m_may->may_begin()) call(mine);
    for (graph_node* const each : mine.successors) ended_before(*each);
  }

  // One predecessor less.
  void ended_before(graph_node& behind) noexcept {
    // [G1] release: the work of the predecessor; acquire, by the fiber that takes the last one off: the work that all
    // of them have done. Pairs with itself. Weaker: a node does not see what it has waited for.
    if (behind.left.fetch_sub(1, std::memory_order_acq_rel) == 1) offer(behind);
  }

  void call(graph_node& mine) noexcept {
    task_graph::adder more(m_graph);
    try {
      m_graph.m_may->guard([&] {
        mine.call(more);
        if (!more.m_nodes.empty()) [[unlikely]]
          release(more);
      });
    } catch (...) {
      m_graph.m_errors.keep();
      drop(more);
    }
  }

  // The nodes that a function has added may begin. If it throws it has changed nothing.
  void release(task_graph::adder& more) {
    check_for_circles(more.m_nodes, "task_graph::adder");
    graph_node* const first = more.m_nodes.first();
    graph_node* behind = nullptr;
    {
      const std::lock_guard guard(m_graph.m_added_lock);
      behind = m_graph.m_added.first();
      m_graph.m_added.take(more.m_nodes);
    }
    for (graph_node* each = first; each != behind; each = each->next_made) each->maker = nullptr;
    for (graph_node* each = first; each != behind; each = each->next_made) {
      if (each->predecessors == 0) offer(*each);
    }
  }

  // Nodes that will never run count as predecessors no more.
  void drop(task_graph::adder& more) noexcept {
    for (const graph_node* dropped = more.m_nodes.first(); dropped != nullptr; dropped = dropped->next_made) {
      for (graph_node* const each : dropped->successors) {
        if (each->maker != &more) ended_before(*each);
      }
    }
  }

  [[nodiscard]] bool spawn(graph_node& ready) noexcept;

  task_graph& m_graph;
  graph_node* m_ready = nullptr;
};

/// A carrier on a fiber of its own. Nobody joins it: the counter does.
class graph_carrier::carrier_task final : public task {
 public:
  carrier_task(graph_node& first, runtime& home) : task(table, home), m_first(first) {}

 private:
  static void run(task& self) noexcept {
    graph_node& first = static_cast<carrier_task&>(self).m_first;
    task_graph& graph = first.of;
    graph_carrier carrier(graph);
    carrier.offer(first);
    carrier.carry();
    graph.m_spawned.decrement();  // the last thing: run() may have returned now, and the graph be gone
  }
  // Without a stack this is the worker's loop, where no function of the user may run: the node goes back to the fiber
  // that runs the graph.
  static void refuse(task& self, std::exception_ptr) noexcept {
    graph_node& first = static_cast<carrier_task&>(self).m_first;
    task_graph& graph = first.of;
    {
      const std::lock_guard guard(graph.m_added_lock);
      first.next = std::exchange(graph.m_refused, &first);
    }
    graph.m_spawned.decrement();  // the last thing, as above
  }
  static void destroy(task& self) noexcept { std::destroy_at(&static_cast<carrier_task&>(self)); }
  static const task::operations table;

  graph_node& m_first;
};

graph_node& graph_nodes::add(graph_node* made) noexcept {
  (m_last != nullptr ? m_last->next_made : m_first) = made;
  m_last = made;
  ++m_size;
  return *made;
}

void graph_nodes::take(graph_nodes& others) noexcept {
  if (others.empty()) return;
  others.m_last->next_made = m_first;
  if (m_last == nullptr) m_last = others.m_last;
  m_first = std::exchange(others.m_first, nullptr);
  others.m_last = nullptr;
  m_size += std::exchange(others.m_size, 0);
}

void graph_nodes::clear() noexcept {
  graph_node* each = std::exchange(m_first, nullptr);
  m_last = nullptr;
  m_size = 0;
  while (each != nullptr) delete std::exchange(each, each->next_made);
}

void graph_edges::add(graph_node* to) {
  if (m_size == m_to.size()) {
    dynamic_array<graph_node*> larger(m_size != 0 ? 2 * m_size : 2);
    std::copy(begin(), end(), larger.begin());
    m_to.swap(larger);
  }
  m_to[m_size++] = to;
}

constexpr task::operations graph_carrier::carrier_task::table{&run, &refuse, &destroy, sizeof(carrier_task)};

bool graph_carrier::spawn(graph_node& ready) noexcept {
  worker& here = *worker::current();
  carrier_task* fresh = nullptr;
  void* memory = nullptr;
  m_graph.m_spawned.add();
  try {
    memory = here.allocate_task(sizeof(carrier_task));
    fresh = new (memory) carrier_task(ready, here.home());
    static_cast<void>(fresh->detach());  // nobody sees it yet
    here.push_task(*fresh);
    return true;
  } catch (const std::bad_alloc&) {
    if (fresh != nullptr) static_cast<task*>(fresh)->destroy();
    if (memory != nullptr) here.free_task_memory(memory, sizeof(carrier_task));
    m_graph.m_spawned.decrement();
    return false;
  }
}

}  // namespace detail

task_graph::task_graph() = default;

task_graph::~task_graph() {
  if (m_running.load(std::memory_order_relaxed))
    detail::fail("a task_graph was destroyed while it runs.", "Let run() return first.");
}

task_graph::adder::adder(task_graph& graph) : m_graph(graph) {}
task_graph::adder::~adder() = default;

void task_graph::check_not_running(const char* call) const {
  if (m_running.load(std::memory_order_relaxed)) {
    throw misuse(
        std::string("task_graph: ") + call +
        " while the graph runs; a node's function that takes a task_graph::adder& can add nodes, with edges that "
        "lead from them");
  }
}

void task_graph::link(detail::graph_node* from, detail::graph_node* to) {
  if (from == nullptr || to == nullptr) throw misuse("task_graph: an edge of a node that no graph has made");
  if (&from->of != &to->of) throw misuse("task_graph: an edge between nodes of two graphs; make both in one");
  if (from->maker == nullptr) from->of.check_not_running("an edge");
  if (from->maker == to->maker) {
    from->successors.add(to);
    ++to->predecessors;
    if (from->maker == nullptr) from->of.m_changed = true;
    return;
  }
  // From an added node to one that was there before.
  if (to->maker != nullptr || to->begun_in.load(std::memory_order_relaxed) == from->of.m_run) {
    throw misuse("task_graph::adder: an edge to " + detail::described(*to) +
                 ", which may have begun; added nodes can precede each other, and nodes that come after the one whose "
                 "function adds them");
  }
  from->successors.add(to);
  // [G3] relaxed: the adding node, or one behind it, is a predecessor of `to` that has not ended; its [G1] comes later.
  to->left.fetch_add(1, std::memory_order_relaxed);
}

void task_graph::prepare() {
  if (!m_changed) return;
  detail::check_for_circles(m_nodes, "task_graph::run()");
  std::size_t roots = 0;
  for (const auto* each = m_nodes.first(); each != nullptr; each = each->next_made) {
    if (each->predecessors == 0) ++roots;
  }
  m_roots = detail::dynamic_array<detail::graph_node*>(roots);
  auto* to = m_roots.begin();
  for (auto* each = m_nodes.first(); each != nullptr; each = each->next_made) {
    if (each->predecessors == 0) *to++ = each;
  }
  m_changed = false;
}

void task_graph::run(const std::stop_token& stop) { run_on(nullptr, stop); }
void task_graph::run(runtime& on, const std::stop_token& stop) { run_on(&on, stop); }

void task_graph::run_on(runtime* on, const std::stop_token& stop) {
  // [G4] acquire: what the last run has left; pairs with [G5]. Weaker: counts of the last run.
  if (m_running.exchange(true, std::memory_order_acquire)) {
    throw misuse("task_graph::run() while the graph runs; wait for the other run, or make two graphs");
  }
  const struct ending {
    native_provider::atomic<bool>& running;
    ~ending() { running.store(false, std::memory_order_release); }  // [G5] release; pairs with [G4]
  } at_end{m_running};
  prepare();
  detail::on_a_fiber(on, [&] { run_on_fiber(stop); });
}

detail::graph_node* task_graph::take_refused() {
  const std::lock_guard guard(m_added_lock);
  return std::exchange(m_refused, nullptr);
}

void task_graph::run_on_fiber(const std::stop_token& stop) {
  detail::permit may(stop);
  m_may = &may;
  ++m_run;
  detail::run_loop_divided({.grain = 1}, m_roots.size(), [this](std::size_t root, std::size_t end) {
    for (; root != end; ++root) {
      detail::graph_carrier mine(*this);
      mine.offer(*m_roots[root]);
      mine.carry();
    }
  });
  wait_for_counter(m_spawned);
  while (detail::graph_node* refused = take_refused()) {
    detail::graph_carrier mine(*this);
    while (refused != nullptr) mine.offer(*std::exchange(refused, refused->next));
    mine.carry();
    wait_for_counter(m_spawned);
  }
  m_added.clear();
  m_errors.rethrow();
  may.conclude();
}

task_graph::node task_graph::node::name(std::string_view name) const {
  if (m_of == nullptr) throw misuse("task_graph: a name for a node that no graph has made");
  m_of->name = name;
  return *this;
}

std::string_view task_graph::node::name() const { return m_of != nullptr ? m_of->name : std::string_view(); }

}  // namespace ramie
