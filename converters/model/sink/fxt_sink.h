// Writes the merged events as FXT records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/model/sink/fast_encode.h"
#include "converters/model/sink/string_refs.h"
#include "converters/model/timeline.h"
#include "fxt/perfetto.h"
#include "fxt/writer.h"

namespace convert {

inline constexpr NoteKind kStringsCut{"strings-cut",
                                      "strings truncated because they do not fit into a record"};
inline constexpr NoteKind kStringsRepaired{
    "strings-repaired",
    "strings with NUL, or with bytes that are not UTF-8; such bytes are shown in octal (\\351)", true};
inline constexpr NoteKind kCpuCut{"cpu-cut", "switches and wakeups on CPUs above 4095, shown on CPU 4095"};
inline constexpr NoteKind kNameTableFull{"name-table-full",
                                         "names repeated in records, because the string table is full", true};

inline constexpr NoteKind kManyNames{
    "many-names",
    "different names of calls and events; Tracy can't load files that it saved with more than 32,767 names",
    true};
inline constexpr NoteKind kArrowBackwards{"arrow-backwards",
                                          "arrows left out because they would end before they start"};
inline constexpr NoteKind kLongSpan{"long-span", "traces longer than the 39 hours that Tracy can show", true};

// Returns the name of the process, or "process 12" if it has none.
std::string shown_process_name(const LaneInfo& info);

// Returns the packets with hints for viewers, which are written before the first event (viewer_hints.cpp).
fxt::PerfettoPackets hints_of(std::span<const LaneInfo> lanes, const TraceInfo& info);

// Decides which flow events are written. A flow whose end comes before its start is dropped and counted. If a
// filter has removed the start of a flow, the end is dropped, but not counted.
class FlowOrder {
 public:
  bool keeps(const PendingEvent& event);
  std::uint64_t backward_arrows() const { return backward_arrows_; }

 private:
  std::set<std::uint64_t> open_;       // flows that have started and not ended
  std::set<std::uint64_t> backward_;   // flows whose end came first
  std::uint64_t backward_arrows_ = 0;  // number of flows whose start came after the end
};

class FxtSink : public EventSink {
 public:
  // The depth is limited because Perfetto drops slices and instants below level 512, and then draws their
  // parents wrong.
  static constexpr SinkLimits kLimits{
      .arguments_per_record = fxt::kMaxArguments, .depth = fxt::kMaxDepth, .id_limit = fxt::kKoidLimit};

  // If `info` is null, no hints for viewers are written. `info` must be complete when the lanes are added.
  FxtSink(fxt::Writer& writer, const Names& names, const TraceInfo* info = nullptr)
      : writer_(writer), names_(names), info_(info), strings_(writer, names), labels_(strings_, names) {}

  // Names all processes and threads. The 255 threads with the most events get thread refs.
  void add_lanes(std::span<const LaneInfo> lanes) override;
  void write(std::span<const MergedRun> runs) override;
  // Writes those hints about the first view that are known only after the last event.
  void finish(const TimelineTotals& totals) override;
  std::uint64_t events_written() const override { return events_written_; }
  std::size_t thread_words(std::size_t lane) const override { return threads_[lane].index != 0 ? 0 : 2; }
  // Returns the size of the string record for a name, or 0 if the name is already in the table.
  std::uint64_t bytes_of_name(NameId name);

  // ---- After the run. `output` is the name of the file in notes ----

  // Adds notes about data that had to be cut or dropped.
  void note_losses(const Timeline& timeline, std::string_view output, Notes& notes) const;
  // Adds notes if the trace exceeds limits of programs that read FXT.
  void note_limits_of_readers(const Timeline& timeline, std::string_view output, Notes& notes) const;

 private:
  void write_hints(const fxt::PerfettoPackets& packets);
  void fetch_names(std::span<const MergedRun> runs) const;
  void write_one(const EventThread& thread, const PendingEvent& event);
  void write_event(const EventThread& thread, const PendingEvent& event);
  // Tracy treats an instant with "frame" in its name as the start of a frame (rule W28). Therefore, such an
  // instant is written as a duration of zero length, which all viewers show on the thread.
  bool is_frame_mark(const PendingEvent& event) const {
    return event.kind == EventKind::Instant && labels_.names_a_frame(event.label);
  }
  void end_frame_mark(const EventThread& thread, const PendingEvent& event);
  std::uint16_t cut_cpu(std::uint16_t cpu);
  void count_repaired(std::size_t lane, std::uint64_t before, std::string_view where);
  static void note(const NoteKind& kind, std::uint64_t count, std::string_view output, Notes& notes);
  void note_repaired(const Timeline& timeline, Notes& notes) const;

  // The invalid strings of a lane, which were repaired.
  struct Repaired {
    std::uint64_t count = 0;
    std::string first;  // the event with the lane's first invalid string
  };

  fxt::Writer& writer_;
  const Names& names_;
  const TraceInfo* info_;             // null: no hints are written
  std::vector<EventThread> threads_;  // indexed by lane
  StringRefs strings_;
  LabelHeaders labels_;
  std::map<std::size_t, Repaired> repaired_of_;  // indexed by lane
  std::set<std::string, std::less<>> track_names_;
  FlowOrder flows_;
  std::uint64_t cut_cpus_ = 0;
  std::uint64_t events_written_ = 0;
};

}  // namespace convert
