#include "fxt/tools/drawing/drawing_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <variant>

#include "fxt/support/text.h"
#include "fxt/tools/time_text.h"

namespace fxt::tools {

void DrawingReport::count_undrawn(const Record& record) {
  ++(std::holds_alternative<LargeBlob>(record) ? blobs_ : profiler_records_);
}

void DrawingReport::count_drawn(const Drawing& drawing) {
  calls = merged_calls = merged_shapes = frames = instants = merged_marks = merged_mark_shapes = 0;
  threads = counters = far_marks = operations = runs = cpus = 0;
  arrows = drawing.arrows.size();
  for (const Drawing::Lane& lane : drawing.lanes) {
    using enum Drawing::Lane::Kind;
    if (lane.kind == Thread) ++threads;
    if (lane.kind == Cpu) ++cpus;
    if (lane.kind == Counter) ++counters;
    for (const Row& row : lane.rows) {
      for (const auto& [begin, call] : row.calls()) {
        (lane.kind == Cpu ? runs : lane.kind == Operations ? operations : calls) += call.count;
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
  std::vector<std::string> drawn;
  if (calls != 0 || operations + runs == 0) drawn.push_back(counted(calls, "call"));
  if (frames != 0) drawn.push_back(counted(frames, "frame of GDB", "frames of GDB"));
  if (instants != 0) drawn.push_back(counted(instants, "instant"));
  if (arrows != 0) drawn.push_back(counted(arrows, "flow arrow"));
  if (counters != 0)
    drawn.push_back(fmt::format("{} of {}", counted(values, "value"), counted(counters, "counter")));
  std::vector<std::string> lines;
  if (!drawn.empty())
    lines.push_back(fmt::format("{} on {}", fmt::join(drawn, ", "), counted(threads, "thread")));
  if (operations != 0) lines.push_back(counted(operations, "async operation"));
  if (runs != 0)
    lines.push_back(fmt::format("{} of threads on {}", counted(runs, "run"), counted(cpus, "CPU")));

  const auto say = [&lines](std::uint64_t count, std::string_view one, std::string_view what) {
    if (count != 0) lines.push_back(fmt::format("{} {}", counted(count, one), what));
  };
  const std::string pixel = pixels == 1   ? "a pixel"
                            : pixels == 0 ? exact_time(merged_ns)
                                          : fmt::format("{} pixels", pixels);
  say(merged_calls, "call",
      fmt::format("narrower than {}, merged into {}", pixel, counted(merged_shapes, "gray shape")));
  say(merged_marks, "mark",
      fmt::format("less than {} apart, merged into {}", pixel, counted(merged_mark_shapes, "mark")));
  say(far_marks, "mark", "before the first call or after the last, drawn at the edges");
  say(endless, "call", "without an end in the trace");
  say(without_details, "call or mark",
      "shown without arguments, because there are too many different arguments");
  if (too_deep != 0)
    lines.push_back(fmt::format("{} not drawn, because of their depth (--max-depth)",
                                counted(too_deep, "call or mark", "calls or marks")));
  if (other_threads != 0)
    lines.push_back(fmt::format("{} with {} not drawn (--max-threads)", counted(other_threads, "more thread"),
                                counted(on_other_threads, "call or mark", "calls and marks")));
  if (other_lanes != 0)
    lines.push_back(fmt::format("{} with {} not drawn (--max-threads)",
                                counted(other_lanes, "more track of CPUs or async operations",
                                        "more tracks of CPUs or async operations"),
                                counted(on_other_lanes, "shape")));
  say(arrows_cut + arrows_without_row, "flow arrow",
      "not drawn, because one end is outside of the drawn part");
  say(arrows_too_many, "flow arrow", "not drawn, because there are too many");
  say(flow_events, "flow event", "not drawn, because the arrow would have no start or end");
  say(flows_too_many, "flow event", "not drawn, because too many flows are open");
  say(values_not_drawn, "value",
      "not drawn, because of a value that is not finite, or because there are too many counters");
  say(unmatched_ends, "end", "not drawn, because the start is missing");
  say(bad_times, "record", "not drawn, because of impossible times");
  say(unreadable, "record", "not drawn, because of damage or an unknown type");

  std::vector<std::string> others;
  if (blobs_ != 0) others.push_back(counted(blobs_, "blob"));
  if (profiler_records_ != 0) others.push_back(counted(profiler_records_, "profiler record"));
  if (!others.empty()) lines.push_back(fmt::format("not drawn: {}", fmt::join(others, ", ")));
  return lines;
}

}  // namespace fxt::tools
