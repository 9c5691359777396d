// Counts which records are drawn and which are not: nothing is left out in silence.
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
  // Drawn.
  std::uint64_t calls = 0, frames = 0, instants = 0, threads = 0;
  std::uint64_t operations = 0;                       // async ones
  std::uint64_t runs = 0, cpus = 0;                   // of threads on cpus
  std::uint64_t merged_calls = 0, merged_shapes = 0;  // calls, and the shapes they were merged into
  std::uint64_t merged_marks = 0, merged_mark_shapes = 0;
  std::uint64_t pixels = 1;  // narrower shapes were merged; 0: those below merged_ns
  std::uint64_t merged_ns = 0;
  std::uint64_t arrows = 0, values = 0, counters = 0;
  std::uint64_t far_marks = 0;  // before and behind the axis: at its ends
  std::uint64_t endless = 0;    // without an end
  // Not drawn.
  std::uint64_t too_deep = 0;
  std::uint64_t arrows_cut = 0;          // one end is outside of the range, or of the selection
  std::uint64_t arrows_without_row = 0;  // an end lies on a thread or in a row that is not drawn
  std::uint64_t arrows_too_many = 0;
  std::uint64_t flow_events = 0;     // without an arrow to or from another
  std::uint64_t flows_too_many = 0;  // begins while too many flows were open
  std::uint64_t values_not_drawn = 0;
  std::uint64_t other_threads = 0, on_other_threads = 0;
  std::uint64_t other_lanes = 0, on_other_lanes = 0;  // of cpus and async operations
  std::uint64_t unmatched_ends = 0, bad_times = 0;
  std::uint64_t unreadable = 0;  // records that are damaged, or of an unknown type

  // Counts what is drawn, instead of what an earlier drawing has.
  void count_drawn(const Drawing& drawing);
  // Counts a record in the range whose kind is not drawn.
  void count_undrawn(const Record& record);
  // Counts an event of a flow that belongs to no arrow, if the picture would have shown it.
  void count_flow_event(bool is_shown) { flow_events += is_shown ? 1 : 0; }

  // One sentence a line.
  std::vector<std::string> lines() const;

 private:
  std::uint64_t blobs_ = 0, profiler_records_ = 0;
};

}  // namespace fxt::tools
