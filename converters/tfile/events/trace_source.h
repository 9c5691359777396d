// Reads the frames of a trace file and emits them on the lanes of their threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "converters/model/importer.h"
#include "converters/model/timeline.h"
#include "converters/tfile/events/frame_queue.h"
#include "converters/tfile/events/frame_recipes.h"
#include "converters/tfile/events/session_events.h"
#include "converters/tfile/events/stepping_calls.h"
#include "converters/tfile/frames/frame_clock.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/frames/pattern_reader.h"
#include "converters/tfile/threads/frame_classifier.h"

namespace convert::tfile {

class TraceSource : public Source {
 public:
  // `lanes`: for each track of the survey the lane of its frames; null if they are not shown. Events of the
  // whole session go to `main`. Borrows all but the recording.
  TraceSource(std::unique_ptr<TraceRecording> recording, std::vector<Lane*> lanes, Lane& main,
              const ShownFrames& choice, ImportContext& import_context);

  bool pump(const PumpBudget& budget) override;
  std::uint64_t watermark_ns() const override { return last_ns_; }

 private:
  bool read_frames(std::size_t budget_bytes);
  std::size_t emit_by_pattern();
  std::size_t emit_by_blocks(const Frame& frame);
  std::size_t emit_earliest();
  std::size_t emit(const Frame& frame, const FrameContext& context, const FrameTime& time);
  std::uint64_t begin_frame(Lane& lane, std::int16_t tracepoint, bool is_step, std::uint64_t time_ns);
  [[gnu::noinline]] void emit_damage() { session_.emit_damage(reader_.pop_damage(), last_ns_); }

  std::unique_ptr<TraceRecording> recording_;
  std::vector<Lane*> lanes_;
  ImportContext& import_context_;
  FrameReader reader_;
  PatternReader patterns_;
  FrameClassifier classifier_;
  FrameClock clock_;
  SessionEvents session_;
  FrameRecipes recipes_;
  FrameQueue waiting_;
  SteppingCalls calls_;
  std::uint64_t last_ns_ = 0;
};

}  // namespace convert::tfile
