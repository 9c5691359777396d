#include "converters/app/range_sink.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

#include "converters/model/option.h"

namespace convert {

void RangeSink::write(std::span<const MergedRun> runs) {
  if (runs.empty()) return;
  const std::span<const PendingEvent> first = runs.front().slots;
  const bool is_first = !has_begun_;
  has_begun_ = true;
  find_start(first.front().time_ns);
  if (window_.side_of(runs.back().slots.back().time_ns) == fxt::TimeWindow::Side::After) is_over_ = true;
  // Who comes after us finds the start by it, too.
  if (is_first || first.front().time_ns >= window_.from()) return next_.write(runs);
  needed_.clear();
  for (const MergedRun& run : runs) pass_needed(run);
  if (!needed_.empty()) next_.write(needed_);
}

// The first time is the start.
void RangeSink::find_start(std::uint64_t time_ns) {
  try {
    window_.side_of(time_ns);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--time-range: {}", error.what()));
  }
}

// All but calls that are over, and instants: the rest leaves something behind.
void RangeSink::pass_needed(const MergedRun& run) {
  const auto is_over = [from = window_.from()](const PendingEvent& slot) {
    return slot.time_ns < from &&
           ((slot.kind == EventKind::Complete && slot.end_ns < from) || slot.kind == EventKind::Instant);
  };
  for (auto at = run.slots.begin(); at != run.slots.end();) {
    const auto begin = std::find_if_not(at, run.slots.end(), is_over);
    left_out_ += static_cast<std::uint64_t>(begin - at);
    at = std::find_if(begin, run.slots.end(), is_over);
    if (begin != at) needed_.push_back({{begin, at}, run.lane});
  }
}

}  // namespace convert
