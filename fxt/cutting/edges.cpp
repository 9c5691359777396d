#include "fxt/cutting/edges.h"

#include <algorithm>

namespace fxt {
namespace {

// A look at the size for each of so many parts of a piece, about.
constexpr std::uint64_t kLooks = 64;

constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > ~std::uint64_t{0} - b ? ~std::uint64_t{0} : a + b;
}

}  // namespace

PieceSpan Edges::begin(std::uint64_t time) {
  PieceSpan piece;
  if (!has_begun_) {
    has_begun_ = true;
    piece.start = time;
    grid_ = piece.start;
  } else {
    piece.start = next_;
  }
  time_edge_ = kNever;
  if (split_ns_ != 0) {
    // Pieces in which nothing happens are none.
    const std::uint64_t number = (std::max(time, grid_) - grid_) / split_ns_;
    piece.start = std::max(piece.start, grid_ + number * split_ns_);
    time_edge_ = sum(grid_ + number * split_ns_, split_ns_);
  }
  set_last(piece, std::max(time, piece.start));
  return piece;
}

void Edges::set_head(std::uint64_t bytes) {
  step_bytes_ = bytes;
  piece_bytes_ = std::max(split_bytes_, sum(bytes, bytes));
}

void Edges::set_last(PieceSpan& piece, std::uint64_t time) {
  std::uint64_t edge = time_edge_;
  if (split_bytes_ != 0) edge = std::min(edge, sum(time, step_ns_));
  piece.last = std::min(edge - (edge == kNever ? 0 : 1), window_.to());
  piece.end = piece.last == window_.to() ? window_.to() : edge;
}

bool Edges::is_over(PieceSpan& piece, std::uint64_t time, std::uint64_t bytes) {
  if (time >= time_edge_) {
    piece.end = time_edge_;
    piece.last = time_edge_ - 1;
  }
  next_ = piece.end;
  if (piece.end == time_edge_) return true;
  const std::uint64_t grown = bytes - step_bytes_, usual = piece_bytes_ / kLooks;
  step_bytes_ = bytes;
  // Another step may be as large, and what is open must be ended.
  if (sum(bytes, 2 * grown) >= piece_bytes_) return true;
  if (grown > 2 * usual) step_ns_ = std::max<std::uint64_t>(step_ns_ / 2, 1);
  if (grown < usual / 2) step_ns_ = std::min(2 * step_ns_, kNever / 4);
  set_last(piece, time);
  return false;
}

}  // namespace fxt
