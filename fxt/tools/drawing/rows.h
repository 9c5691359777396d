// The rows of a thread in a picture: shapes beside each other in a row, nested calls below each other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace fxt::tools {

// What a row of a picture shows: a call, a mark, or several of them that are too narrow to be told apart.
struct Shape {
  enum class Kind : std::uint8_t { Call, Frame, Instant };

  Kind kind = Kind::Call;
  std::uint64_t begin_ns = 0, end_ns = 0;  // as drawn in its row
  std::uint64_t longest_ns = 0;            // length of the longest of its calls
  std::uint32_t name = 0;                  // its number: of the longest call; of the first mark
  std::uint32_t details = 0;               // their number; 0: none
  std::optional<std::uint64_t> frame = {};
  std::uint64_t count = 1;
  bool has_end = true;  // false if the trace has no end of the call

  bool is_merged() const { return count > 1; }
};

// Calls beside each other, and marks. No call covers another one.
class Row {
 public:
  using Shapes = std::multimap<std::uint64_t, Shape>;  // by begin_ns

  // Cuts the call where the next one begins, and the call before it where it begins. Behind the last one it
  // may become one with it, as by merge(merged_ns); false then.
  bool put(const Shape& call, std::uint64_t merged_ns = 0);
  // False if it is the same frame as the mark before it.
  bool mark(const Shape& mark);

  // Merges neighbours that are narrower than a pixel of this width, the earliest first, until there are
  // `excess` fewer shapes, or no more can be merged. Returns how many fewer there are.
  std::size_t merge(std::uint64_t pixel_ns, std::size_t excess);

  const Shapes& calls() const { return calls_; }
  const Shapes& marks() const { return marks_; }
  std::size_t size() const { return calls_.size() + marks_.size(); }

 private:
  Shapes calls_, marks_;
};

// All rows of a thread.
class ThreadRows {
 public:
  explicit ThreadRows(std::size_t max_rows) : max_rows_(max_rows) {}

  // Returns how many calls have no row because they are nested too deep.
  std::uint64_t put(std::size_t row, const Shape& call, std::uint64_t merged_ns = 0);
  enum class Marked : std::uint8_t { New, Known, TooDeep };
  Marked mark(std::size_t row, const Shape& mark);

  // As Row::merge(), the lowest row first.
  std::size_t merge(std::uint64_t pixel_ns, std::size_t excess);

  const std::vector<Row>& rows() const { return rows_; }
  std::size_t size() const { return size_; }  // in shapes

 private:
  Row& row(std::size_t number);

  std::size_t max_rows_;
  std::vector<Row> rows_;
  std::size_t size_ = 0;
};

// How many shapes all rows hold together. Where they become too many, narrow ones are merged, until half of
// the limit is left.
class ShapeBudget {
 public:
  explicit ShapeBudget(std::size_t limit = 180'000) : limit_(limit) {}

  void change(std::size_t before, std::size_t after) { held_ = held_ - before + after; }
  // `merge(width_ns, excess)` merges what is narrower, as Row::merge() does. `longest_ns`: nothing is wider.
  template <typename Merge>
  void make_room(std::uint64_t longest_ns, Merge merge) {
    if (held_ <= limit_) return;
    while (held_ > limit_ / 2) {
      merged_ns_ = std::max<std::uint64_t>(1, 2 * merged_ns_);
      held_ -= merge(merged_ns_, held_ - limit_ / 2);
      // What can't be merged: marks of rows far apart.
      if (merged_ns_ > longest_ns) limit_ = std::max(limit_, 2 * held_);
    }
  }
  // The greatest width below which shapes were merged; 0: none were.
  std::uint64_t merged_ns() const { return merged_ns_; }

 private:
  std::size_t held_ = 0, limit_;
  std::uint64_t merged_ns_ = 0;
};

}  // namespace fxt::tools
