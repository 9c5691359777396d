// All lanes of all inputs, merged by time into one stream for the sink, in bounded memory.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "converters/model/event.h"
#include "converters/model/lane.h"
#include "converters/model/slot.h"

namespace convert {

// What is known of a thread before its events: who it is and what it is called.
struct LaneInfo {
  ProcessId process;
  ThreadId thread;
  std::string process_name;
  std::string thread_name;
  std::uint64_t weight = 0;  // expected number of events (bytes of its file); heavy lanes get short references
};

// Reads an input forward and fills the lanes that belong to it.
class Source {
 public:
  virtual ~Source() = default;
  // Reads on, a block of about `budget_bytes` of lane memory at the most, and says so in its lanes. False at the
  // end of the input, when nothing more will come; open calls must be ended by then. Throws InputError when
  // nothing can be understood from there on and OutputError never.
  virtual bool pump(std::size_t budget_bytes) = 0;
  // No later event of any of its lanes will be before this time.
  virtual std::uint64_t frontier_ns() const = 0;
};

// Receives the merged stream.
class EventSink {
 public:
  virtual ~EventSink() = default;
  // Every lane, once, before the first event; `lane` is its number.
  virtual void add_lane(std::size_t lane, const LaneInfo& info) = 0;
  // Events of one lane, in order. Slots are never Open. The sink drops the details it has written.
  virtual void write(std::size_t lane, Lane& events, std::span<const Slot> slots) = 0;
};

class Timeline {
 public:
  struct Options {
    LaneOptions lanes;
    std::size_t lookahead_bytes = std::size_t{64} << 20;  // in all; shared between the lanes
  };
  explicit Timeline(const Options& options) : options_(options) {}

  // Each input calls this once, before adding its lanes.
  void begin_input() { ++input_; }
  // Adds a thread of the current input. The lane lives as long as the Timeline. Ids taken by an earlier input are
  // replaced by free ones: two inputs never share a process or a thread.
  Lane& add_lane(LaneInfo info);
  // The source fills exactly `lanes`, all from add_lane(). A lane belongs to one source.
  void add_source(std::unique_ptr<Source> source, std::vector<Lane*> lanes);

  // Merges everything into `sink`. `tick` is called now and then (progress, interruption: it may throw).
  void run(EventSink& sink, const std::function<void()>& tick);

 private:
  Options options_;
  SlotPool pool_;
  std::size_t input_ = 0;
};

}  // namespace convert
