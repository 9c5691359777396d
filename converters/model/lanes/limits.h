// The limits of a sink for one thread, and the rules for calls and instants that exceed them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "converters/model/lanes/event.h"

namespace convert {

// The limits of a sink. Lanes and the timeline drop, cut or replace events beyond them, and count these.
struct SinkLimits {
  std::uint32_t arguments_per_record = std::numeric_limits<std::uint32_t>::max();
  std::size_t depth = std::numeric_limits<std::size_t>::max();         // levels of nested calls and instants
  std::uint64_t id_limit = std::numeric_limits<std::uint64_t>::max();  // ids of threads are below it
};

enum class DurationForm : std::uint8_t { Mixed, Pairs };

struct ShortCallRule;

struct LaneOptions {
  SinkLimits limits = {};
  // Calls at this depth and deeper are dropped, with their begin and end, and counted. Instants are dropped
  // if they would be deeper than both `max_depth` and the sink's depth.
  std::size_t max_depth = limits.depth;
  DurationForm durations = DurationForm::Mixed;
  // Null: calls of any length are emitted. Borrowed.
  const ShortCallRule* short_calls = nullptr;

  // The deepest level that an instant can have.
  std::size_t deepest_instant() const { return std::max(max_depth, limits.depth) - 1; }
};

// The number of calls and instants of a lane that were dropped because they are nested too deep.
struct TooDeepCount {
  std::uint64_t count = 0;
  LabelId first{};

  void add(LabelId label) {
    if (count++ == 0) first = label;
  }
  void join(const TooDeepCount& later) {
    if (count == 0) first = later.first;
    count += later.count;
  }
};

// The levels of a thread's instants. Viewers stack instants with the same time on top of each other, above
// the open calls.
class InstantStack {
 public:
  enum class Form : std::uint8_t {
    Instant,
    Pair,  // on the deepest level: a call of zero length, after which the level is free again
    TooDeep,
  };

  // Adds an instant above `depth` calls. Times must not decrease.
  Form add(std::uint64_t time_ns, std::size_t depth, std::size_t deepest) {
    if (std::exchange(time_ns_, time_ns) != time_ns) count_ = 0;
    const std::size_t level = depth + count_;
    if (level > deepest) return Form::TooDeep;
    if (level == deepest) return Form::Pair;
    ++count_;
    return Form::Instant;
  }

 private:
  std::uint64_t time_ns_ = kForever;  // time of the latest instant
  std::size_t count_ = 0;             // number of instants at that time
};

}  // namespace convert
