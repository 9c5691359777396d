// The rows of a thread in a picture. Shapes in a row are next to each other; nested calls are below each
// other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace fxt::tools {

// A shape in a row: a call, an instant, or several narrow calls or instants.
struct Shape {
  enum class Kind : std::uint8_t { Call, Frame, Instant };

  Kind kind = Kind::Call;
  std::uint64_t begin_ns = 0, end_ns = 0;  // as drawn in its row
  std::uint64_t longest_ns = 0;            // length of the longest call in the shape
  std::uint32_t name = 0;                  // name index of the longest call, or of the first instant
  std::uint32_t details = 0;               // index of the shape's details; 0 without details
  std::optional<std::uint64_t> frame = {};
  std::uint64_t count = 1;
  bool has_end = true;  // false if the end of the call is missing in the trace

  bool is_merged() const { return count > 1; }
};

// Calls next to each other, and instants. Calls do not overlap.
class Row {
 public:
  using Shapes = std::multimap<std::uint64_t, Shape>;  // by begin_ns

  // Adds a call, and returns true. If it overlaps with the next call of the row, it is shortened. If the
  // previous call overlaps with it, the previous call is shortened. If merge() with pixels of `merged_ns`
  // would merge it into the last shape of the row, put() does so at once, and returns false.
  bool put(const Shape& call, std::uint64_t merged_ns = 0);
  // Adds an instant. Returns false, and adds nothing, if an instant at this time shows the same frame.
  bool mark(const Shape& mark);

  // Merges neighbors that are narrower than a pixel of this width, the earliest first. Stops when there are
  // `excess` fewer shapes, or when nothing more can be merged. Returns the number of removed shapes.
  std::size_t merge(std::uint64_t pixel_ns, std::size_t excess);

  const Shapes& calls() const { return calls_; }
  const Shapes& marks() const { return marks_; }
  std::size_t size() const { return calls_.size() + marks_.size(); }

 private:
  Shapes calls_, marks_;
};

class ThreadRows {
 public:
  explicit ThreadRows(std::size_t max_rows) : max_rows_(max_rows) {}

  // Adds a shape of one or more calls, and returns 0. If `row` is too deep, adds nothing, and returns the
  // number of calls in the shape.
  std::uint64_t put(std::size_t row, const Shape& call, std::uint64_t merged_ns = 0);
  enum class Marked : std::uint8_t { New, Known, TooDeep };
  Marked mark(std::size_t row, const Shape& mark);

  // Merges like Row::merge(), starting with the lowest row.
  std::size_t merge(std::uint64_t pixel_ns, std::size_t excess);

  const std::vector<Row>& rows() const { return rows_; }
  std::size_t size() const { return size_; }  // number of shapes

 private:
  Row& row(std::size_t number);

  std::size_t max_rows_;
  std::vector<Row> rows_;
  std::size_t size_ = 0;
};

// Limits the number of shapes in all rows. If there are too many, narrow shapes are merged until only
// half of the limit is used.
class ShapeBudget {
 public:
  explicit ShapeBudget(std::size_t limit = 180'000) : limit_(limit) {}

  void change(std::size_t before, std::size_t after) { held_ = held_ - before + after; }
  // Must be called after shapes were added. If there are too many, calls `merge(width_ns, excess)` with
  // increasing widths. `merge` must merge shapes narrower than `width_ns`, like Row::merge(). `longest_ns` is
  // the length of the longest shape, or more.
  template <typename Merge>
  void make_room(std::uint64_t longest_ns, Merge merge) {
    if (held_ <= limit_) return;
    while (held_ > limit_ / 2) {
      merged_ns_ = std::max<std::uint64_t>(1, 2 * merged_ns_);
      held_ -= merge(merged_ns_, held_ - limit_ / 2);
      // After shapes of every length were merged, the remaining shapes can't be merged, because they are in
      // different rows or of different kinds. Therefore, the limit is increased.
      if (merged_ns_ > longest_ns) limit_ = std::max(limit_, 2 * held_);
    }
  }
  // The greatest width below which shapes were merged; 0 if none were merged.
  std::uint64_t merged_ns() const { return merged_ns_; }

 private:
  std::size_t held_ = 0, limit_;
  std::uint64_t merged_ns_ = 0;
};

}  // namespace fxt::tools
