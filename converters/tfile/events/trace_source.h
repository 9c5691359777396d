// Reads a trace file's frames forward and says them on the lanes of their threads.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/timeline.h"
#include "converters/tfile/events/frame_plan.h"
#include "converters/tfile/events/frame_planner.h"
#include "converters/tfile/events/options.h"
#include "converters/tfile/frames/frame_clock.h"
#include "converters/tfile/frames/frame_pattern.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/symbols.h"
#include "converters/tfile/threads/placer.h"
#include "converters/tfile/threads/survey.h"

namespace convert::tfile {

// Everything that one input's reading needs; kept as long as its source.
struct Recording {
  Options options;
  TraceFile trace;
  std::unique_ptr<Symbols> symbols;  // may be null
  std::unique_ptr<LocationTable> locations;
  Survey survey;
};

class TraceSource : public Source {
 public:
  // `lanes` by track (as the survey counts them): where its frames are shown. `main` shows what belongs to
  // the whole session. The context is borrowed.
  TraceSource(std::unique_ptr<Recording> recording, std::vector<Lane*> lanes, Lane& main,
              ImportContext& context);

  bool pump(const PumpBudget& turn) override;
  std::uint64_t watermark_ns() const override { return last_ns_; }

 private:
  // A frame with its place and time. Where stamps go back, frames wait here to be put in order: then it owns
  // its bytes.
  struct Waiting {
    Frame frame;
    std::vector<std::byte> bytes;
    Placement placement;
    FrameTime time;
  };

  // The frames of one pattern.
  struct Known {
    FramePlan plan;
    std::int16_t tracepoint;
    std::size_t size;  // bytes, header included
    std::size_t track;
    std::optional<std::size_t> stamp_offset;
  };

  bool read_on(std::size_t lane_bytes);
  std::size_t read_known();
  std::size_t read_frame(const Frame& frame);
  void learn(const Frame& frame, const Placement& placement, const FrameTime& time);
  std::size_t put_in_order(const Frame& frame, const Placement& placement, const FrameTime& time);
  std::size_t say_earliest();
  std::size_t say(const Frame& frame, const Placement& placement, const FrameTime& time);
  std::uint64_t begin_frame(Lane& lane, std::int16_t tracepoint, bool is_step, std::uint64_t time_ns);
  void say_damage();
  void say_beginning();
  void say_end();
  Lane& lane_of(const Placement& placement) { return *lanes_[placement.track]; }

  std::unique_ptr<Recording> recording_;
  std::vector<Lane*> lanes_;
  Lane& main_;
  ImportContext& context_;
  FrameReader reader_;
  Placer placer_;
  FrameClock clock_;
  FramePlanner planner_;
  FramePlan plan_;      // of the frame at hand, where it is not a known one
  StampReader stamps_;  // of known frames
  FramePatterns patterns_;
  std::vector<Known> known_;      // by pattern
  std::vector<Waiting> waiting_;  // a heap, the earliest on top
  std::size_t waiting_bytes_ = 0;
  // While-stepping calls that are open, innermost last: the tracepoint of each.
  struct OpenCall {
    Lane* lane;
    std::int16_t tracepoint;
    bool is_over = false;
    std::uint64_t last_step_ns = 0;
  };
  void end_calls(Lane& lane, std::optional<std::int16_t> tracepoint);
  std::vector<OpenCall> open_calls_;
  std::uint64_t last_ns_ = 0;
  bool has_begun_ = false;
};

}  // namespace convert::tfile
