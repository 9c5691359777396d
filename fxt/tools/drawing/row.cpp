#include "fxt/tools/drawing/row.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fxt::tools {
namespace {

// So wide may a shape of merged calls get: pointing at it still says something of a place.
constexpr std::uint64_t kMergedPixels = 8;

// Calls of no length take a place, too.
std::uint64_t place_end(const Shape& call) { return std::max(call.end_ns, call.begin_ns + 1); }

// What was merged may stand out a little.
bool is_inside(const Shape& inner, const Shape& outer) {
  return inner.begin_ns >= outer.begin_ns &&
         (inner.is_merged() ? inner.begin_ns < place_end(outer) : place_end(inner) <= place_end(outer));
}

bool is_narrow(const Shape& call, std::uint64_t pixel_ns) {
  return call.is_merged() || call.end_ns - call.begin_ns < pixel_ns;
}

bool are_one(const Shape& left, const Shape& right, std::uint64_t pixel_ns) {
  if (left.kind != right.kind) return false;
  if (left.kind != Shape::Kind::Call) return right.end_ns - left.begin_ns < pixel_ns;
  return is_narrow(left, pixel_ns) && is_narrow(right, pixel_ns) && right.begin_ns - left.end_ns < pixel_ns &&
         (right.end_ns - left.begin_ns) / kMergedPixels < pixel_ns;
}

void merge_neighbours(Row::Shapes& shapes, std::uint64_t pixel_ns) {
  if (shapes.empty()) return;
  for (auto left = shapes.begin(), right = std::next(left); right != shapes.end();) {
    Shape &one = left->second, &other = right->second;
    if (!are_one(one, other, pixel_ns)) {
      left = right++;
      continue;
    }
    one.end_ns = other.end_ns;
    one.count += other.count;
    if (other.longest_ns > one.longest_ns) {
      one.longest_ns = other.longest_ns;
      one.name = std::move(other.name);
    }
    right = shapes.erase(right);
  }
}

}  // namespace

void Row::put(Shape call) {
  const auto next = calls_.upper_bound(call.begin_ns);
  if (next != calls_.begin()) {
    Shape& before = std::prev(next)->second;
    before.end_ns = std::min(before.end_ns, call.begin_ns);
  }
  if (next != calls_.end()) call.end_ns = std::min(call.end_ns, next->first);
  calls_.emplace_hint(next, call.begin_ns, std::move(call));
}

bool Row::mark(Shape mark) {
  const auto next = marks_.upper_bound(mark.begin_ns);
  if (mark.frame && next != marks_.begin()) {
    const Shape& before = std::prev(next)->second;
    if (before.begin_ns == mark.begin_ns && before.frame == mark.frame) return false;
  }
  marks_.emplace_hint(next, mark.begin_ns, std::move(mark));
  return true;
}

Row::Shapes::const_iterator Row::first_meeting(const Shape& call) const {
  auto at = calls_.lower_bound(call.begin_ns);
  if (at != calls_.begin() && place_end(std::prev(at)->second) > call.begin_ns) --at;
  return at;
}

// As calls of a row lie beside each other, the first and the last of those that it meets tell of all.
Row::Room Row::room_for(const Shape& call) const {
  auto first = first_meeting(call);
  const auto behind = calls_.lower_bound(place_end(call));
  // A merged shape that stands out into the call is cut, not crossed.
  if (first != behind && first->second.is_merged() && first->second.begin_ns < call.begin_ns &&
      place_end(first->second) < place_end(call))
    ++first;
  if (first == behind) return Room::Free;
  const bool are_inside = is_inside(first->second, call) && is_inside(std::prev(behind)->second, call);
  return are_inside ? Room::Free : Room::Taken;
}

bool Row::has_call_at(std::uint64_t time_ns) const {
  const auto next = calls_.upper_bound(time_ns);
  return next != calls_.begin() && place_end(std::prev(next)->second) > time_ns;
}

std::vector<Shape> Row::take_inside(const Shape& call) {
  std::vector<Shape> taken;
  for (Shapes* const shapes : {&calls_, &marks_})
    for (auto at = shapes->lower_bound(call.begin_ns); at != shapes->end() && at->first < place_end(call);) {
      if (shapes == &calls_ && !is_inside(at->second, call)) {
        ++at;
        continue;
      }
      taken.push_back(std::move(at->second));
      at = shapes->erase(at);
    }
  return taken;
}

void Row::merge(std::uint64_t pixel_ns) {
  merge_neighbours(calls_, pixel_ns);
  merge_neighbours(marks_, pixel_ns);
}

}  // namespace fxt::tools
