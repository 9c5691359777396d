// The limits of a sink, and the rules for calls and instants that are nested too deep.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "converters/model/lanes/event.h"

namespace convert {

// The limits of a sink. Data that exceed a limit are dropped, cut or replaced, and counted.
struct SinkLimits {
  std::uint32_t arguments_per_record = std::numeric_limits<std::uint32_t>::max();
  std::size_t depth = std::numeric_limits<std::size_t>::max();         // levels of nested calls and instants
  std::uint64_t id_limit = std::numeric_limits<std::uint64_t>::max();  // shown ids are below this limit
};

enum class DurationForm : std::uint8_t { Mixed, Pairs };

struct ShortCallRule;

struct LaneOptions {
  SinkLimits limits = {};
  // Calls at this depth and deeper are dropped and counted. An instant is dropped if its level is at least
  // the larger of `max_depth` and the sink's depth.
  std::size_t max_depth = limits.depth;
  DurationForm durations = DurationForm::Mixed;
  // If null, calls of any length are emitted. The rule must outlive the lanes.
  const ShortCallRule* short_calls = nullptr;

  std::size_t deepest_instant() const { return std::max(max_depth, limits.depth) - 1; }
};

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

// The levels of a thread's instants. If several instants have the same time, viewers stack them inside the
// open calls.
class InstantStack {
 public:
  enum class Form : std::uint8_t {
    Instant,
    Pair,  // on the deepest level: a call of zero length, after which this level is free again
    TooDeep,
  };

  // Adds an instant inside `depth` open calls. Times must not decrease.
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
