// An execution for people: a line an event, a column a thread, names from the source.
//
//     thread 0        thread 1                       thread 2
//     0.1  x = 0
//                     1.1  x.store release = 1
//                                                    2.2  x.update acq_rel 1 -> 3   from 1.1
//
// Events are numbered thread.n, and lines stand in the order in which the checker ran them. Each reads from the line
// that it names. A read-modify-write is one line, numbered as what it writes.
#pragma once

#include <model/checker/execution.hpp>

#include <string>

namespace ramie::model {

[[nodiscard]] std::string trace_of(const execution& graph, const std::vector<event_id>& order);

}  // namespace ramie::model
