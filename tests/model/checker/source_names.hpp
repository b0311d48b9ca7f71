// The names of a model's locations in the source.
#pragma once

#include <model/checker/execution.hpp>

#include <map>
#include <string>
#include <vector>

namespace ramie::model {

/// Lines of source files, read when they are first asked for.
class source_lines {
 public:
  /// Empty if there is no such line, or no such file any more.
  [[nodiscard]] const std::string& at(const site& where);

 private:
  std::map<std::string, std::vector<std::string>> m_files;
};

/// The identifier that is operated on at this column: `m_top` in `x->m_top.load(`, `m_word` in `futex_wait(m_word,`.
/// Compilers differ in what column they give, gcc the parenthesis, clang the beginning.
[[nodiscard]] std::string operated_on(const std::string& line, std::size_t column);
/// The identifier that is declared: `m_top` in `atomic<int> m_top{0};`.
[[nodiscard]] std::string declared(const std::string& line, std::size_t column);

/// A name for each location: what the first operation on it calls it, or else its declaration; then the place where it
/// is made. Several of one name (the cells of an array) are numbered: `m_cells#0`.
[[nodiscard]] std::vector<std::string> names_of(const execution& graph, const std::vector<event_id>& order);

}  // namespace ramie::model
