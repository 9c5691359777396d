// The calls and instants of a trace in a range of time. They are merged while they are read. Memory grows
// with the threads and their open calls, but not with the length of the trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/checking/links.h"
#include "fxt/reader.h"
#include "fxt/time_range.h"
#include "fxt/tools/calls.h"
#include "fxt/tools/cpu_runs.h"
#include "fxt/tools/drawing/counters.h"
#include "fxt/tools/drawing/drawing_report.h"
#include "fxt/tools/drawing/picture.h"
#include "fxt/tools/drawing/rows.h"
#include "fxt/tools/selection.h"

namespace fxt::tools {

// The part of the trace's time that a timeline shows.
class TimeAxis {
 public:
  // Adds the times of any record of the trace.
  void extend(std::uint64_t begin_ns, std::uint64_t end_ns) {
    first_ns_ = std::min(first_ns_, begin_ns);
    last_ns_ = std::max(last_ns_, end_ns);
  }
  // Adds a call, a frame or a value. The axis shows the part of it that is in the window.
  void reach(std::uint64_t begin_ns, std::uint64_t end_ns, const TimeWindow& window) {
    first_drawn_ns_ = std::min(first_drawn_ns_, std::max(begin_ns, window.from()));
    last_drawn_ns_ = std::max(last_drawn_ns_, std::min(end_ns, window.to()));
  }
  // Adds an instant, which extends the axis only if nothing else is drawn.
  void mark(std::uint64_t ns) {
    first_mark_ns_ = std::min(first_mark_ns_, ns);
    last_mark_ns_ = std::max(last_mark_ns_, ns);
  }
  // Must be called after the last record. If the range is larger than the trace, the picture is limited to
  // the trace. The axis counts from the start of the trace.
  void finish(const TimeRange& range, const TimeWindow& window) {
    if (is_empty()) {
      first_drawn_ns_ = first_mark_ns_;
      last_drawn_ns_ = last_mark_ns_;
    }
    if (is_empty()) return;
    origin_ns_ = window.start().value_or(0);
    from_ns_ = range.from ? std::clamp(window.from(), std::min(first_ns_, first_drawn_ns_), first_drawn_ns_)
                          : first_drawn_ns_;
    to_ns_ = range.to ? std::clamp(window.to(), last_drawn_ns_, std::max(last_ns_, last_drawn_ns_))
                      : last_drawn_ns_;
    to_ns_ = std::max(to_ns_, from_ns_ + 1);
  }

  bool is_empty() const { return first_drawn_ns_ > last_drawn_ns_; }
  std::uint64_t last_ns() const { return last_ns_; }  // the latest time of all records
  // Valid after finish().
  std::uint64_t from_ns() const { return from_ns_; }
  std::uint64_t to_ns() const { return to_ns_; }
  std::uint64_t origin_ns() const { return origin_ns_; }

 private:
  std::uint64_t first_ns_ = ~std::uint64_t{0}, last_ns_ = 0;
  std::uint64_t first_drawn_ns_ = ~std::uint64_t{0}, last_drawn_ns_ = 0;
  std::uint64_t first_mark_ns_ = ~std::uint64_t{0}, last_mark_ns_ = 0;
  std::uint64_t from_ns_ = 0, to_ns_ = 1, origin_ns_ = 0;
};

struct TimelineOptions {
  Selection events = {};      // selects by thread, name, category and time
  std::uint64_t columns = 1;  // number of pixels from the first to the last time
  std::size_t max_rows = 32;  // per thread
  std::size_t max_threads = 64;
};

class DrawnTimeline : private CallListener {
 public:
  explicit DrawnTimeline(TimelineOptions options);

  // Adds the next record of the trace. Throws std::invalid_argument if the range turns out to end before it
  // begins.
  void add(const Entry& entry, const Reader& reader);
  // Must be called once, after the last record and before the functions below.
  void finish(const ReaderCounters& counters);

  bool is_empty() const { return axis_.is_empty(); }
  // With `Pixels`, shapes that are narrower than a pixel are merged. With `Few`, even more shapes are merged.
  // `Few` is for the picture inside a page, which browsers show only without scripts. With `All`, shapes are
  // merged only if a page would otherwise have too many. The order of the tracks is: threads, by process and
  // thread; the async operations of each process; CPUs; counters.
  enum class Detail : std::uint8_t { Few, Pixels, All };
  Drawing drawing(Detail detail = Detail::Pixels);
  const DrawingReport& report() const { return report_; }

