// Functions each of which begins when those that it waits for have ended: a graph that is built once and run any number
// of times.
//
//     ramie::task_graph graph;
//     auto [load, left, right, merge] = graph.emplace(f, g, h, i);
//     load.precede(left, right);
//     merge.succeed(left, right);
//     graph.run();
//
// A node counts the predecessors that are left. The fiber that takes the last one off runs the node at once, with its
// own results still in the cache; where one node frees several, the others are spawned. So a chain of nodes meets no
// queue, and a run allocates nothing but the tasks of those that are spawned, from the workers' caches. (After
// Taskflow: Huang, Lin, Lin, Lin, IEEE TPDS 33(6), 2022; passing one successor on is the bypass of TBB.)
#pragma once

#include <ramie/base/dynamic_array.hpp>
#include <ramie/base/futex_lock.hpp>
#include <ramie/base/invoke.hpp>
#include <ramie/base/provider.hpp>
#include <ramie/parallel/first_error.hpp>
#include <ramie/sync/counter.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ramie {

namespace detail {
class graph_carrier;
class permit;
struct graph_node;

/// Nodes, linked by `next_made`; they end with the list.
class graph_nodes {
 public:
  graph_nodes() = default;
  graph_nodes(const graph_nodes&) = delete;
  graph_nodes& operator=(const graph_nodes&) = delete;
  ~graph_nodes() { clear(); }

  [[nodiscard]] std::size_t size() const { return m_size; }
  [[nodiscard]] bool empty() const { return m_size == 0; }
  [[nodiscard]] graph_node* first() const { return m_first; }  // null: there is none

  /// One that was made by new, as the last.
  graph_node& add(graph_node* made) noexcept;
  /// All of the other list, before the first.
  void take(graph_nodes& others) noexcept;
  void clear() noexcept;

 private:
  graph_node* m_first = nullptr;
  graph_node* m_last = nullptr;
  std::size_t m_size = 0;
};

/// The nodes that wait for one.
class graph_edges {
 public:
  graph_edges() = default;
  graph_edges(const graph_edges&) = delete;
  graph_edges& operator=(const graph_edges&) = delete;

  /// Throws std::bad_alloc; nothing has changed then.
  void add(graph_node* to);
  [[nodiscard]] graph_node* const* begin() const { return m_to.data(); }
  [[nodiscard]] graph_node* const* end() const { return m_to.data() + m_size; }

 private:
  dynamic_array<graph_node*> m_to;
  std::size_t m_size = 0;
};
}  // namespace detail

/// Built by one thread or fiber at a time, and not while it runs. Must not be destroyed while it runs (the process ends
/// and says so).
class task_graph {
 public:
  class node;
  class adder;

  task_graph();
  ~task_graph();
  task_graph(const task_graph&) = delete;
  task_graph& operator=(const task_graph&) = delete;

  /// A node for each function: for several functions an array of them. A function takes nothing or an adder&, and is
  /// called once a run; its result is dropped. Throws std::bad_alloc; misuse while the graph runs.
  template <class... Functions>
  auto emplace(Functions&&... functions);

  /// Runs every node once, each when all its predecessors have ended, and returns when all have. Nodes may do what
  /// fibers may: block, yield, spawn, fork.
  ///
  /// An exception of a node leaves run(), the first one in time, when the nodes that run have ended; no other one is
  /// begun then. `stopped`, if for a request of `stop` a node was not begun. Misuse, before anything is run, where
  /// nodes wait for each other in a circle: it names them; if the graph runs already; and as fork_join. std::bad_alloc,
  /// before anything is run, and only if nodes or edges are new. After any exception the graph can be run again. A node
  /// that gets no stack of its own runs on the caller's.
  ///
  /// From a fiber, or from a thread as fork_join. Blocks the fiber. About 10 ns for a node and an edge in a chain, 60
  /// ns for a node that is spawned.
  void run(const std::stop_token& stop = {});
  /// The same by the workers of that runtime, as parallel_policy::on.
  void run(runtime& on, const std::stop_token& stop = {});

  [[nodiscard]] std::size_t size() const { return m_nodes.size(); }

 private:
  friend class detail::graph_carrier;

  static void link(detail::graph_node* from, detail::graph_node* to);
  void check_not_running(const char* call) const;
  void prepare();
  void run_on(runtime* on, const std::stop_token& stop);
  [[nodiscard]] detail::graph_node* take_refused();
  void run_on_fiber(const std::stop_token& stop);

  detail::graph_nodes m_nodes;
  detail::dynamic_array<detail::graph_node*> m_roots;  // as of prepare()
  bool m_changed = false;                              // since then
  native_provider::atomic<bool> m_running{false};

  // Of a run.
  std::uint64_t m_run = 0;  // its number
  detail::permit* m_may = nullptr;
  counter m_spawned;  // carriers that have not ended
  detail::first_error m_errors;
  futex_lock<> m_added_lock;                // the members below
  detail::graph_nodes m_added;              // by adders
  detail::graph_node* m_refused = nullptr;  // linked by `next`: they got no stack
};

