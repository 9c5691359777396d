// Merges the events of all inputs by time, and passes them to the sink. The memory for this is limited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/model/merging/merge_loop.h"
#include "converters/model/merging/sink.h"
#include "converters/model/merging/source.h"
#include "converters/model/merging/thread_match.h"
#include "converters/model/merging/timeline_input.h"
#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/model/shown_ids.h"

namespace convert {

inline constexpr NoteKind kApartInTime{
    "apart-in-time",
    "inputs whose times do not overlap the times of the first input, possibly because the clocks differ",
    true};
inline constexpr NoteKind kOffsetCut{"offset-cut", "offsets that lead to impossible times"};

inline constexpr NoteKind kKeptApart{
    "kept-apart", "threads that do not match a thread of another input, shown on separate tracks", true};

inline constexpr NoteKind kSharedCpus{"shared-cpus",
                                      "inputs that share CPU tracks, although they are copies, come from "
                                      "several machines, or were moved by --offset",
                                      true};

inline constexpr NoteKind kArgumentsCut{"arguments-cut", "arguments beyond the 30 that a call can have"};
inline constexpr NoteKind kTooDeep{"too-deep",
                                   "calls and instants left out because they are nested too deep"};

struct TimelineOptions {
  LaneOptions lanes;
  // The memory for events that wait for the merge, in bytes, for all lanes together. If too many events wait
  // for the end of an open call (see LookaheadShares), the call is written as a begin and an end.
  std::size_t lookahead_bytes = std::size_t{16} << 20;
  // The number of threads that read and merge, including the caller of run(). The output does not depend on
  // this number.
  std::size_t jobs = 1;
  // True if the output is cut into pieces. An event that is emitted too late is then in a later piece than
  // other events of its time.
  bool is_split = false;
};

struct ProcessInfo {
  ProcessId process;
  ProcessId parent = {};
  std::vector<std::string> command_line = {};
};

// Facts about a recording in addition to its events, such as its time, machine and programs. Each fact may be
// unknown.
struct TraceInfo {
  struct WallClock {
    std::uint64_t time_ns;  // time on the recording's clock
    std::uint64_t utc_ns;   // UTC at that time, since 1970
    std::size_t input = 0;
  };

  std::string session = {};         // a readable name of the recording
  std::string system = {};          // "Linux"
  std::string system_release = {};  // "6.1.0-18-amd64"
  std::string machine = {};         // "x86_64"
  std::optional<WallClock> wall_clock = {};
  std::vector<ProcessInfo> processes = {};
};

class Timeline {
 public:
  Timeline(const TimelineOptions& options, Notes& notes)
      : options_(options), notes_(&notes), ids_(options.lanes.limits.id_limit, notes) {}

  // ---- While importing ----

