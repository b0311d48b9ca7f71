// Nodes of a task_graph that could never begin, because they wait for each other.
#pragma once

#include <ramie/parallel/task_graph.hpp>

#include <string>

namespace ramie::detail {

/// Its name, or what there is instead.
[[nodiscard]] std::string described(const graph_node& node);

/// Throws misuse, after `who`, with the nodes of a circle, if there is one. Afterwards `left` of each node is the
/// number of its predecessors. `nodes` are all of one maker, and nothing that has to do with them runs. Linear in nodes
/// and edges. (Kahn, "Topological Sorting of Large Networks", CACM 5(11), 1962.)
void check_for_circles(const graph_nodes& nodes, const char* who);

}  // namespace ramie::detail