/// A node of a graph, by reference: copies mean the same one. Valid as long as the graph; if an adder has made it,
/// until the function that has the adder returns.
class task_graph::node {
 public:
  node() = default;

  /// For messages. Throws std::bad_alloc; misuse on a node without a graph.
  node name(std::string_view name) const;
  [[nodiscard]] std::string_view name() const;

  /// The others begin only when this node has ended. Throws std::bad_alloc; misuse on nodes of two graphs or of none,
  /// and while the graph runs (but see adder).
  template <std::same_as<node>... Nodes>
  node precede(const Nodes&... others) const {
    (link(m_of, others.m_of), ...);
    return *this;
  }
  /// The same from the other side.
  template <std::same_as<node>... Nodes>
  node succeed(const Nodes&... others) const {
    (link(others.m_of, m_of), ...);
    return *this;
  }

  friend bool operator==(const node&, const node&) = default;

 private:
  friend class task_graph;
  explicit node(detail::graph_node& of) : m_of(&of) {}

  detail::graph_node* m_of = nullptr;
};

/// The argument of a node's function that goes on building while the graph runs, for that run alone:
///
///     ramie::task_graph::node merge = graph.emplace([&] { … });
///     graph.emplace([&, merge](ramie::task_graph::adder& more) {
///       for (part& each : parts_of(input)) more.emplace([&each] { each.work(); }).precede(merge);
///     }).precede(merge);
///
/// A new node begins after the function has returned, when its predecessors have ended, and run() waits for it; if the
/// function throws, the node is dropped. Edges lead from the new nodes to each other, and to nodes that cannot begin
/// before this function returns: those that come after its own node. Else precede() throws misuse where it sees that
/// the other node has begun. New nodes that wait for each other in a circle are misuse, too, which leaves run().
///
/// For the function's own fiber, until it returns.
class task_graph::adder {
 public:
  adder(const adder&) = delete;
  adder& operator=(const adder&) = delete;

  /// As task_graph::emplace.
  template <class... Functions>
  auto emplace(Functions&&... functions);

 private:
  friend class detail::graph_carrier;
  explicit adder(task_graph& graph);
  ~adder();

  task_graph& m_graph;
  detail::graph_nodes m_nodes;
};

namespace detail {

struct graph_node {
  graph_node(task_graph& graph, task_graph::adder* adder, std::size_t made_as)
      : of(graph), maker(adder), number(made_as) {}
  graph_node(const graph_node&) = delete;
  graph_node& operator=(const graph_node&) = delete;
  virtual ~graph_node() = default;
  virtual void call(task_graph::adder& more) = 0;

  task_graph& of;
  task_graph::adder* maker;  // while its function has not returned; null for others
  std::size_t number;        // among those that were made with it, from 0
  std::string name;
  graph_edges successors;
  std::uint32_t predecessors = 0;  // in each run
  graph_node* next = nullptr;      // of those that can begin
  graph_node* next_made = nullptr;

  native_provider::atomic<std::uint32_t> left{0};      // predecessors that have not ended
  native_provider::atomic<std::uint64_t> begun_in{0};  // which run
};

template <class Function>
struct typed_graph_node final : graph_node {
  template <class Argument>
  typed_graph_node(Argument&& from, task_graph& graph, task_graph::adder* adder, std::size_t made_as)
      : graph_node(graph, adder, made_as), function(std::forward<Argument>(from)) {}

  void call(task_graph::adder& more) override {
    if constexpr (std::is_invocable_v<Function&, task_graph::adder&>) {
      static_cast<void>(call_with(function, more));
    } else {
      static_cast<void>(function());
    }
  }

  Function function;
};

template <class Function>
graph_node& add_node(graph_nodes& to, task_graph& graph, task_graph::adder* adder, Function&& function) {
  using kept = std::decay_t<Function>;
  static_assert(std::is_invocable_v<kept&> || std::is_invocable_v<kept&, task_graph::adder&>,
                "a node of a ramie::task_graph is a function that can be called without arguments, or with a "
                "ramie::task_graph::adder&; capture others in a lambda");
  return to.add(new typed_graph_node<kept>(std::forward<Function>(function), graph, adder, to.size()));
}

}  // namespace detail

template <class... Functions>
auto task_graph::emplace(Functions&&... functions) {
  static_assert(sizeof...(Functions) > 0, "ramie::task_graph::emplace takes at least one function");
  check_not_running("emplace()");
  m_changed = true;
  std::array made{node(detail::add_node(m_nodes, *this, nullptr, std::forward<Functions>(functions)))...};
  if constexpr (sizeof...(Functions) == 1) {
    return made[0];
  } else {
    return made;
  }
}

template <class... Functions>
auto task_graph::adder::emplace(Functions&&... functions) {
  static_assert(sizeof...(Functions) > 0, "ramie::task_graph::adder::emplace takes at least one function");
  std::array made{node(detail::add_node(m_nodes, m_graph, this, std::forward<Functions>(functions)))...};
  if constexpr (sizeof...(Functions) == 1) {
    return made[0];
  } else {
    return made;
  }
}

}  // namespace ramie
