// All lanes of all inputs, merged by time into one stream for the sink, in bounded memory.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/lanes/chunk.h"
#include "converters/model/lanes/event.h"
#include "converters/model/lanes/lane.h"
#include "converters/model/lanes/too_deep_count.h"
#include "converters/model/merging/merge_loop.h"
#include "converters/model/merging/sink.h"
#include "converters/model/merging/source.h"
#include "converters/model/merging/thread_match.h"
#include "converters/model/notes.h"
#include "converters/model/shown_ids.h"

namespace convert {

inline constexpr NoteKind kApartInTime{
    "apart-in-time", "inputs that do not overlap the first one in time: other clocks?", true};
inline constexpr NoteKind kOffsetCut{"offset-cut", "offsets that lead out of the times that can be drawn"};

inline constexpr NoteKind kKeptApart{
    "kept-apart", "threads that could not be found among those of another input, and are drawn on their own",
    true};

struct TimelineOptions {
  LaneOptions lanes;
  // In all; shared between the lanes. A call that is longer than its lane's share is written as a pair.
  std::size_t lookahead_bytes = std::size_t{16} << 20;
  // Threads that read and merge, the one that calls run() included. What is written does not depend on it.
  std::size_t jobs = 1;
};

class Timeline {
 public:
  Timeline(const TimelineOptions& options, Notes& notes)
      : options_(options), notes_(&notes), ids_of_inputs_(notes) {}

  // ---- While importing ----

  // Each input calls this once, before adding its lanes. `name` is what notes call it.
  void begin_input(std::string_view name);
  // Adds a thread of the current input; the lane lives as long as the Timeline. Ids that are 0, too large for
  // the known readers (2^32 and more) or taken by an earlier input are replaced by free ones: two inputs
  // never share a process or a thread.
  Lane& add_lane(LaneInfo info);
  // What was made of an id of the current input, for context switches and arguments.
  ProcessId shown_id(ProcessId process) { return ids_of_inputs_.of(process); }
  ThreadId shown_id(ThreadId thread) { return ids_of_inputs_.of(thread); }
  // An id for a flow, unique in the file.
  std::uint64_t new_flow_id() { return ++last_flow_; }
  // Calls at this depth and deeper are not shown.
  std::size_t max_depth() const { return options_.lanes.max_depth; }
  // Threads that may pump sources: PumpBudget::worker is below this.
  std::size_t jobs() const { return options_.jobs; }
  // Before run(): everything of the `input`th input (counted from 0) happens `offset_ns` later. One that
  // would begin before time 0 begins there, and what would lie behind the last time that can be drawn lies
  // there; both are noted.
  void shift_input(std::size_t input, std::int64_t offset_ns);
  // The clock of the current input is that far behind the one that is wanted. Offsets come on top of it.
  void shift_clock(std::int64_t behind_ns);
  // The source, of the current input, fills `lanes`, all from add_lane(). A lane belongs to one source.
  void add_source(std::unique_ptr<Source> source, const std::vector<Lane*>& lanes);
  // The sources of the current input get no further than its feeders.
  void add_shared_source(std::unique_ptr<SharedSource> shared_source);
  // Notes for one who says them while the timeline runs, and nobody else. Joined to all others after the run,
  // in the order of these calls.
  Notes& new_notes() { return later_notes_.emplace_back(); }
  // Keeps what sources, feeders and hosts borrow as long as itself.
  void keep_alive(std::shared_ptr<const void> borrowed) { kept_.push_back(std::move(borrowed)); }
  // A thread of the current input that may be one of another input, and an input that may have such threads.
  void add_unmatched_thread(UnmatchedThread guest);
  void add_call_history(std::unique_ptr<CallHistory> host);
  // When everything is imported and moved: shows each guest on the thread that it is. Those that stay apart
  // are noted, if there is a host at all.
  void draw_matched_threads();
  // Called at the end of run(), before notes are joined.
  void at_end(std::function<void()> call) { at_end_.push_back(std::move(call)); }

  // ---- Running ----

  // Merges everything into `sink`, by time and within equal times by lane. `tick` is called now and then,
  // between blocks of input; it may throw to stop.
  void run(EventSink& all, const std::function<void()>& tick);

  // ---- After run() ----

  // Notes every input whose times lie wholly before or behind those of the first, how far, and which offset
  // lets both begin together. They were recorded one after the other, or by different clocks; nothing else
  // tells.
  void note_inputs_apart() const;

  std::span<const LaneInfo> lanes() const { return infos_; }
  // What notes call the input that the lane is of.
  const std::string& input_of(std::size_t lane) const { return inputs_[input_of_lane_[lane]].name; }
  // The latest time of any lane; 0 if there was none.
  std::uint64_t last_ns() const;
  std::vector<TooDeepCount> too_deep() const;  // by lane; what shares a thread counts, too
  std::uint64_t cut_arguments() const;         // of all lanes
  std::uint64_t skipped_calls() const;         // calls that the sink did not need

 private:
  struct Input {
    std::string name;
    std::uint64_t last_ns = 0;  // of its events, moved by its offset
    std::int64_t clock_ns = 0;  // of its offset, what is due to its clock
  };

  std::size_t number_of(const Lane& lane) const;
  std::vector<std::size_t> guests_last() const;
  void keep_offsets_drawable(MergeLoop& rounds, const std::function<void()>& tick);
  void finish_inputs();

  std::vector<std::shared_ptr<const void>> kept_;
  TimelineOptions options_;
  Notes* notes_;
  ShownIds ids_of_inputs_;
  ChunkPool pool_;
  std::deque<Lane> lanes_;
  std::vector<LaneInfo> infos_;
  std::vector<std::size_t> input_of_lane_;
  std::vector<Input> inputs_;
  std::vector<MergeLoop::Input> merged_;  // by input
  std::vector<MergeLoop::SourceState> sources_;
  std::vector<MergeLoop::SharedSourceState> shared_sources_;
  std::deque<Notes> later_notes_;
  std::vector<std::function<void()>> at_end_;
  std::uint64_t last_flow_ = 0;
  std::vector<UnmatchedThreadOfInput> guests_;
  std::vector<CallHistoryOfInput> hosts_;
  std::vector<TooDeepCount> too_deep_when_shared_;  // by lane, or empty
};

}  // namespace convert
