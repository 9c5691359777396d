// The rows of a thread, nested calls below each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fxt/tools/drawing/row.h"

namespace fxt::tools {

class Lane {
 public:
  explicit Lane(std::size_t max_rows) : max_rows_(max_rows) {}

  // What takes a call returns how many have no row: they are nested too deep.
  std::uint64_t put(std::size_t row, Shape call);
  // A call that the trace tells of behind later ones: calls that lie in it move down, below those it lies in.
  // Calls that have not ended yet fill the rows above `first_row`.
  std::uint64_t put_late(std::size_t first_row, const Shape& call);

  // The row of a mark that stands behind what is later: below the calls that it lies in.
  std::size_t row_at(std::size_t first_row, std::uint64_t time_ns) const;
  enum class Marked : std::uint8_t { New, Known, TooDeep };
  Marked mark(std::size_t row, Shape mark);

  void merge(std::uint64_t pixel_ns);

  const std::vector<Row>& rows() const { return rows_; }
  std::size_t size() const;  // in shapes

 private:
  Row& row(std::size_t number);
  std::uint64_t move_down(std::size_t row, const Shape& outer);

  std::size_t max_rows_;
  std::vector<Row> rows_;
};

}  // namespace fxt::tools
