// Reads the frames of a trace file and emits them on the lanes of their threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/timeline.h"
#include "converters/tfile/events/caller_calls.h"
#include "converters/tfile/events/frame_queue.h"
#include "converters/tfile/events/frame_recipes.h"
#include "converters/tfile/events/session_events.h"
#include "converters/tfile/frames/frame_clock.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/frames/pattern_reader.h"
#include "converters/tfile/threads/frame_classifier.h"

namespace convert::tfile {

// The open while-stepping calls. A hit with steps is a call that ends with its last step.
class SteppingCalls {
 public:
  bool empty() const { return open_.empty(); }

  // Adds the call of a hit, which has begun on the lane.
  void open(Lane& lane, std::int16_t tracepoint, std::uint64_t time_ns) {
    open_.push_back({.lane = &lane, .tracepoint = tracepoint, .is_over = false, .last_step_ns = time_ns});
  }

  // Adds a step to its call, which lasts at least until `time_ns`.
  void extend(const Lane& lane, std::int16_t tracepoint, std::uint64_t time_ns) {
    const auto call = std::find_if(open_.rbegin(), open_.rend(), [&](const Call& open) {
      return open.lane == &lane && open.tracepoint == tracepoint && !open.is_over;
    });
    if (call != open_.rend()) call->last_step_ns = time_ns;
  }

  // Ends the open call of the tracepoint. Without a tracepoint, ends all calls of the lane. A call that
  // contains open calls ends together with the last of these calls. Not inline, because it is rarely needed.
  // See end_of_top_call() for `announced_ns`.
  [[gnu::noinline]] void end(Lane& lane, std::optional<std::int16_t> tracepoint, std::uint64_t announced_ns) {
    const bool ends_all = !tracepoint || open_.size() > kMaxOpen;
    for (Call& call : open_)
      if (call.lane == &lane && (ends_all || call.tracepoint == *tracepoint)) call.is_over = true;
    for (;;) {
      const auto innermost =
          std::find_if(open_.rbegin(), open_.rend(), [&](const Call& call) { return call.lane == &lane; });
      if (innermost == open_.rend() || !innermost->is_over) return;
      lane.end(end_of_top_call(lane, innermost->last_step_ns, announced_ns));
      open_.erase(std::next(innermost).base());
    }
  }
  void end_all(std::uint64_t announced_ns) {
    while (!open_.empty()) end(*open_.back().lane, std::nullopt, announced_ns);
  }

 private:
  // A limit for nested calls. If hits of two tracepoints alternate, each call contains the next one.
  static constexpr std::size_t kMaxOpen = 512;

  struct Call {
    Lane* lane;
    std::int16_t tracepoint;
    bool is_over = false;  // the call ends when the calls inside it have ended
    std::uint64_t last_step_ns = 0;
  };
  std::vector<Call> open_;  // innermost last
};

struct FrameLanes {
  std::vector<Lane*> of_track;  // null for threads that are not shown
  // The lanes of tracepoints, by tracepoint and lane of the thread. A frame without such a lane is shown on
  // its thread's lane.
  std::map<std::pair<std::int16_t, Lane*>, Lane*> of_tracepoint = {};

  Lane* lane_of(std::size_t track, std::int16_t tracepoint) const {
    const auto found = of_tracepoint.find({tracepoint, of_track[track]});
    return found == of_tracepoint.end() ? of_track[track] : found->second;
  }
};

class TraceSource : public Source {
 public:
  // Events of the whole session go to `main`.
  TraceSource(std::unique_ptr<TraceRecording> recording, FrameLanes lanes, Lane& main,
              const ShownFrames& choice, ImportContext& import_context);

  bool pump(const PumpBudget& budget) override;
  std::uint64_t watermark_ns() const override { return last_ns_; }
  std::uint64_t calls_end_ns() const override { return 0; }
  std::optional<TimeSpan> marks() const override { return frames_shown_; }

 private:
  bool read_frames(std::size_t budget_bytes);
  void emit_by_patterns(std::size_t budget_bytes, std::size_t& lane_bytes);
  std::size_t emit_by_blocks(const Frame& frame);
  std::size_t emit_earliest();
  struct Emitted {
    std::size_t lane_bytes;  // approximate number
    const Recipe* recipe;    // valid until the next frame
  };
  Emitted emit(const Frame& frame, const FrameContext& context, const FrameTime& time, Lane& lane);
  std::uint64_t begin_frame(Lane& lane, std::int16_t tracepoint, bool is_step, std::uint64_t time_ns);
  [[gnu::noinline]] void emit_damage() { session_.emit_damage(reader_.pop_damage(), last_ns_); }

  std::unique_ptr<TraceRecording> recording_;
  FrameLanes lanes_;
  ImportContext& import_context_;
  FrameReader reader_;
  PatternReader patterns_;
  FrameClassifier classifier_;
  FrameClock clock_;
  SessionEvents session_;
  FrameRecipes recipes_;
  FrameQueue waiting_;
  SteppingCalls calls_;
  CallerCalls callers_;
  std::uint64_t last_ns_ = 0;
  std::uint64_t announced_ns_ = 0;  // watermark_ns() at the end of the latest pump()
  std::optional<TimeSpan> frames_shown_;
};

}  // namespace convert::tfile
