#include "fxt/tools/drawing/drawing_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <type_traits>
#include <utility>
#include <variant>

#include "fxt/support/text.h"
#include "fxt/tools/time_text.h"

namespace fxt::tools {

void DrawingReport::count_undrawn(const Record& record) {
  const auto count = [this](Kind kind) { ++left_out_[static_cast<std::size_t>(kind)]; };
  std::visit(
      [&]<typename T>(const T&) {
        if constexpr (std::is_same_v<T, Event>) {
          count(Kind::Async);
        } else if constexpr (std::is_same_v<T, LegacyContextSwitch> || std::is_same_v<T, ContextSwitch>) {
          count(Kind::Switch);
        } else if constexpr (std::is_same_v<T, ThreadWakeup>) {
          count(Kind::Wakeup);
        } else if constexpr (std::is_same_v<T, Log>) {
          count(Kind::Log);
        } else if constexpr (std::is_same_v<T, LargeBlob>) {
          count(Kind::Blob);
        } else {
          count(Kind::Profiler);
        }
      },
      record);
}

void DrawingReport::count_drawn(const Drawing& drawing) {
  calls = merged_calls = merged_shapes = frames = instants = merged_marks = merged_mark_shapes = 0;
  threads = counters = far_marks = 0;
  arrows = drawing.arrows.size();
  for (const Drawing::Lane& lane : drawing.lanes) {
    ++(lane.values.empty() ? threads : counters);
    for (const Row& row : lane.rows) {
      for (const auto& [begin, call] : row.calls()) {
        calls += call.count;
        if (!call.is_merged()) continue;
        merged_calls += call.count;
        ++merged_shapes;
      }
      for (const auto& [begin, mark] : row.marks()) {
        (mark.kind == Shape::Kind::Frame ? frames : instants) += mark.count;
        if (mark.end_ns < drawing.from_ns || mark.begin_ns > drawing.to_ns) far_marks += mark.count;
        if (!mark.is_merged()) continue;
        merged_marks += mark.count;
        ++merged_mark_shapes;
      }
    }
  }
}

std::vector<std::string> DrawingReport::lines() const {
  std::vector<std::string> drawn{counted(calls, "call")};
  if (frames != 0) drawn.push_back(counted(frames, "frame of GDB", "frames of GDB"));
  if (instants != 0) drawn.push_back(counted(instants, "instant"));
  if (arrows != 0) drawn.push_back(counted(arrows, "flow arrow"));
  if (counters != 0)
    drawn.push_back(fmt::format("{} of {}", counted(values, "value"), counted(counters, "counter")));
  std::vector<std::string> lines{fmt::format("{} on {}", fmt::join(drawn, ", "), counted(threads, "thread"))};

  const auto say = [&lines](std::uint64_t count, std::string_view one, std::string_view what) {
    if (count != 0) lines.push_back(fmt::format("{} {}", counted(count, one), what));
  };
  const std::string pixel = pixels == 1   ? "a pixel"
                            : pixels == 0 ? exact_time(merged_ns)
                                          : fmt::format("{} pixels", pixels);
  say(merged_calls, "call",
      fmt::format("narrower than {} in {}", pixel, counted(merged_shapes, "gray shape")));
  say(merged_marks, "mark",
      fmt::format("less than {} apart in {}", pixel, counted(merged_mark_shapes, "mark")));
  say(far_marks, "mark", "before or behind the calls: at the ends of the axis");
  say(endless, "call", "without an end in the trace");
  if (too_deep != 0)
    lines.push_back(fmt::format("{} not drawn: nested too deep (--max-depth)",
                                counted(too_deep, "call or mark", "calls or marks")));
  if (other_threads != 0)
    lines.push_back(fmt::format("{} with {} not drawn (--max-threads)", counted(other_threads, "more thread"),
                                counted(on_other_threads, "call or mark", "calls and marks")));
  say(arrows_cut + arrows_without_row, "flow arrow", "not drawn: one end is outside of what is drawn");
  say(arrows_too_many, "flow arrow", "not drawn: too many");
  say(flow_events, "flow event", "not drawn: nothing to draw an arrow from or to");
  say(flows_too_many, "flow event", "not drawn: too many flows are open");
  say(values_not_drawn, "value", "not drawn: no number, not finite, or of too many counters");
  say(unmatched_ends, "end", "not drawn: no begin in the trace");
  say(bad_times, "record", "not drawn: impossible times");
  say(unreadable, "record", "not drawn: damaged, or of an unknown type");

  constexpr std::array<std::pair<std::string_view, std::string_view>, kKinds> kNames{
      {{"async event", ""},
       {"context switch", "context switches"},
       {"wakeup", ""},
       {"log message", ""},
       {"blob", ""},
       {"profiler record", ""}}};
  std::vector<std::string> others;
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    if (const auto& [one, several] = kNames[kind]; left_out_[kind] != 0)
      others.push_back(counted(left_out_[kind], one, several));
  if (!others.empty()) lines.push_back(fmt::format("not drawn: {}", fmt::join(others, ", ")));
  return lines;
}

}  // namespace fxt::tools
