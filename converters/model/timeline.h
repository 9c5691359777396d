// All lanes of all inputs, merged by time into one stream for the sink, with a limit of memory.
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
    "inputs from other machines or times than the first one: CPUs with the same number share a track", true};

inline constexpr NoteKind kArgumentsCut{"arguments-cut", "arguments beyond the 30 that a call can have"};
inline constexpr NoteKind kTooDeep{"too-deep",
                                   "calls and instants left out because they are nested too deep"};

struct TimelineOptions {
  LaneOptions lanes;
  // Memory for events that wait for the merge, shared by all lanes. A call that would hold back more than its
  // lane's share is written as a pair.
  std::size_t lookahead_bytes = std::size_t{16} << 20;
  // The number of threads that read and merge, including the caller of run(). The output does not depend on
  // it.
  std::size_t jobs = 1;
  // The output is cut into pieces. Events that are emitted too late are in a later piece.
  bool is_split = false;
};

class Timeline {
 public:
  Timeline(const TimelineOptions& options, Notes& notes)
      : options_(options), notes_(&notes), ids_(options.lanes.limits.id_limit, notes) {}

  // ---- While importing ----

  // Called once for each input, before all calls about the "current input"; these throw BrokenContract
  // otherwise. `name` is the input's name in notes.
  void begin_input(std::string_view name);
  std::size_t input_count() const { return parts_.inputs.size(); }
  // Adds a thread of the current input. The lane lives as long as the Timeline. ShownIds replaces the
  // thread's ids.
  Lane& add_lane(LaneInfo info);
  ShownIds& ids() { return ids_; }
  const TimelineOptions& options() const { return options_; }
  // Moves all times of the `input`th input (counted from 0) by `offset_ns`. Times are not moved beyond the
  // first and the last possible time; both are noted. Must be called before run().
  void shift_input(std::size_t input, std::int64_t offset_ns);
  // Moves all times of the current input because its clock is `behind_ns` behind. Offsets are added to that.
  void shift_clock(std::int64_t behind_ns);
  // The difference between the first input's clock and the shown clock, if an input was moved in this way.
  std::optional<std::int64_t> clock_shift_ns() const;
  // The begin of a program's first call, as far as inputs know it before they are read.
  std::optional<std::uint64_t> first_call_ns() const;
  // The current input contains the cpus on which threads ran on this machine. Inputs of several machines, or
  // moved to other times, are noted.
  void show_cpus_of(const std::string& machine);
  // The facts about the current input. If several inputs know the same fact, the first one counts.
  void describe_input(TraceInfo info);
  // Adds a source of the current input that fills `lanes`, which all come from add_lane(). A lane belongs to
  // one source.
  void add_source(std::unique_ptr<Source> source, const std::vector<Lane*>& lanes);
  // The sources of the current input read only as far as its shared sources have delivered.
  void add_shared_source(std::unique_ptr<SharedSource> shared_source);
  // Notes for one source, which no other thread uses while the timeline runs. They are added to all others
  // after the run, in the order of these calls.
  Notes& new_notes() { return later_notes_.emplace_back(); }
  // Keeps an object that sources borrow as long as the Timeline.
  void keep_alive(std::shared_ptr<const void> borrowed) { kept_.push_back(std::move(borrowed)); }
  // A thread of the current input that may be one of another input, and the calls of the current input, by
  // which threads of other inputs can be found.
  void add_unmatched_thread(UnmatchedThread thread);
  void add_call_history(std::unique_ptr<CallHistory> history);
  // Shows each unmatched thread on the thread that it matches. Threads without a match are noted, if there is
  // any call history. Called once after all inputs are imported and shifted.
  void draw_matched_threads();
  // `call` is called at the end of run(), before notes are joined.
  void at_end(std::function<void()> call) { at_end_.push_back(std::move(call)); }

  // ---- Running ----

  // Merges all events into `sink`, by time and at equal times by lane, and finishes it. `tick` is called
  // between blocks of input. It may throw to stop.
  void run(EventSink& sink, const std::function<void()>& tick);

  // ---- After run() ----

  // Notes the events that the lanes dropped or cut to keep the sink's limits. `output` is the output's name
  // in notes.
  void note_losses(const Names& names, std::string_view output) const;
  // Notes every input whose times are all before or after those of the first. The note has the distance, and
  // the offset with which both begin together. The files do not show whether they were recorded one after the
  // other, or with different clocks.
  void note_inputs_apart() const;

  std::span<const LaneInfo> lanes() const { return infos_; }
  // Of all inputs, in the shown times and ids, from the sink's add_lanes() on.
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
