// Reads the frames of a trace file and emits them on the lanes of their threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/timeline.h"
#include "converters/tfile/events/emit_recipe.h"
#include "converters/tfile/events/recipe_builder.h"
#include "converters/tfile/frames/frame_clock.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/frames/pattern_reader.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/program/symbols.h"
#include "converters/tfile/threads/frame_classifier.h"
#include "converters/tfile/threads/survey.h"

namespace convert::tfile {

// Everything that is known about a trace file before its events are emitted.
struct TraceRecording {
  TraceFile trace;
  std::unique_ptr<ProgramSymbols> symbols;  // may be null
  LocationTable locations;                  // borrows the trace and the symbols
  Survey survey;
};

class TraceSource : public Source {
 public:
  // `lanes`: for each track of the survey the lane of its frames; null if they are not shown. Events of the
  // whole session go to `main`. Borrows all but the recording.
  TraceSource(std::unique_ptr<TraceRecording> recording, std::vector<Lane*> lanes, Lane& main,
              RegisterChoice registers, ImportContext& import_context);

  bool pump(const PumpBudget& budget) override;
  std::uint64_t watermark_ns() const override { return last_ns_; }

 private:
  // A frame that waits to be put in order, with a copy of its bytes. Frames wait only where stamps go back.
  struct WaitingFrame {
    Frame frame;
    std::vector<std::byte> bytes;
    FrameContext context;
    FrameTime time;
  };
  // How the frames of one pattern are emitted.
  struct KnownFrames {
    EmitRecipe recipe;
    std::int16_t tracepoint;
    std::size_t track;
  };
  // A while-stepping call that is open.
  struct OpenCall {
    Lane* lane;
    std::int16_t tracepoint;
    bool is_over = false;  // it ends as soon as the calls inside it have ended
    std::uint64_t last_step_ns = 0;
  };

  bool read_frames(std::size_t budget_bytes);
  std::size_t read_known();
  std::size_t read_frame(const Frame& frame);
  std::size_t put_in_order(const Frame& frame, const FrameContext& context, const FrameTime& time);
  std::size_t emit_earliest();
  std::size_t emit(const Frame& frame, const FrameContext& context, const FrameTime& time);
  std::uint64_t begin_frame(Lane& lane, std::int16_t tracepoint, bool is_step, std::uint64_t time_ns);
  void end_calls(Lane& lane, std::optional<std::int16_t> tracepoint);
  void emit_damage();
  void emit_start();
  void emit_end();
  Arguments status_arguments() const;
  Lane& lane_of(const FrameContext& context) { return *lanes_[context.track]; }

  std::unique_ptr<TraceRecording> recording_;
  std::vector<Lane*> lanes_;
  Lane& main_;
  ImportContext& import_context_;
  FrameReader reader_;
  StampReader stamps_;
  PatternReader patterns_;
  FrameClassifier classifier_;
  FrameClock clock_;
  RecipeBuilder builder_;
  EmitRecipe recipe_;                  // of the latest frame without a known pattern
  std::vector<KnownFrames> known_;     // by pattern
  std::vector<WaitingFrame> waiting_;  // a heap, the earliest on top
  std::size_t waiting_bytes_ = 0;
  std::vector<OpenCall> open_calls_;  // innermost last
  std::uint64_t last_ns_ = 0;
  bool has_begun_ = false;
};

}  // namespace convert::tfile
