// The calls and marks of a trace in a range of time, merged while they are read: memory grows with the
// threads and their open calls, not with the length of the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/checking/links.h"
#include "fxt/reader.h"
#include "fxt/tools/calls.h"
#include "fxt/tools/drawing/axis.h"
#include "fxt/tools/drawing/counters.h"
#include "fxt/tools/drawing/drawing_report.h"
#include "fxt/tools/drawing/picture.h"
#include "fxt/tools/drawing/rows.h"
#include "fxt/tools/selection.h"

namespace fxt::tools {

struct TimelineOptions {
  Selection events = {};      // by thread, name, category and time
  std::uint64_t columns = 1;  // pixels from its first to its last time
  std::size_t max_rows = 32;  // of a thread
  std::size_t max_threads = 64;
};

class DrawnTimeline : private CallStream::Listener {
 public:
  explicit DrawnTimeline(TimelineOptions options);

  // The next record of the trace. Throws std::invalid_argument if the range proves to end before it
  // begins.
  void add(const Entry& entry, const Reader& reader);
  // No record follows. To be called once, before the functions below.
  void finish(const ReaderCounters& counters);

  bool is_empty() const { return axis_.is_empty(); }
  // What is drawn: shapes narrower than a pixel are merged, or only as many as the budget of a page demands.
  // The threads come by process and thread, then counters.
  enum class Detail : std::uint8_t { Pixels, All };
  Drawing drawing(Detail detail = Detail::Pixels);
  // Of the latest drawing.
  const DrawingReport& report() const { return report_; }

 private:
  // What is known of an open call besides.
  struct Extra {
    std::optional<std::uint64_t> frame;
    std::uint32_t details;
    std::size_t row;  // how many chosen calls are around it
  };
  struct ThreadState {
    explicit ThreadState(std::size_t max_rows) : rows(max_rows) {}
    std::vector<Extra> open;
    std::optional<bool> is_drawn;
    ThreadRows rows;
  };
  // An event of a flow: where an arrow begins or ends.
  struct FlowPoint {
    bool is_shown = false;  // chosen, and in the range
    std::uint64_t ns = 0;
    ThreadKey thread = {};
    std::size_t row = 0;
    bool has_arrow = false;  // from the event before it
  };
  struct FlowArrow {
    FlowPoint from, to;
    std::uint32_t name;
  };

  void began(CallThread& thread, OpenCall& call, const Event& event) override;
  void ended(CallThread& thread, const OpenCall& call) override;
  void add_instant(const Event& event, std::uint64_t time_ns);
  void add_flow(const Event& event, std::uint64_t time_ns, bool is_chosen);
  void begin_flow(const Event& event, const FlowPoint& point);
  void add_arrow(const FlowArrow& arrow);
  void add_counter(const Event& event, std::uint64_t time_ns);
  bool is_in_range(std::uint64_t begin_ns, std::uint64_t end_ns) const;
  std::uint32_t details_of(const Event& event);
  // Counts a shape in the range. False if its thread is not drawn.
  bool admit(ThreadState& thread);
  void mark(ThreadState& thread, std::size_t row, const Shape& shape);
  void make_room();
  ThreadState& state_of(const CallThread& thread);

  TimelineOptions options_;
  CallStream calls_;
  DrawingReport report_;
  std::vector<std::optional<ThreadState>> threads_;  // by the thread's index
  OpenFlows<FlowPoint> open_flows_;                  // by their latest events
  std::vector<FlowArrow> arrows_;
  DrawnCounters counters_;
  std::vector<std::uint64_t> calls_of_name_;
  std::vector<std::string> details_{""};
  std::size_t drawn_threads_ = 0;
  ShapeBudget budget_;
  TimeAxis axis_;
};

}  // namespace fxt::tools
