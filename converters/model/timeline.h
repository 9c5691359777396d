// All lanes of all inputs, merged by time into one stream for the sink, in limited memory.
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
#include "converters/model/trace_info.h"

namespace convert {

inline constexpr NoteKind kApartInTime{
    "apart-in-time", "inputs that do not overlap the first one in time, possibly because of other clocks",
    true};
inline constexpr NoteKind kOffsetCut{"offset-cut", "offsets that lead to impossible times"};

inline constexpr NoteKind kKeptApart{
    "kept-apart", "threads that do not match a thread of another input, and have tracks of their own", true};

inline constexpr NoteKind kSharedCpus{
    "shared-cpus",
    "inputs that share CPU tracks with another machine, with an input moved by --offset, or with a copy",
    true};

inline constexpr NoteKind kArgumentsCut{"arguments-cut", "arguments beyond the 30 that a call can have"};
inline constexpr NoteKind kTooDeep{"too-deep",
                                   "calls and instants left out because they are nested too deep"};

struct TimelineOptions {
  LaneOptions lanes;
  // Memory for events that wait for the merge, shared by all lanes. If a call would hold back more than its
  // lane may hold (LookaheadShares), it is written as a pair.
  std::size_t lookahead_bytes = std::size_t{16} << 20;
  // The number of threads that read and merge, including the caller of run(). The output does not depend on
  // it.
  std::size_t jobs = 1;
  // True if the output is cut into pieces, so events that are emitted late would be in a later piece.
  bool is_split = false;
};

class Timeline {
 public:
  Timeline(const TimelineOptions& options, Notes& notes)
      : options_(options), notes_(&notes), ids_(options.lanes.limits.id_limit, notes) {}

  // ---- While importing ----

  // Must be called once for each input, before other calls that concern the "current input", or these throw
  // BrokenContract. `name` is the input's name in notes.
  void begin_input(std::string_view name);
  std::size_t input_count() const { return parts_.inputs.size(); }
  // Adds a thread of the current input. The lane lives as long as the Timeline. The thread's ids are replaced
  // with those of ShownIds.
  Lane& add_lane(LaneInfo info);
  ShownIds& ids() { return ids_; }
  const TimelineOptions& options() const { return options_; }
  // Moves all times of the `input`th input (counted from 0) by `offset_ns`. Must be called before run().
  // Times are not moved beyond the first or the last possible time; a note reports if they would be.
  void shift_input(std::size_t input, std::int64_t offset_ns);
  // Adds `behind_ns` to all times of the current input. The offsets of options are added as well.
  void shift_clock(std::int64_t behind_ns);
  // The difference between the first input's clock and the shown clock, if shift_clock() moved an input.
  std::optional<std::int64_t> clock_shift_ns() const;
  // The begin of the first call of the program, as far as inputs know it before they are read.
  std::optional<std::uint64_t> first_call_ns() const;
  // The current input shows on which CPUs of this machine threads ran. A note reports if inputs are from
  // several machines, or are moved to other times.
  void show_cpus_of(const std::string& machine);
  // Takes the facts about the current input. If several inputs know the same fact, the first input counts.
  void describe_input(TraceInfo info);
  // Adds a source of the current input that fills `lanes`, which must come from add_lane(). A lane belongs to
  // one source.
  void add_source(std::unique_ptr<Source> source, const std::vector<Lane*>& lanes);
  // Adds a shared source. The sources of the current input read only as far as it has delivered.
  void add_shared_source(std::unique_ptr<SharedSource> shared_source);
  // Notes for one source. While the timeline runs, no other thread uses them. After the run, they are added
  // to the other notes, in the order of these calls.
  Notes& new_notes() { return later_notes_.emplace_back(); }
  // Keeps an object to which sources refer, as long as the Timeline exists.
  void keep_alive(std::shared_ptr<const void> borrowed) { kept_.push_back(std::move(borrowed)); }
  // Adds a thread of the current input that may be a thread of another input, or the calls of the current
  // input, with which threads of other inputs can be matched.
  void add_unmatched_thread(UnmatchedThread thread);
  void add_call_history(std::unique_ptr<CallHistory> history);
  // Shows each unmatched thread on the thread that it matches. If there is a call history, notes report
  // threads without a match. Must be called once, after all inputs are imported and shifted.
  void draw_matched_threads();
  // `call` is called at the end of run(), before notes are joined.
  void at_end(std::function<void()> call) { at_end_.push_back(std::move(call)); }

  // ---- Running ----

  // Merges all events into `sink`, sorted by time and at equal times by lane, and finishes the sink. Calls
  // `tick` between blocks of input. `tick` may throw an exception to stop.
  void run(EventSink& sink, const std::function<void()>& tick);

  // ---- After run() ----

  // Adds notes about the events that the lanes dropped or cut to keep the sink's limits. `output` is the
  // output's name in notes.
  void note_losses(const Names& names, std::string_view output) const;
  // Adds a note for each input whose times are all before or after those of the first input. The note has the
  // distance, and the offset with which both would begin together. The files do not show whether they were
  // recorded one after the other, or with different clocks.
  void note_inputs_apart() const;

  std::span<const LaneInfo> lanes() const { return infos_; }
  // Describes all inputs, with times and ids as shown. Valid from the sink's add_lanes() on.
  const TraceInfo& info() const { return info_; }
  const TimelineTotals& totals() const { return totals_; }
  // The name of a lane's input in notes.
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
  std::vector<LaneInfo> infos_;  // by lane
  TraceInfo info_;
  std::deque<Notes> later_notes_;
  std::vector<std::function<void()>> at_end_;
  ThreadMatcher matcher_;
  TimelineTotals totals_;
};

}  // namespace convert
