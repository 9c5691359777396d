#include "fxt/tools/drawing/rows.h"

#include <iterator>
#include <utility>

namespace fxt::tools {
namespace {

// The maximum width of a shape of merged calls. A click on it must select only a small part of the picture.
constexpr std::uint64_t kMergedPixels = 8;

bool is_narrow(const Shape& call, std::uint64_t pixel_ns) {
  return call.is_merged() || call.end_ns - call.begin_ns < pixel_ns;
}

bool are_one(const Shape& left, const Shape& right, std::uint64_t pixel_ns) {
  if (left.kind != right.kind) return false;
  if (left.kind != Shape::Kind::Call) return right.end_ns - left.begin_ns < pixel_ns;
  return is_narrow(left, pixel_ns) && is_narrow(right, pixel_ns) && right.begin_ns - left.end_ns < pixel_ns &&
         (right.end_ns - left.begin_ns) / kMergedPixels < pixel_ns;
}

void absorb(Shape& one, const Shape& other) {
  one.end_ns = other.end_ns;
  one.count += other.count;
  if (other.longest_ns <= one.longest_ns) return;
  one.longest_ns = other.longest_ns;
  one.name = other.name;
}

std::size_t merge_neighbors(Row::Shapes& shapes, std::uint64_t pixel_ns, std::size_t excess) {
  std::size_t merged = 0;
  if (shapes.empty()) return merged;
  for (auto left = shapes.begin(), right = std::next(left); right != shapes.end() && merged < excess;) {
    if (are_one(left->second, right->second, pixel_ns)) {
      absorb(left->second, right->second);
      right = shapes.erase(right);
      ++merged;
    } else {
      left = right++;
    }
  }
  return merged;
}

}  // namespace

bool Row::put(const Shape& call, std::uint64_t merged_ns) {
  if (calls_.empty() || calls_.rbegin()->first <= call.begin_ns) {
    if (!calls_.empty()) {
      Shape& last = calls_.rbegin()->second;
      if (call.begin_ns >= last.end_ns && are_one(last, call, merged_ns)) {
        absorb(last, call);
        return false;
      }
      last.end_ns = std::min(last.end_ns, call.begin_ns);
    }
    calls_.emplace_hint(calls_.end(), call.begin_ns, call);
    return true;
  }
  const auto next = calls_.upper_bound(call.begin_ns);
  if (next != calls_.begin()) {
    Shape& before = std::prev(next)->second;
    before.end_ns = std::min(before.end_ns, call.begin_ns);
  }
  const auto placed = calls_.emplace_hint(next, call.begin_ns, call);
  if (next != calls_.end()) placed->second.end_ns = std::min(call.end_ns, next->first);
  return true;
}

bool Row::mark(const Shape& mark) {
  const auto next = marks_.upper_bound(mark.begin_ns);
  if (mark.frame && next != marks_.begin()) {
    const Shape& before = std::prev(next)->second;
    if (before.begin_ns == mark.begin_ns && before.frame == mark.frame) return false;
  }
  marks_.emplace_hint(next, mark.begin_ns, mark);
  return true;
}

std::size_t Row::merge(std::uint64_t pixel_ns, std::size_t excess) {
  const std::size_t calls = merge_neighbors(calls_, pixel_ns, excess);
  return calls + merge_neighbors(marks_, pixel_ns, excess - calls);
}

Row& ThreadRows::row(std::size_t number) {
  if (number >= rows_.size()) rows_.resize(number + 1);
  return rows_[number];
}

std::uint64_t ThreadRows::put(std::size_t row, const Shape& call, std::uint64_t merged_ns) {
  if (row >= max_rows_) return call.count;
  if (this->row(row).put(call, merged_ns)) ++size_;
  return 0;
}

ThreadRows::Marked ThreadRows::mark(std::size_t row, const Shape& mark) {
  if (row >= max_rows_) return Marked::TooDeep;
  if (!this->row(row).mark(mark)) return Marked::Known;
  ++size_;
  return Marked::New;
}

std::size_t ThreadRows::merge(std::uint64_t pixel_ns, std::size_t excess) {
  std::size_t merged = 0;
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) merged += row->merge(pixel_ns, excess - merged);
  size_ -= merged;
  return merged;
}

}  // namespace fxt::tools
