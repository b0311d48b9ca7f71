// A table for people, in plain text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "framework/colour.hpp"

namespace bench {

/// Columns as wide as their widest cell; the first `left` columns are text, the others numbers. The first line is the
/// heading, the last column a note without a width.
class text_table {
 public:
  explicit text_table(std::vector<std::string> header, std::size_t left) : m_left(left) {
    add(std::move(header), tint::heading);
  }

  void add(std::vector<std::string> cells, tint how = tint::plain, tint note = tint::plain) {
    m_widths.resize(std::max(m_widths.size(), cells.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) m_widths[i] = std::max(m_widths[i], cells[i].size());
    m_lines.push_back({.cells = std::move(cells), .how = how, .note = note});
  }

  /// Without the notes.
  [[nodiscard]] std::size_t columns() const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i + 1 < m_widths.size(); ++i) sum += m_widths[i] + (i < m_left ? 1 : 2);
    return sum + 1;
  }

  [[nodiscard]] std::string text(const palette& colours) const {
    std::string all;
    for (const line& l : m_lines) {
      std::string text = " ";
      for (std::size_t i = 0; i + 1 < l.cells.size(); ++i) {
        text += i < m_left ? fmt::format(" {:<{}}", l.cells[i], m_widths[i])
                           : fmt::format("  {:>{}}", l.cells[i], m_widths[i]);
      }
      const std::string& note = l.cells.back();
      if (note.empty()) text.erase(text.find_last_not_of(' ') + 1);
      all += colours.paint(l.how, text);
      if (!note.empty()) all += "  " + colours.paint(l.note, note);
      all += "\n";
    }
    return all;
  }

 private:
  struct line {
    std::vector<std::string> cells;
    tint how;
    tint note;
  };

  std::size_t m_left;
  std::vector<std::size_t> m_widths;
  std::vector<line> m_lines;
};

}  // namespace bench