 private:
  // Additional data of an open call.
  struct Extra {
    std::optional<std::uint64_t> frame;
    std::uint32_t details;
    std::size_t row;  // number of selected calls around this call
  };
  struct LaneState {
    LaneState(Drawing::Lane::Kind lane_kind, std::size_t max_rows) : kind(lane_kind), rows(max_rows) {}
    Drawing::Lane::Kind kind;
    std::optional<bool> is_drawn;
    ThreadRows rows;
  };
  struct ThreadState : LaneState {
    explicit ThreadState(std::size_t max_rows) : LaneState(Drawing::Lane::Kind::Thread, max_rows) {}
    std::vector<Extra> open;
  };
  // The async operations of a process. An operation keeps its row from its start to its end.
  struct OperationsState : LaneState {
    explicit OperationsState(std::size_t max_rows) : LaneState(Drawing::Lane::Kind::Operations, max_rows) {}
    std::size_t take_row();  // takes the first free row
    std::set<std::size_t> free_rows;
    std::size_t known_rows = 0;
  };
  struct DrawnOperation {
    std::uint64_t process;
    std::uint32_t details;
    std::size_t row;
  };
  // An instant that concerns its process, or all processes.
  struct ScopeLine {
    std::optional<std::uint64_t> process;
    std::uint64_t ns = 0;
    std::uint32_t name = 0;
  };
  // An event of a flow: the start or the end of an arrow.
  struct FlowPoint {
    bool is_shown = false;  // selected, and in the range
    std::uint64_t ns = 0;
    ThreadKey thread = {};
    std::size_t row = 0;
    bool has_arrow = false;  // the event is connected to the event before it
  };
  struct FlowArrow {
    FlowPoint from, to;
    std::uint32_t name;
  };

  void started(CallTrack& thread, Call& call, const Event& event) override;
  void ended(CallTrack& thread, const Call& call) override;
  void add_instant(const Event& event, std::uint64_t time_ns);
  void started_operation(Call& operation, const Event& event);
  void ended_operation(const Call& operation);
  void add_async_instant(const Event& event, std::uint64_t time_ns);
  void add_log(const Log& log, std::uint64_t time_ns);
  void add_wakeup(const ThreadWakeup& wakeup, std::uint64_t time_ns);
  void ran(const CpuRun& run);
  void add_flow(const Event& event, std::uint64_t time_ns, bool is_chosen);
  void begin_flow(const Event& event, const FlowPoint& point);
  void add_arrow(const FlowArrow& arrow);
  void add_counter(const Event& event, std::uint64_t time_ns);
  bool is_in_range(std::uint64_t begin_ns, std::uint64_t end_ns) const;
  std::uint32_t details_of(const Event& event);
  std::uint32_t keep_details(std::string_view text);
  // Returns the index of the name with which the thread's runs on CPUs are shown. While records are read,
  // this name is only the koid, because the name of the thread may not be known yet.
  std::uint32_t name_of_thread(std::uint64_t koid);
  LaneState& lane_of_cpu(std::uint16_t cpu);
  OperationsState& operations_of(std::uint64_t process);
  // Counts a shape in the range. Returns false if its track is not drawn.
  bool admit(LaneState& lane);
  void put(LaneState& lane, std::size_t row, const Shape& shape);
  void mark(LaneState& lane, std::size_t row, const Shape& shape);
  void make_room();
  std::map<ThreadKey, std::size_t> add_lanes_to(Drawing& drawing) const;
  void add_lines_to(Drawing& drawing, const std::map<ThreadKey, std::size_t>& lanes) const;
  ThreadState& state_of(const CallTrack& thread);

  TimelineOptions options_;
  CallStream calls_;
  DrawingReport report_;
  std::vector<std::optional<ThreadState>> threads_;
  std::map<std::uint64_t, OperationsState> operation_lanes_;  // by process
  std::map<std::uint16_t, LaneState> cpus_;
  std::map<std::uint64_t, DrawnOperation> operations_;  // open selected operations, by Call::number
  bool is_over_ = false;                                // finish() was called
  CpuRuns runs_;
  std::map<std::uint64_t, std::uint32_t> thread_names_;  // name indices by koid
  std::vector<ScopeLine> lines_;
  OpenFlows<FlowPoint> open_flows_;  // the tag of a flow is its latest event
  std::vector<FlowArrow> arrows_;
  DrawnCounters counters_;
  std::vector<std::uint64_t> calls_of_name_;
  std::shared_ptr<Details> details_ = std::make_shared<Details>();
  std::array<std::size_t, 3> drawn_lanes_ = {};  // by kind
  ShapeBudget budget_;
  TimeAxis axis_;
};

}  // namespace fxt::tools
