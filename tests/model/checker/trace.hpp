// An execution for people: a line an event, a column a thread.
#pragma once

#include <model/checker/execution.hpp>

#include <string>

namespace ramie::model {

[[nodiscard]] std::string trace_of(const execution& graph, const std::vector<event_id>& order);

}  // namespace ramie::model
