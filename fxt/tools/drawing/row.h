// A row of a picture: calls beside each other, and marks. No call lies over another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "fxt/tools/drawing/shape.h"

namespace fxt::tools {

class Row {
 public:
  using Shapes = std::multimap<std::uint64_t, Shape>;  // by their begin

  // Cut where the next one begins; the one before it is cut at its begin.
  void put(Shape call);
  // False if it is the same frame as the one before it.
  bool mark(Shape mark);

  enum class Room : std::uint8_t {
    Free,   // no calls lie there but those that lie in it
    Taken,  // it lies in a call, or crosses one
  };
  Room room_for(const Shape& call) const;
  bool has_call_at(std::uint64_t time_ns) const;
  // Takes out what lies in this call.
  std::vector<Shape> take_inside(const Shape& call);

  // Merges neighbours that are narrower than a pixel of this width.
  void merge(std::uint64_t pixel_ns);

  const Shapes& calls() const { return calls_; }
  const Shapes& marks() const { return marks_; }
  std::size_t size() const { return calls_.size() + marks_.size(); }

 private:
  Shapes::const_iterator first_meeting(const Shape& call) const;

  Shapes calls_, marks_;
};

}  // namespace fxt::tools
