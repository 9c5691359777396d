// Counts the records that are drawn, and the records that are not drawn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/records.h"
#include "fxt/tools/drawing/picture.h"

namespace fxt::tools {

struct DrawingReport {
  // The number of drawn objects.
  std::uint64_t calls = 0, frames = 0, instants = 0, threads = 0;
  std::uint64_t operations = 0;
  std::uint64_t runs = 0, cpus = 0;
  std::uint64_t merged_calls = 0, merged_shapes = 0;  // merged calls, and the shapes that represent them
  std::uint64_t merged_marks = 0, merged_mark_shapes = 0;
  // shapes narrower than this number of pixels were merged; if it is 0, shapes shorter than `merged_ns`
  std::uint64_t pixels = 1;
  std::uint64_t merged_ns = 0;
  std::uint64_t arrows = 0, values = 0, counters = 0;
  std::uint64_t far_marks = 0;        // instants outside of the axis, which are drawn at the ends of the axis
  std::uint64_t endless = 0;          // calls without an end
  std::uint64_t without_details = 0;  // calls, instants and messages whose arguments are not shown
  // The number of objects that are not drawn.
  std::uint64_t too_deep = 0;
  std::uint64_t arrows_cut = 0;          // flows with one end outside of the range or of the selection
  std::uint64_t arrows_without_row = 0;  // flows with an end on a thread or in a row that is not drawn
  std::uint64_t arrows_too_many = 0;
  std::uint64_t flow_events = 0;     // flow events that are not connected to another event
  std::uint64_t flows_too_many = 0;  // starts of flows that were ignored, because too many flows were open
  std::uint64_t values_not_drawn = 0;
  std::uint64_t other_threads = 0, on_other_threads = 0;
  std::uint64_t other_lanes = 0, on_other_lanes = 0;  // tracks of CPUs and async operations, and their shapes
  std::uint64_t unmatched_ends = 0, bad_times = 0;
  std::uint64_t unreadable = 0;  // damaged records, and records of unknown types

  // Counts the drawn objects, and replaces the counts of an earlier drawing.
  void count_drawn(const Drawing& drawing);
  // Counts a record that is in the range, but has a kind that is not drawn.
  void count_undrawn(const Record& record);
  void count_flow_event(bool is_shown) { flow_events += is_shown ? 1 : 0; }

  // The report, with one sentence per line.
  std::vector<std::string> lines() const;

 private:
  std::uint64_t blobs_ = 0, profiler_records_ = 0;
};

}  // namespace fxt::tools
