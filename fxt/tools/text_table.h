// A table of numbers, with a name at the end of each line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fxt/support/text.h"

namespace fxt::tools {

// Columns are as wide as their texts. Names are cut to the width of the lines.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> titles) { add(std::move(titles), {}); }
  // `cells` must be as many as the titles.
  void add(std::vector<std::string> cells, std::string name) {
    widths_.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], width_of(cells[i]));
    lines_.push_back({.cells = std::move(cells), .name = std::move(name)});
  }
  // No line is longer than `columns`, unless fewer than 16 columns would be left for the name.
  void append_to(TextBuffer& out, double columns) const {
    constexpr double kLeastName = 16;
    double left = columns - 2;
    for (const std::size_t width : widths_) left -= static_cast<double>(width + 2);
    for (const auto& [cells, name] : lines_) {
      for (std::size_t i = 0; i < cells.size(); ++i) append(out, "  {:>{}}", cells[i], widths_[i]);
      if (!name.empty())
        append(out, "  {}", columns_of(name) <= left ? name : fitted(name, std::max(left, kLeastName)));
      out.push_back('\n');
    }
  }

 private:
  // The width in columns, because the µ of a time has two bytes.
  static std::size_t width_of(const std::string& cell) { return static_cast<std::size_t>(columns_of(cell)); }

  struct Line {
    std::vector<std::string> cells;
    std::string name;
  };
  std::vector<Line> lines_;
  std::vector<std::size_t> widths_;
};

}  // namespace fxt::tools
