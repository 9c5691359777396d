#include "fxt/tools/drawing/drawing_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fxt/support/text.h"
#include "fxt/tools/time_text.h"

namespace fxt::tools {
namespace {

struct Noun {
  std::string_view one, several;
};

constexpr Noun kCall{"call", "calls"}, kMark{"mark", "marks"};

std::string count_of(std::uint64_t count, const Noun& noun) {
  return fxt::counted(count, noun.one, noun.several);
}

}  // namespace

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
  flows = drawing.arrows.size();
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
  constexpr std::array<Noun, kKinds> kNouns{{{"async event", "async events"},
                                             {"context switch", "context switches"},
                                             {"wakeup", "wakeups"},
                                             {"log message", "log messages"},
                                             {"blob", "blobs"},
                                             {"profiler record", "profiler records"}}};
  std::vector<std::string> drawn{count_of(calls, kCall)};
  if (frames != 0) drawn.push_back(count_of(frames, {"frame of GDB", "frames of GDB"}));
  if (instants != 0) drawn.push_back(count_of(instants, {"instant", "instants"}));
  if (flows != 0) drawn.push_back(count_of(flows, {"flow", "flows"}));
  if (counters != 0)
    drawn.push_back(fmt::format("{} of {}", count_of(values, {"value", "values"}),
                                count_of(counters, {"counter", "counters"})));
  std::vector<std::string> lines{
      fmt::format("{} on {}", fmt::join(drawn, ", "), count_of(threads, {"thread", "threads"}))};

  const auto say = [&lines](std::uint64_t count, const Noun& noun, std::string_view what) {
    if (count != 0) lines.push_back(fmt::format("{} {}", count_of(count, noun), what));
  };
  const std::string pixel = pixels == 1   ? "a pixel"
                            : pixels == 0 ? exact_time(merged_ns)
                                          : fmt::format("{} pixels", pixels);
  say(merged_calls, kCall,
      fmt::format("narrower than {} in {}", pixel, count_of(merged_shapes, {"gray shape", "gray shapes"})));
  say(merged_marks, kMark,
      fmt::format("less than {} apart in {}", pixel, count_of(merged_mark_shapes, kMark)));
  say(far_marks, kMark, "before or behind the calls: at the ends of the axis");
  say(late, {"event", "events"}, "behind later ones of their thread: drawn where there is room");
  say(endless, kCall, "without an end in the trace");
  say(too_deep, {"call or mark", "calls or marks"}, "not drawn: nested too deep (--max-depth)");
  if (other_threads != 0)
    lines.push_back(fmt::format("{} with {} not drawn (--max-threads)",
                                count_of(other_threads, {"more thread", "more threads"}),
                                count_of(on_other_threads, {"call or mark", "calls and marks"})));
  say(flows_cut, {"flow", "flows"}, "not drawn: one end is outside of what is drawn");
  say(flows_too_many, {"flow", "flows"}, "not drawn: too many");
  say(values_not_drawn, {"value", "values"}, "not drawn: no number, or of too many counters");
  say(unmatched_ends, {"end", "ends"}, "not drawn: no begin in the trace");
  say(bad_times, {"record", "records"}, "not drawn: impossible times");
  say(unreadable, {"record", "records"}, "not drawn: damaged, or of an unknown type");

  std::vector<std::string> others;
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    if (left_out_[kind] != 0) others.push_back(count_of(left_out_[kind], kNouns[kind]));
  if (!others.empty()) lines.push_back(fmt::format("not drawn: {}", fmt::join(others, ", ")));
  return lines;
}

}  // namespace fxt::tools
