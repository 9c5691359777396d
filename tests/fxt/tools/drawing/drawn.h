// Small traces, and their drawings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/ordered_reader.h"
#include "fxt/tools/drawing/picture.h"
#include "fxt/tools/drawing/timeline.h"
#include "tests/fxt/sample_trace.h"

namespace fxt::test {

// Calls are on this thread, unless a test names another thread.
inline constexpr Thread kDrawnThread{.process = 1, .thread = 2};

inline Event call(std::uint64_t begin, std::uint64_t end, std::string_view name,
                  const Thread& thread = kDrawnThread, std::string_view category = "app") {
  return {.type = EventType::DurationComplete,
          .time = begin,
          .thread = thread,
          .category = category,
          .name = name,
          .end = end};
}
inline Event event(EventType type, std::uint64_t time, std::string_view name,
                   std::string_view category = "app") {
  return {.type = type, .time = time, .thread = kDrawnThread, .category = category, .name = name};
}

// A trace with these events, which may be in any order.
inline Words trace_of(const std::vector<Event>& events) {
  return file_of([&](Writer& writer) {
    for (const Event& one : events) writer.write(one);
  });
}

struct Drawn {
  std::string svg;
  std::vector<std::string> lines;  // lines of the report
  bool is_empty;
};

// Draws a picture whose axis is `columns` pixels wide.
inline Drawn drawn(std::span<const std::byte> bytes, tools::TimelineOptions options = {},
                   std::uint64_t columns = 1000) {
  OrderedReader reader(bytes);
  options.columns = columns;
  tools::DrawnTimeline timeline(options);
  while (const Entry* const entry = reader.next()) timeline.add(*entry, reader.reader());
  timeline.finish(reader.reader().counters());
  if (timeline.is_empty()) return {.svg = {}, .lines = timeline.report().lines(), .is_empty = true};
  const tools::Drawing drawing = timeline.drawing();
  return {.svg = tools::svg_of(drawing, columns + tools::kMargins), .lines = drawing.foot, .is_empty = false};
}
inline Drawn drawn(const std::vector<Event>& events, const tools::TimelineOptions& options = {},
                   std::uint64_t columns = 1000) {
  return drawn(bytes_of(trace_of(events)), options, columns);
}

// Returns a line for each call ("X+WIDTH row ROW: TITLE") and for each instant ("^X row ROW: TITLE") of a
// picture. X and WIDTH are in pixels.
std::vector<std::string> shapes_of(const std::string& svg);

}  // namespace fxt::test
