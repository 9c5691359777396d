// All lanes of all inputs, merged by time into one stream for the sink, in bounded memory.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converters/model/event.h"
#include "converters/model/lane.h"
#include "converters/model/notes.h"
#include "converters/model/slot.h"

namespace convert {

inline constexpr NoteKind kApartInTime{"apart-in-time",
                                       "inputs that do not overlap the first one in time: other clocks?"};
inline constexpr NoteKind kOffsetCut{"offset-cut", "offsets that lead out of the times that can be drawn"};
inline constexpr NoteKind kRenumbered{
    "renumbered", "process or thread ids replaced: another input has them, or no viewer can"};

// Ids from here on are never given by Linux (its largest pid is 2^22). An importer that knows no id counts up
// from here; such ids are replaced without a note.
inline constexpr std::uint64_t kFirstMadeUpId = 0x4000'0000;

// What is known of a thread before its events: who it is and what it is called.
struct LaneInfo {
  ProcessId process;
  ThreadId thread;
  std::string process_name;
  std::string thread_name;
  std::uint64_t weight =
      0;  // expected amount of events (bytes of its file); heavy lanes get short references
};

// Reads an input forward and fills the lanes that belong to it.
class Source {
 public:
  virtual ~Source() = default;
  // Reads on, a block that takes about `budget_bytes` of lane memory, and says it in its lanes. False at the
  // end of the input, when nothing more will come and all calls are ended.
  virtual bool pump(std::size_t budget_bytes) = 0;
  // No later event of any of its lanes will be before this time.
  virtual std::uint64_t frontier_ns() const = 0;
};

// Receives the merged stream.
class EventSink {
 public:
  virtual ~EventSink() = default;
  // All lanes, before the first event.
  virtual void add_lanes(std::span<const LaneInfo> lanes) = 0;
  // Events of lane number `lane`, in order; none is Open. The sink drops the details that it has written.
  virtual void write(std::size_t lane, Lane& events, std::span<const Slot> slots) = 0;
};

class Timeline {
 public:
  struct Options {
    LaneOptions lanes;
    // In all; shared between the lanes. A call that is longer than its lane's share is written as a pair.
    std::size_t lookahead_bytes = std::size_t{16} << 20;
  };
  Timeline(const Options& options, Notes& notes) : options_(options), notes_(&notes) {}

  // Each input calls this once, before adding its lanes. `name` is what notes call it.
  void begin_input(std::string_view name);
  // Adds a thread of the current input; the lane lives as long as the Timeline. Ids that are 0, too large for
  // the known readers (2^32 and more) or taken by an earlier input are replaced by free ones: two inputs
  // never share a process or a thread.
  Lane& add_lane(LaneInfo info);
  // What was made of an id of the current input, for context switches and arguments.
  ProcessId koid_of(ProcessId process);
  ThreadId koid_of(ThreadId thread);
  // An id for a flow, unique in the file.
  std::uint64_t next_flow() { return ++last_flow_; }
  // Calls at this depth and deeper are not shown.
  std::size_t max_depth() const { return options_.lanes.max_depth; }
  // Before run(): everything of the `input`th input (counted from 0) happens `offset_ns` later. One that
  // would begin before time 0 begins there, and what would lie behind the last time that can be drawn lies
  // there; both are noted.
  void shift_input(std::size_t input, std::int64_t offset_ns) { inputs_.at(input).offset_ns = offset_ns; }
  // The source fills exactly `lanes`, all from add_lane(). A lane belongs to one source.
  void add_source(std::unique_ptr<Source> source, const std::vector<Lane*>& lanes);

  // Merges everything into `sink`, by time and within equal times by lane. `tick` is called now and then,
  // between blocks of input; it may throw to stop.
  void run(EventSink& sink, const std::function<void()>& tick);

  // After run(): notes every input whose times lie wholly before or behind those of the first, how far, and
  // which offset lets both begin together. They were recorded one after the other, or by different clocks;
  // nothing else tells.
  void note_inputs_apart() const;

  std::span<const LaneInfo> lanes() const { return infos_; }
  // The latest time of any lane; 0 if there was none.
  std::uint64_t last_ns() const;
  std::uint64_t hidden() const;         // of all lanes
  std::uint64_t cut_arguments() const;  // of all lanes

 private:
  struct Feed {
    std::unique_ptr<Source> source;
    std::vector<Lane*> lanes;
    bool done = false;
  };
  // What an input's events span, moved by its offset.
  struct Input {
    std::string name;
    std::int64_t offset_ns = 0;
    std::uint64_t first_ns = kTimeLimitNs;
    std::uint64_t last_ns = 0;
  };
  using Ids = std::map<std::uint64_t, std::uint64_t>;  // id of the current input -> koid

  std::uint64_t koid(Ids& ids, std::set<std::uint64_t>& taken, std::uint64_t id, std::string_view what);
  std::size_t waiting_bytes(const Feed& feed) const;
  void keep_offsets_drawable(std::size_t block, const std::function<void()>& tick);
  void write(std::size_t index, std::uint64_t before_ns, EventSink& sink);
  void finish_inputs();

  Options options_;
  Notes* notes_;
  SlotPool pool_;
  std::deque<Lane> lanes_;
  std::vector<LaneInfo> infos_;
  std::map<const Lane*, std::size_t> feed_of_;
  std::vector<Feed> feeds_;

  std::vector<Input> inputs_;
  std::vector<std::size_t> input_of_lane_;
  std::vector<Slot> moved_;  // the slots at hand of an input with an offset

  std::uint64_t last_flow_ = 0;
  Ids process_ids_, thread_ids_;                 // of the current input
  std::set<std::uint64_t> processes_, threads_;  // koids taken, of all inputs
};

}  // namespace convert
