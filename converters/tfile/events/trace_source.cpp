#include "converters/tfile/events/trace_source.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "converters/tfile/description/note_kinds.h"

namespace convert::tfile {

TraceSource::TraceSource(std::unique_ptr<TraceRecording> recording, std::vector<Lane*> lanes, Lane& main,
                         const ShownFrames& choice, ImportContext& import_context)
    : recording_(std::move(recording)),
      lanes_(std::move(lanes)),
      import_context_(import_context),
      reader_(*recording_->trace.file, recording_->trace.description, recording_->trace.format),
      stamps_(recording_->trace.description),
      patterns_(reader_, stamps_, recording_->trace.format.order),
      classifier_(recording_->trace, recording_->locations),
      clock_(recording_->trace, recording_->survey.time),
      session_(recording_->trace, recording_->survey, clock_, main, import_context),
      builder_(recording_->trace, recording_->locations, recording_->symbols.get(), choice, import_context),
      details_(import_context.names),
      frames_(choice.frames),
      track_ids_(import_context.timeline.new_id() << 32) {
  // The timeline keeps its sources until then.
  import_context.timeline.at_end([this] {
    auto lines = details_.lines(recording_->trace, recording_->survey, recording_->symbols.get(),
                                builder_.values().lacking());
    std::ranges::move(lines, std::back_inserter(import_context_.stats.details));
    for (const std::string& item : builder_.plots().missing())
      import_context_.notes.add(kNotPlotted, Location::file(recording_->trace.path), item);
  });
}

bool TraceSource::pump(const PumpBudget& budget) {
  const std::uint64_t bytes_before = reader_.offset(), frames_before = reader_.frames_read();
  const bool has_more = read_frames(budget.lane_bytes);
  import_context_.stats.add_read(reader_.offset() - bytes_before, reader_.frames_read() - frames_before);
  return has_more;
}

bool TraceSource::read_frames(std::size_t budget_bytes) {
  for (std::size_t lane_bytes = 0; lane_bytes < budget_bytes;) {
    if (const std::size_t pattern_bytes = emit_by_pattern(); pattern_bytes != 0) {
      lane_bytes += pattern_bytes;
      continue;
    }
    const Frame* frame = reader_.next();
    if (frame == nullptr) {
      while (!waiting_.empty()) emit_earliest();
      last_ns_ = session_.emit_start(last_ns_);
      emit_damage();
      calls_.end_all();
      last_ns_ = session_.emit_end(last_ns_);
      return false;
    }
    lane_bytes += emit_by_blocks(*frame) + 1;
  }
  return true;
}

// The hot path: emits a frame of a known pattern. Returns 0 when the next frame has none.
std::size_t TraceSource::emit_by_pattern() {
  if (known_patterns_.empty()) return 0;
  const auto* match = patterns_.peek();
  if (!match) return 0;
  PatternRecipe& known = known_patterns_[match->pattern];
  const std::uint64_t number = reader_.frames_read();
  Lane& lane = *lanes_[known.track];
  const FrameTime time = clock_.time_of(number, match->stamp(), false);
  const std::uint64_t time_ns = begin_frame(lane, known.tracepoint, false, time.ns);
  const std::size_t lane_bytes =
      known.recipe.run(match->bytes, number, recording_->trace.format.order, time_ns, lane);
  patterns_.skip(*match);
  return lane_bytes;
}

std::size_t TraceSource::emit_by_blocks(const Frame& frame) {
  FrameContext context = classifier_.classify(frame);
  if (lanes_[context.track] == nullptr) return 0;  // filtered
  context.is_guessed = recording_->survey.shown_track[context.track] != context.track;
  // On a thread that has calls from another input, a call around steps could cross those calls.
  if (lanes_[context.track]->is_matched()) context.opens_call = context.closes_call = false;
  const auto stamp_ns = stamps_.stamp_ns(frame);
  const FrameTime time = clock_.time_of(frame.number, stamp_ns, context.is_step);
  if (recording_->survey.time.reversed > 0) {
    waiting_.push(frame, context, time);
    return waiting_.is_full() ? emit_earliest() : frame.bytes.size();
  }
  const std::size_t lane_bytes = emit(frame, context, time);
  const bool may_learn =
      context.registers == nullptr && classifier_.classifies_alike(frame) && recipe_.fits_all_of_pattern();
  if (may_learn && patterns_.learn(frame, stamp_ns.has_value()))
    known_patterns_.push_back({.recipe = recipe_, .tracepoint = frame.tracepoint, .track = context.track});
  return lane_bytes;
}

std::size_t TraceSource::emit_earliest() {
  const WaitingFrame earliest = waiting_.pop_earliest();
  return emit(earliest.frame, earliest.context, earliest.time);
}

bool TraceSource::RepeatedRecipe::fits(const Frame& frame, const FrameContext& other,
                                       const FrameTime& time) const {
  const auto is_alike = [](const Block& a, const Block& b) {
    return a.kind == b.kind && a.address == b.address && a.bytes.size() == b.bytes.size();
  };
  return context.track == other.track && context.pc == other.pc && context.location == other.location &&
         context.is_guessed == other.is_guessed && is_synthetic == time.is_synthetic && !frame.is_partial &&
         std::ranges::equal(blocks, frame.blocks, is_alike);
}

// Builds the recipe of a frame, unless it was built for another one.
EmitRecipe& TraceSource::recipe_of(const Frame& frame, const FrameContext& context, const FrameTime& time) {
  constexpr std::size_t kMaxRepeated = 8;  // of one tracepoint
  auto& repeated = repeated_[frame.tracepoint];
  const bool can_repeat = context.registers != nullptr && classifier_.classifies_alike(frame);
  if (can_repeat)
    for (RepeatedRecipe& known : repeated)
      if (known.fits(frame, context, time)) return known.recipe;
  builder_.build(recipe_, frame, context, time.is_synthetic);
  details_.add(frame.tracepoint, recipe_);
  if (!context.is_step && has_tracks(*lanes_[context.track])) recipe_.set_track(track_of(context));
  if (can_repeat && recipe_.fits_all_of_pattern() && repeated.size() < kMaxRepeated && !frame.is_partial)
    repeated.push_back({recipe_, frame.blocks, context, time.is_synthetic});
  return recipe_;
}

bool TraceSource::has_tracks(const Lane& lane) const {
  constexpr std::uint64_t kMaxHits = 100'000;  // of traces that may grow by a third
  if (frames_ == FrameChoice::Auto) return !lane.is_matched() && recording_->survey.hits <= kMaxHits;
  return frames_ == FrameChoice::Tracks;
}

// Viewers put such tracks below the process, and join those of the same name. So the name has the thread,
// too, where there are several.
HitTrack TraceSource::track_of(const FrameContext& context) {
  const TraceSurvey& survey = recording_->survey;
  const std::size_t thread = survey.shown_track[context.track];
  const auto [found, is_new] = hit_tracks_.try_emplace({thread, recipe_.label()});
  if (is_new) {
    Names& names = import_context_.names;
    std::string name(names.text(names.label(recipe_.label()).name));
    if (std::ranges::any_of(survey.shown_track, [&](std::size_t other) { return other != thread; }))
      name += " on " + name_of(survey.tracks[thread], recording_->trace.register_layout());
    found->second = {names.intern_label("tracepoint track", name), track_ids_ + hit_tracks_.size()};
  }
  return found->second;
}

// Emits what comes before a frame. Returns the time at which the frame is shown.
std::uint64_t TraceSource::begin_frame(Lane& lane, std::int16_t tracepoint, bool is_step,
                                       std::uint64_t time_ns) {
  last_ns_ = std::max(time_ns, last_ns_);
  if (!session_.has_started()) last_ns_ = session_.emit_start(last_ns_);
  if (reader_.has_damage()) emit_damage();
  if (!is_step && !calls_.empty()) calls_.end(lane, tracepoint);
  return last_ns_;
}

std::size_t TraceSource::emit(const Frame& frame, const FrameContext& context, const FrameTime& time) {
  Lane& lane = *lanes_[context.track];
  const std::uint64_t time_ns = begin_frame(lane, frame.tracepoint, context.is_step, time.ns);
  const std::size_t lane_bytes =
      recipe_of(frame, context, time)
          .run(frame.bytes, frame.number, recording_->trace.format.order, time_ns, lane);
  if (context.opens_call) calls_.open(lane, frame.tracepoint, time_ns);
  if (context.is_step) calls_.extend(lane, frame.tracepoint, time_ns);
  if (context.closes_call) calls_.end(lane, frame.tracepoint);
  return lane_bytes;
}

}  // namespace convert::tfile
