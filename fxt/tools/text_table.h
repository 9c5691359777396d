// A table of numbers, with a name at the end of each line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "fxt/support/text.h"

namespace fxt::tools {

// Columns are as wide as their texts. Names are cut to the width of the lines. Lines are not kept, because
// there may be very many: each one is first measured, and then printed.
class TextTable {
 public:
  // No line is longer than `columns`, unless fewer than 16 columns would be left for the name.
  explicit TextTable(double columns) : columns_(columns) {}

  // All lines have the same number of cells.
  void measure(const std::vector<std::string>& cells) {
    widths_.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], width_of(cells[i]));
  }
  // Every line must have been measured before. The line of titles has no name.
  void append_line(TextBuffer& out, const std::vector<std::string>& cells, const std::string& name) const {
    constexpr double kLeastName = 16;
    double left = columns_ - 2;
    for (const std::size_t width : widths_) left -= static_cast<double>(width + 2);
    for (std::size_t i = 0; i < cells.size(); ++i) append(out, "  {:>{}}", cells[i], widths_[i]);
    if (!name.empty())
      append(out, "  {}", columns_of(name) <= left ? name : fitted(name, std::max(left, kLeastName)));
    out.push_back('\n');
  }

 private:
  // The width in columns, because the µ of a time has two bytes.
  static std::size_t width_of(const std::string& cell) { return static_cast<std::size_t>(columns_of(cell)); }

  double columns_;
  std::vector<std::size_t> widths_;
};

}  // namespace fxt::tools
