// Reads the frames of a trace file and emits them on the lanes of their threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/timeline.h"
#include "converters/tfile/events/emit_recipe.h"
#include "converters/tfile/events/frame_queue.h"
#include "converters/tfile/events/recipe_builder.h"
#include "converters/tfile/events/session_events.h"
#include "converters/tfile/events/stepping_calls.h"
#include "converters/tfile/events/tracepoint_details.h"
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
  TraceSurvey survey;
};

class TraceSource : public Source {
 public:
  // `lanes`: for each track of the survey the lane of its frames; null if they are not shown. Events of the
  // whole session go to `main`. Borrows all but the recording.
  TraceSource(std::unique_ptr<TraceRecording> recording, std::vector<Lane*> lanes, Lane& main,
              const ShownFrames& choice, ImportContext& import_context);

  bool pump(const PumpBudget& budget) override;
  std::uint64_t watermark_ns() const override { return last_ns_; }

 private:
  // How the frames of one pattern are emitted.
  struct PatternRecipe {
    EmitRecipe recipe;
    std::int16_t tracepoint;
    std::size_t track;
  };
  // How frames are emitted that have the same blocks and context, but whose bytes have no pattern: their
  // registers are looked at to find the thread.
  struct RepeatedRecipe {
    EmitRecipe recipe;
    std::vector<Block> blocks;
    FrameContext context;
    bool is_synthetic;

    bool fits(const Frame& frame, const FrameContext& other, const FrameTime& time) const;
  };
  bool read_frames(std::size_t budget_bytes);
  std::size_t emit_by_pattern();
  std::size_t emit_by_blocks(const Frame& frame);
  std::size_t emit_earliest();
  std::size_t emit(const Frame& frame, const FrameContext& context, const FrameTime& time);
  EmitRecipe& recipe_of(const Frame& frame, const FrameContext& context, const FrameTime& time);
  bool has_tracks(const Lane& lane) const;
  HitTrack track_of(const FrameContext& context);
  std::uint64_t begin_frame(Lane& lane, std::int16_t tracepoint, bool is_step, std::uint64_t time_ns);
  [[gnu::noinline]] void emit_damage() { session_.emit_damage(reader_.pop_damage(), last_ns_); }

  std::unique_ptr<TraceRecording> recording_;
  std::vector<Lane*> lanes_;
  ImportContext& import_context_;
  FrameReader reader_;
  StampReader stamps_;
  PatternReader patterns_;
  FrameClassifier classifier_;
  FrameClock clock_;
  SessionEvents session_;
  RecipeBuilder builder_;
  TracepointDetails details_;
  EmitRecipe recipe_;                                             // the latest that was built
  std::vector<PatternRecipe> known_patterns_;                     // by pattern
  std::map<std::int16_t, std::vector<RepeatedRecipe>> repeated_;  // by tracepoint
  FrameChoice frames_;
  std::uint64_t track_ids_;                                         // the first of them, less one
  std::map<std::pair<std::size_t, LabelId>, HitTrack> hit_tracks_;  // by track and label of the hits
  FrameQueue waiting_;
  SteppingCalls calls_;
  std::uint64_t last_ns_ = 0;
};

}  // namespace convert::tfile
