#include <model/checker/trace.hpp>

#include <model/checker/mutation.hpp>

namespace ramie::model {

std::string trace_of(const execution& graph, const std::vector<event_id>& order) {
  std::string text;
  for (const event_id id : order) {
    const event& each = graph.at(id);
    if (each.kind == event_kind::mark) continue;
    text += std::string(id.thread * 4U, ' ') + std::to_string(id.thread) + "." + std::to_string(id.index) + " " +
            std::to_string(static_cast<int>(each.kind)) + " " + text_of(each.where) + " L" +
            std::to_string(each.location) + " " + name_of(each.order) + " = " + std::to_string(each.value);
    if (each.is_read())
      text += " from " + std::to_string(each.reads_from.thread) + "." + std::to_string(each.reads_from.index);
    text += "\n";
  }
  return text;
}

}  // namespace ramie::model
