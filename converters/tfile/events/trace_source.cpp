#include "converters/tfile/events/trace_source.h"

#include <bit>
#include <string>

#include "converters/tfile/description/note_kinds.h"

namespace convert::tfile {

TraceSource::TraceSource(std::unique_ptr<TraceRecording> recording, FrameLanes lanes, Lane& main,
                         const ShownFrames& choice, ImportContext& import_context)
    : recording_(std::move(recording)),
      lanes_(std::move(lanes)),
      import_context_(import_context),
      reader_(*recording_->trace.file, recording_->trace.description, recording_->trace.format),
      patterns_(reader_, recording_->trace.description, recording_->trace.format.order),
      classifier_(recording_->trace, recording_->locations),
      clock_(recording_->trace, recording_->survey.time),
      session_(recording_->trace, recording_->survey, clock_, main, import_context),
      recipes_(*recording_, choice, import_context) {
  // Capturing `this` is safe, because the timeline owns this source until it has called the function.
  import_context.timeline.at_end([this] {
    for (std::string& line : recipes_.details())
      import_context_.stats.details.push_back({.input = recording_->trace.path, .text = std::move(line)});
    if (recording_->symbols != nullptr) recording_->symbols->add_notes(import_context_.notes);
    for (const std::string& item : recipes_.not_plotted())
      import_context_.notes.add(kNotPlotted, Location::file(recording_->trace.path), item);
  });
}

bool TraceSource::pump(const PumpBudget& budget) {
  const std::uint64_t bytes_before = reader_.offset(), frames_before = reader_.frames_read();
  const bool has_more = read_frames(budget.bytes);
  announced_ns_ = last_ns_;
  import_context_.stats.add_read(reader_.offset() - bytes_before, reader_.frames_read() - frames_before);
  return has_more;
}

bool TraceSource::read_frames(std::size_t budget_bytes) {
  for (std::size_t lane_bytes = 0;;) {
    if (recipes_.cache().has_patterns()) emit_by_patterns(budget_bytes, lane_bytes);
    if (lane_bytes >= budget_bytes) return true;
    const Frame* frame = reader_.next();
    if (frame == nullptr) {
      while (!waiting_.empty()) emit_earliest();
      if (frames_shown_) frames_shown_->end_ns = last_ns_;
      last_ns_ = session_.emit_start(last_ns_);
      emit_damage();
      calls_.end_all(announced_ns_);
      callers_.end_all(announced_ns_);
      last_ns_ = session_.emit_end(last_ns_);
      return false;
    }
    lane_bytes += emit_by_blocks(*frame) + 1;
  }
}

// The hot path: emits the next frames while their patterns are known and `lane_bytes` is below the budget.
void TraceSource::emit_by_patterns(std::size_t budget_bytes, std::size_t& lane_bytes) {
  const std::endian order = recording_->trace.format.order;
  while (lane_bytes < budget_bytes) {
    const auto* match = patterns_.peek();
    if (!match) return;
    RecipeCache::Known& known = recipes_.cache().of_pattern(match->pattern);
    const std::uint64_t number = reader_.frames_read();
    Lane& lane = *known.lane;
    const FrameTime time = clock_.time_of(number, match->stamp(), false);
    const std::uint64_t time_ns = begin_frame(lane, known.tracepoint, false, time.ns);
    // Frames with a pattern have no callers.
    if (!callers_.empty()) callers_.show(lane, {}, time_ns, announced_ns_);
    lane_bytes += known.recipe.run(match->bytes, number, order, time_ns, lane);
    patterns_.skip(*match);
  }
}

std::size_t TraceSource::emit_by_blocks(const Frame& frame) {
  FrameContext context = classifier_.classify(frame);
  const auto stamp_ns = patterns_.stamps().stamp_ns(frame);
  const FrameTime time = clock_.time_of(frame.number, stamp_ns, context.is_step);
  Lane* const lane = lanes_.lane_of(context.track, frame.tracepoint);
  if (lane == nullptr) return 0;  // the thread is filtered out
  context.is_guessed = recording_->survey.shown_track[context.track] != context.track;
  // If the thread also has calls from another input, the call of a hit with steps could cross those calls.
  if (lane->is_matched()) context.opens_call = context.closes_call = false;
  if (recording_->survey.time.reversed > 0) {
    waiting_.push(frame, context, time);
    return waiting_.is_full() ? emit_earliest() : frame.bytes.size();
  }
  const auto [lane_bytes, recipe] = emit(frame, context, time, *lane);
  const bool may_learn =
      !context.has_registers && classifier_.classifies_alike(frame) && recipe->is_reusable();
  if (may_learn && patterns_.learn(frame, stamp_ns.has_value()))
    recipes_.cache().add_pattern(*recipe, frame.tracepoint, *lane);
  return lane_bytes;
}

std::size_t TraceSource::emit_earliest() {
  const WaitingFrame earliest = waiting_.pop_earliest();
  const auto& [frame, bytes, context, time] = earliest;
  return emit(frame, context, time, *lanes_.lane_of(context.track, frame.tracepoint)).lane_bytes;
}

// Emits the events that come before a frame. Returns the time at which the frame is shown.
std::uint64_t TraceSource::begin_frame(Lane& lane, std::int16_t tracepoint, bool is_step,
                                       std::uint64_t time_ns) {
  last_ns_ = std::max(time_ns, last_ns_);
  if (!session_.has_started()) {
    last_ns_ = session_.emit_start(last_ns_);
    frames_shown_ = TimeSpan{.begin_ns = last_ns_, .end_ns = last_ns_};
  }
  if (reader_.has_damage()) emit_damage();
  if (!is_step && !calls_.empty()) calls_.end(lane, tracepoint, announced_ns_);
  return last_ns_;
}

TraceSource::Emitted TraceSource::emit(const Frame& frame, const FrameContext& context, const FrameTime& time,
                                       Lane& lane) {
  const std::uint64_t time_ns = begin_frame(lane, frame.tracepoint, context.is_step, time.ns);
  const bool can_repeat = context.has_registers && classifier_.classifies_alike(frame);
  Recipe& recipe = recipes_.recipe_of(frame, context, time, can_repeat);
  // If callers were shown as calls, they could cross the calls that another input has on this thread.
  const bool shows_callers = lanes_.of_tracepoint.empty() && !lane.is_matched();
  if (!context.is_step && shows_callers) callers_.show(lane, recipe.callers(), time_ns, announced_ns_);
  const std::size_t lane_bytes =
      recipe.run(frame.bytes, frame.number, recording_->trace.format.order, time_ns, lane);
  if (context.opens_call) calls_.open(lane, frame.tracepoint, time_ns);
  if (context.is_step) calls_.extend(lane, frame.tracepoint, time_ns);
  if (context.closes_call) calls_.end(lane, frame.tracepoint, announced_ns_);
  return {lane_bytes, &recipe};
}

}  // namespace convert::tfile
