// What a thread has no room to show, because it is nested too deep.
#pragma once

#include <cstdint>

#include "converters/model/lanes/event.h"

namespace convert {

struct TooDeepCount {
  std::uint64_t count = 0;  // calls and instants
  LabelId first{};          // of them

  void add(LabelId label) {
    if (count++ == 0) first = label;
  }
  void join(const TooDeepCount& later) {
    if (count == 0) first = later.first;
    count += later.count;
  }
};

}  // namespace convert
