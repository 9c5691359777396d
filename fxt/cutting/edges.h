// Where pieces begin and end. Internal to the Cutter.
#pragma once

#include <cstdint>

#include "fxt/cutter.h"
#include "fxt/time_range.h"

namespace fxt {

// Until when a piece lasts.
struct PieceSpan {
  std::uint64_t start = 0;  // what began before is begun again here
  std::uint64_t last = 0;   // what happens after this may belong to the next one
  std::uint64_t end = 0;    // where what lasts longer is cut: this, or right behind it
};

class Edges {
 public:
  explicit Edges(const CutOptions& options)
      : split_ns_(options.split_ns), split_bytes_(options.split_bytes), window_(options.range) {}

  using Side = TimeWindow::Side;
  Side side_of(std::uint64_t time) { return window_.side_of(time); }
  // Before any record has a time, 0.
  std::uint64_t range_start() const { return window_.from(); }
  std::uint64_t range_end() const { return window_.to(); }

  // The piece that this time belongs to; the first one begins with it.
  PieceSpan begin(std::uint64_t time);
  // So large is what a piece repeats of the time before: it must have room for as much again.
  void set_head(std::uint64_t bytes);
  // A record has a time behind the last one of the piece, whose size is told: true if the piece is over, else
  // it lasts longer now.
  bool is_over(PieceSpan& piece, std::uint64_t time, std::uint64_t bytes);

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  void set_last(PieceSpan& piece, std::uint64_t time);

  std::uint64_t split_ns_, split_bytes_;
  TimeWindow window_;
  bool has_begun_ = false;
  std::uint64_t grid_ = 0;       // where the first piece began
  std::uint64_t next_ = 0;       // where the last piece was cut
  std::uint64_t time_edge_ = 0;  // of the piece: where the next one begins; kNever: nowhere
  // Of pieces of a size: it is looked at once in a while, which is made longer and shorter.
  std::uint64_t step_ns_ = 1000;
  std::uint64_t step_bytes_ = 0;  // size at the last look
  std::uint64_t piece_bytes_ = 0;
};

}  // namespace fxt
