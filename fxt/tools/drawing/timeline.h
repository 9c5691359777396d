// The calls and marks of a trace in a range of time, merged while they are read: memory grows with the
// threads and their open calls, not with the length of the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fxt/reader.h"
#include "fxt/time_range.h"
#include "fxt/tools/drawing/drawing_report.h"
#include "fxt/tools/drawing/rows.h"
#include "fxt/tools/open_calls.h"
#include "fxt/tools/selection.h"

namespace fxt::tools {

struct TimelineOptions {
  TimeRange range = {};
  Selection events = {};      // by thread, name and category
  std::uint64_t columns = 1;  // pixels from its first to its last time
  std::size_t max_rows = 32;  // of a thread
  std::size_t max_threads = 64;
};

class DrawnTimeline {
 public:
  explicit DrawnTimeline(TimelineOptions options);

  // The next record of the trace. Throws std::invalid_argument if the range proves to end before it
  // begins.
  void add(const Entry& entry, const Reader& reader);
  // No record follows. To be called once, before the functions below.
  void finish(const ReaderCounters& counters);

  struct NamedRows {
    std::string name;
    const ThreadRows* rows;
  };
  // The threads with anything drawn, by process and thread.
  std::vector<NamedRows> threads() const;
  bool is_empty() const { return report_.threads == 0; }
  const DrawingReport& report() const { return report_; }

  // The first and last time of the picture, and the time that its axis counts from: the trace's first one.
  std::uint64_t from_ns() const { return from_ns_; }
  std::uint64_t to_ns() const { return to_ns_; }
  std::uint64_t origin_ns() const { return origin_ns_; }

 private:
  enum class IsDrawn : std::uint8_t { Unknown, Yes, No };
  // A call that awaits its end event, and the row that it will have.
  struct WaitingCall {
    std::size_t row;
    Shape shape;
  };
  struct ThreadState {
    explicit ThreadState(std::size_t max_rows) : rows(max_rows) {}
    OpenCalls open;
    std::size_t shown = 0;  // open calls that are shown
    std::vector<WaitingCall> waiting;
    IsDrawn is_drawn = IsDrawn::Unknown;
    ThreadRows rows;
  };
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    std::size_t operator()(const SharedName& name) const { return (*this)(std::string_view(*name)); }
  };
  struct SameName {
    using is_transparent = void;
    static std::string_view text(std::string_view text) { return text; }
    static std::string_view text(const SharedName& name) { return *name; }
    bool operator()(const auto& a, const auto& b) const { return text(a) == text(b); }
  };

  // Nothing if the time is impossible.
  std::optional<std::uint64_t> time_of(std::uint64_t ticks, const Reader& reader);
  void add_call(const Record& record, const Event& event, const Reader& reader);
  void add_instant(const Record& record, const Event& event, std::uint64_t time_ns);
  void close(ThreadState& thread, const OpenCalls::Call& call, bool has_end);
  bool is_in_range(std::uint64_t begin_ns, std::uint64_t end_ns) const;

  Shape shape_of(const Event& event, std::uint64_t begin_ns, std::uint64_t end_ns);
  SharedName shared(std::string_view text);
  // Counts a shape in the range. False if its thread is not drawn.
  bool admit(ThreadState& thread, const Shape& shape);
  void put(ThreadState& thread, std::size_t row, Shape shape);
  void put_late(ThreadState& thread, Shape shape);
  void mark(ThreadState& thread, std::size_t row, Shape shape);
  void make_room();
  // Merges neighbours until at most `max_shapes` are left, or one for each row.
  void merge(std::size_t max_shapes);
  std::uint64_t span_ns() const;
  void count_shapes();
  ThreadState& thread_of(const Event& event);

  TimelineOptions options_;
  TimeWindow window_;
  DrawingReport report_;
  std::map<ThreadKey, ThreadState> threads_;
  std::unordered_map<std::uint64_t, std::string> process_names_, thread_names_;  // by koid
  std::unordered_set<SharedName, NameHash, SameName> names_;
  std::size_t drawn_threads_ = 0;
  std::size_t held_ = 0, held_limit_;  // in shapes
  std::size_t names_limit_;
  std::uint64_t merged_ns_ = 0;            // the greatest width below which shapes were merged
  std::optional<std::uint64_t> start_ns_;  // the trace's first time
  std::uint64_t last_ns_ = 0;              // the latest time of all
  std::uint64_t first_drawn_ns_ = ~std::uint64_t{0}, last_drawn_ns_ = 0;
  std::uint64_t from_ns_ = 0, to_ns_ = 0, origin_ns_ = 0;
};

}  // namespace fxt::tools
