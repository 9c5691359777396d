#include "fxt/tools/drawing/lane.h"

#include <utility>

namespace fxt::tools {

Row& Lane::row(std::size_t number) {
  if (number >= rows_.size()) rows_.resize(number + 1);
  return rows_[number];
}

std::uint64_t Lane::put(std::size_t row, Shape call) {
  if (row >= max_rows_) return call.count;
  this->row(row).put(std::move(call));
  return 0;
}

std::uint64_t Lane::put_late(std::size_t first_row, const Shape& call) {
  for (std::size_t number = first_row; number < max_rows_; ++number) {
    const Row::Room room = row(number).room_for(call);
    if (room == Row::Room::Taken) continue;
    const std::uint64_t lost = move_down(number, call);
    row(number).put(call);
    return lost;
  }
  return call.count;
}

// The lowest row first: each moves into the room that the one below it has left.
std::uint64_t Lane::move_down(std::size_t row, const Shape& outer) {
  std::uint64_t lost = 0;
  for (std::size_t number = rows_.size(); number-- > row;)
    for (Shape& shape : rows_[number].take_inside(outer)) {
      if (shape.kind == Shape::Kind::Call)
        lost += put(number + 1, std::move(shape));
      else
        lost += mark(number + 1, shape) == Marked::TooDeep ? shape.count : 0;
    }
  return lost;
}

std::size_t Lane::row_at(std::size_t first_row, std::uint64_t time_ns) const {
  std::size_t number = first_row;
  while (number < rows_.size() && rows_[number].has_call_at(time_ns)) ++number;
  return number;
}

Lane::Marked Lane::mark(std::size_t row, Shape mark) {
  if (row >= max_rows_) return Marked::TooDeep;
  return this->row(row).mark(std::move(mark)) ? Marked::New : Marked::Known;
}

void Lane::merge(std::uint64_t pixel_ns) {
  for (Row& row : rows_) row.merge(pixel_ns);
}

std::size_t Lane::size() const {
  std::size_t shapes = 0;
  for (const Row& row : rows_) shapes += row.size();
  return shapes;
}

}  // namespace fxt::tools