  // Must be called once for each input, which is then the "current input" of the next functions. Without this
  // call, these functions throw BrokenContract. `name` is the name of the input in notes.
  void begin_input(std::string_view name);
  std::size_t input_count() const { return parts_.inputs.size(); }
  // Adds a thread of the current input. The lane lives as long as the Timeline. ShownIds replaces the ids of
  // the thread and its process.
  Lane& add_lane(LaneInfo info);
  ShownIds& ids() { return ids_; }
  const TimelineOptions& options() const { return options_; }
  // Moves all times of one input by `offset_ns`. Inputs are numbered from 0. Must be called before run().
  // Times are not moved before the first or after the last possible time. If the offset would move a time
  // further, a note reports this.
  void shift_input(std::size_t input, std::int64_t offset_ns);
  // Adds `behind_ns` to all times of the current input, in addition to the offset of shift_input().
  void shift_clock(std::int64_t behind_ns);
  // Returns the `behind_ns` of the first input that shift_clock() has moved.
  std::optional<std::int64_t> clock_shift_ns() const;
  // Returns the start of the first call of the program, if importers know it before the events are read.
  std::optional<std::uint64_t> first_call_ns() const;
  // Must be called if the current input shows threads on the CPUs of `machine`. Then run() adds a note if a
  // CPU's track would show threads of several machines, or several threads at the same time.
  void show_cpus_of(const std::string& machine);
  // Adds facts about the current input. If several inputs have the same kind of fact, the first input counts.
  void describe_input(TraceInfo info);
  // Adds a source of the current input that fills `lanes`. The lanes must be results of add_lane(). A lane
  // belongs to only one source.
  void add_source(std::unique_ptr<Source> source, const std::vector<Lane*>& lanes);
  // Adds a shared source of the current input. The other sources of this input emit an event only after the
  // shared source has delivered its data up to the event's time.
  void add_shared_source(std::unique_ptr<SharedSource> shared_source);
  // Returns an object for the notes of one source. Only this source may use it during the run. After the run,
  // its notes are added to the other notes, in the order of the new_notes() calls.
  Notes& new_notes() { return later_notes_.emplace_back(); }
  // Keeps an object alive as long as the Timeline, because sources refer to the object.
  void keep_alive(std::shared_ptr<const void> borrowed) { kept_.push_back(std::move(borrowed)); }
  // add_unmatched_thread() adds a thread of the current input that may also be in another input.
  // add_call_history() adds the calls of the current input. The threads of other inputs can be matched to
  // these calls.
  void add_unmatched_thread(UnmatchedThread thread);
  void add_call_history(std::unique_ptr<CallHistory> history);
  // Shows each unmatched thread on the thread that it matches. If there is a call history, notes report
  // threads without a match. Must be called once, after all inputs are imported and shifted.
  void draw_matched_threads();
  // Calls `call` at the end of run(), before the notes of new_notes() are added to the other notes.
  void at_end(std::function<void()> call) { at_end_.push_back(std::move(call)); }

  // ---- Running ----

  // Passes all events to `sink`, sorted by time. Events with the same time are sorted by lane. Then finishes
  // the sink. Calls `tick` between rounds. `tick` may throw an exception to stop the run.
  void run(EventSink& sink, const std::function<void()>& tick);

  // ---- After run() ----

  // Adds notes about events that the lanes dropped or cut because of the sink's limits. `output` is the name
  // of the output in notes.
  void note_losses(const Names& names, std::string_view output) const;
  // Adds a note for each input whose times are all before or all after the times of the first input. The note
  // has the time between the inputs, and the offset with which both inputs would start together. The inputs
  // may have been recorded one after the other, or with different clocks.
  void note_inputs_apart() const;

  std::span<const LaneInfo> lanes() const { return infos_; }
  // Returns facts about all inputs, with the shown times and ids. Valid from the sink's add_lanes() on.
  const TraceInfo& info() const { return info_; }
  const TimelineTotals& totals() const { return totals_; }
  // Returns the name of the lane's input, for notes.
  const std::string& input_of(std::size_t lane) const {
    return parts_.inputs[parts_.input_of_lane[lane]].name;
  }

 private:
  std::size_t current_input() const;
  std::size_t number_of(const Lane& lane) const;
  std::vector<std::size_t> merge_order() const;
  void limit_offsets(MergeLoop& loop, const std::function<void()>& tick);
  void apply_offsets();
  void note_shared_cpus() const;
  void finish_inputs();
  std::optional<FirstView> first_view() const;
  void add_up(std::span<const TooDeepCount> too_deep_when_shared);

  std::vector<std::shared_ptr<const void>> kept_;
  TimelineOptions options_;
  Notes* notes_;
  ShownIds ids_;
  MergeLoop::Parts parts_;
  std::vector<LaneInfo> infos_;
  TraceInfo info_;
  std::deque<Notes> later_notes_;
  std::vector<std::function<void()>> at_end_;
  ThreadMatcher matcher_;
  TimelineTotals totals_;
};

}  // namespace convert
