#include <parallel/graph_circle.hpp>

#include <ramie/base/error.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace ramie::detail {
namespace {

// Each waits for the next one, and the last for the first; none if there is no circle.
std::vector<const graph_node*> find_circle(const graph_nodes& nodes) {
  const auto for_each_successor = [](graph_node& of, auto&& f) {
    for (graph_node* const each : of.successors) {
      if (each->maker == of.maker) f(*each);
    }
  };
  std::vector<graph_node*> can_end;
  can_end.reserve(nodes.size());
  for (graph_node* each = nodes.first(); each != nullptr; each = each->next_made) {
    each->left.store(each->predecessors, std::memory_order_relaxed);
    if (each->predecessors == 0) can_end.push_back(each);
  }
  for (std::size_t i = 0; i < can_end.size(); ++i) {
    for_each_successor(*can_end[i], [&](graph_node& behind) {
      if (behind.left.fetch_sub(1, std::memory_order_relaxed) == 1) can_end.push_back(&behind);
    });
  }
  std::vector<const graph_node*> circle;
  if (can_end.size() == nodes.size()) return circle;

  const auto waits_for_ever = [](const graph_node& each) { return each.left.load(std::memory_order_relaxed) != 0; };
  const graph_node* waiting = nullptr;
  for (graph_node* each = nodes.first(); each != nullptr; each = each->next_made) {
    if (!waits_for_ever(*each)) continue;
    waiting = each;
    for_each_successor(*each, [&](graph_node& behind) { behind.next = each; });
  }
  // Each of them waits for another one of them. So many steps lead into a circle, wherever they begin.
  for (std::size_t i = 0; i < nodes.size(); ++i) waiting = waiting->next;
  const graph_node* const first = waiting;
  do {
    circle.push_back(waiting);
    waiting = waiting->next;
  } while (waiting != first);
  for (graph_node* each = nodes.first(); each != nullptr; each = each->next_made) each->next = nullptr;
  return circle;
}

}  // namespace

std::string described(const graph_node& node) {
  if (!node.name.empty()) return '"' + node.name + '"';
  return (node.maker != nullptr ? "added node " : "node ") + std::to_string(node.number) + " (without a name)";
}

void check_for_circles(const graph_nodes& nodes, const char* who) {
  const std::vector<const graph_node*> circle = find_circle(nodes);
  for (graph_node* each = nodes.first(); each != nullptr; each = each->next_made)
    each->left.store(each->predecessors, std::memory_order_relaxed);
  if (circle.empty()) return;
  constexpr std::size_t shown = 10;
  std::string text = std::string(who) + ": " + described(*circle.front()) + " waits for ";
  for (std::size_t i = 1; i < circle.size() && i < shown; ++i) text += described(*circle[i]) + ", which waits for ";
  if (circle.size() > shown) text += std::to_string(circle.size() - shown) + " more, the last of which waits for ";
  throw misuse(text + described(*circle.front()) + ": none of them can begin. Take one of these edges away.");
}

}  // namespace ramie::detail
