#include "converters/tfile/events/trace_source.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <functional>
#include <utility>

namespace convert::tfile {
namespace {

// Frames that wait to be put in order: more than any tracer is known to reorder.
constexpr std::size_t kMaxWaitingFrames = 4096;
constexpr std::size_t kMaxWaitingBytes = std::size_t{16} << 20;

constexpr std::string_view kSessionCategory = "session";

}  // namespace

TraceSource::TraceSource(std::unique_ptr<TraceRecording> recording, std::vector<Lane*> lanes, Lane& main,
                         RegisterChoice registers, ImportContext& import_context)
    : recording_(std::move(recording)),
      lanes_(std::move(lanes)),
      main_(main),
      import_context_(import_context),
      reader_(*recording_->trace.file, recording_->trace.description, recording_->trace.format),
      stamps_(recording_->trace.description),
      patterns_(reader_, stamps_, recording_->trace.format.order),
      classifier_(recording_->trace, recording_->locations),
      clock_(recording_->trace, recording_->survey.time),
      builder_(recording_->trace, recording_->locations, recording_->symbols.get(), registers,
               import_context) {}

bool TraceSource::pump(const PumpBudget& budget) {
  const std::uint64_t bytes_before = reader_.offset(), frames_before = reader_.frames_read();
  const bool has_more = read_frames(budget.lane_bytes);
  import_context_.stats.add_read(reader_.offset() - bytes_before, reader_.frames_read() - frames_before);
  return has_more;
}

bool TraceSource::read_frames(std::size_t budget_bytes) {
  for (std::size_t lane_bytes = 0; lane_bytes < budget_bytes;) {
    if (const std::size_t known_bytes = read_known(); known_bytes != 0) {
      lane_bytes += known_bytes;
      continue;
    }
    const Frame* frame = reader_.next();
    if (frame == nullptr) {
      while (!waiting_.empty()) emit_earliest();
      emit_start();
      emit_damage();
      emit_end();
      return false;
    }
    lane_bytes += read_frame(*frame) + 1;
  }
  return true;
}

// The hot path: emits a frame of a known pattern. Returns 0 when the next frame has none.
std::size_t TraceSource::read_known() {
  if (known_.empty()) return 0;
  const auto match = patterns_.peek();
  if (!match) return 0;
  KnownFrames& known = known_[match->pattern];
  const std::uint64_t number = reader_.frames_read();
  Lane& lane = *lanes_[known.track];
  const FrameTime time = clock_.time_of(number, match->stamp_ns, false);
  const std::uint64_t time_ns = begin_frame(lane, known.tracepoint, false, time.ns);
  const std::size_t lane_bytes =
      known.recipe.run(match->bytes, number, recording_->trace.format.order, time_ns, lane);
  patterns_.skip(*match);
  return lane_bytes;
}

std::size_t TraceSource::read_frame(const Frame& frame) {
  FrameContext context = classifier_.classify(frame);
  if (lanes_[context.track] == nullptr) return 0;  // filtered
  context.is_guessed = recording_->survey.shown_track[context.track] != context.track;
  // On a thread that has calls from another input, a call around steps could cross those calls.
  if (lane_of(context).is_matched()) context.opens_call = context.closes_call = false;
  const auto stamp_ns = stamps_.stamp_ns(frame);
  const FrameTime time = clock_.time_of(frame.number, stamp_ns, context.is_step);
  if (recording_->survey.time.reversed > 0) return put_in_order(frame, context, time);
  const std::size_t lane_bytes = emit(frame, context, time);
  const bool may_learn = classifier_.classifies_alike(frame) && recipe_.fits_all_of_pattern();
  if (may_learn && patterns_.learn(frame, stamp_ns.has_value()))
    known_.push_back({.recipe = recipe_, .tracepoint = frame.tracepoint, .track = context.track});
  return lane_bytes;
}

std::size_t TraceSource::put_in_order(const Frame& frame, const FrameContext& context,
                                      const FrameTime& time) {
  WaitingFrame& added = waiting_.emplace_back();
  added.frame = frame;
  added.context = context;
  added.time = time;
  added.bytes.assign(frame.bytes.begin(), frame.bytes.end());
  added.frame.bytes = added.bytes;
  for (Block& block : added.frame.blocks)
    block.bytes = added.frame.bytes.subspan(static_cast<std::size_t>(block.bytes.data() - frame.bytes.data()),
                                            block.bytes.size());
  waiting_bytes_ += added.bytes.size();
  const auto registers = std::ranges::find(added.frame.blocks, Block::Kind::Registers, &Block::kind);
  if (registers != added.frame.blocks.end()) added.context.registers = &*registers;
  std::ranges::push_heap(waiting_, std::greater{},
                         [](const WaitingFrame& w) { return std::pair(w.time.ns, w.frame.number); });
  if (waiting_.size() <= kMaxWaitingFrames && waiting_bytes_ <= kMaxWaitingBytes) return frame.bytes.size();
  return emit_earliest();
}

std::size_t TraceSource::emit_earliest() {
  std::ranges::pop_heap(waiting_, std::greater{},
                        [](const WaitingFrame& w) { return std::pair(w.time.ns, w.frame.number); });
  const WaitingFrame earliest = std::move(waiting_.back());
  waiting_.pop_back();
  waiting_bytes_ -= earliest.bytes.size();
  return emit(earliest.frame, earliest.context, earliest.time);
}

// Emits what comes before a frame. Returns the time at which the frame is shown.
std::uint64_t TraceSource::begin_frame(Lane& lane, std::int16_t tracepoint, bool is_step,
                                       std::uint64_t time_ns) {
  last_ns_ = std::max(time_ns, last_ns_);
  if (!has_begun_) emit_start();
  if (reader_.has_damage()) emit_damage();
  if (!is_step && !open_calls_.empty()) end_calls(lane, tracepoint);
  return last_ns_;
}

std::size_t TraceSource::emit(const Frame& frame, const FrameContext& context, const FrameTime& time) {
  Lane& lane = lane_of(context);
  const std::uint64_t time_ns = begin_frame(lane, frame.tracepoint, context.is_step, time.ns);
  builder_.build(recipe_, frame, context, time.is_synthetic);
  const std::size_t lane_bytes =
      recipe_.run(frame.bytes, frame.number, recording_->trace.format.order, time_ns, lane);
  if (context.opens_call)
    open_calls_.push_back(
        {.lane = &lane, .tracepoint = frame.tracepoint, .is_over = false, .last_step_ns = time_ns});
  if (context.is_step) {
    const auto call = std::find_if(open_calls_.rbegin(), open_calls_.rend(), [&](const OpenCall& open) {
      return open.lane == &lane && open.tracepoint == frame.tracepoint && !open.is_over;
    });
    if (call != open_calls_.rend()) call->last_step_ns = time_ns;
    if (context.closes_call) end_calls(lane, frame.tracepoint);
  }
  return lane_bytes;
}

// Ends the open call of the tracepoint, or all calls of the lane without a tracepoint. A call that has others
// inside ends with the last of them.
void TraceSource::end_calls(Lane& lane, std::optional<std::int16_t> tracepoint) {
  for (OpenCall& open : open_calls_)
    if (open.lane == &lane && (!tracepoint || open.tracepoint == *tracepoint)) open.is_over = true;
  for (;;) {
    const auto innermost = std::find_if(open_calls_.rbegin(), open_calls_.rend(),
                                        [&](const OpenCall& open) { return open.lane == &lane; });
    if (innermost == open_calls_.rend() || !innermost->is_over) return;
    lane.end(std::max(innermost->last_step_ns, lane.last_ns()));
    open_calls_.erase(std::next(innermost).base());
  }
}

void TraceSource::emit_damage() {
  Names& names = import_context_.names;
  for (const Damage& damage : reader_.pop_damage()) {
    main_.instant(last_ns_, names.intern_label(kSessionCategory, "damaged bytes"),
                  {{names.intern("begin"), damage.begin},
                   {names.intern("end"), damage.end},
                   {names.intern("problem"), damage.problem}});
  }
}

// Emits the status at the time of the start, or of the first frame where the start is unknown.
void TraceSource::emit_start() {
  if (std::exchange(has_begun_, true)) return;
  Names& names = import_context_.names;
  const TraceFile& trace = recording_->trace;
  const std::uint64_t first_frame_ns = last_ns_;
  const auto& status = trace.description.status;
  const std::uint64_t begin_ns = clock_.start_ns().value_or(first_frame_ns);
  if (clock_.start_ns()) main_.instant(begin_ns, names.intern_label(kSessionCategory, "trace start"));
  main_.instant(begin_ns, names.intern_label(kSessionCategory, "trace status"), status_arguments());
  if (import_context_.options.blobs != Blobs::None) {
    const auto text = std::as_bytes(std::span(trace.description.text));
    main_.blob(begin_ns, "gdb/description", text);
  }
  if (status && status->frames && status->frames_created && *status->frames_created > *status->frames)
    main_.instant(begin_ns, names.intern_label(kSessionCategory, "overwritten before saving"),
                  {{names.intern("count"), *status->frames_created - *status->frames}});
  last_ns_ = std::max(begin_ns, first_frame_ns);
}

void TraceSource::emit_end() {
  while (!open_calls_.empty()) end_calls(*open_calls_.back().lane, std::nullopt);
  Names& names = import_context_.names;
  const auto& status = recording_->trace.description.status;
  if (!status) return;
  const std::uint64_t frames = recording_->survey.time.frames;
  if (status->frames && *status->frames > frames)
    main_.instant(last_ns_, names.intern_label(kSessionCategory, "frames missing"),
                  {{names.intern("count"), *status->frames - frames}});
  if (status->reason == StopReason::Full)
    main_.instant(last_ns_, names.intern_label(kSessionCategory, "buffer full"));
  if (!clock_.stop_ns()) return;
  last_ns_ = *clock_.stop_ns();
  main_.instant(last_ns_, names.intern_label(kSessionCategory, "trace stop"),
                {{names.intern("stop_reason"), status->describe()}});
}

// The arguments of the instant `trace status`.
Arguments TraceSource::status_arguments() const {
  const TraceFile& trace = recording_->trace;
  const Survey& survey = recording_->survey;
  Arguments arguments;
  const auto add = [&](std::string_view name, const auto& value) {
    arguments.add({import_context_.names.intern(name), value});
  };
  const TraceStatus status = trace.description.status.value_or(TraceStatus{});
  if (trace.description.status) add("stop_reason", status.describe());
  add("frames", survey.time.frames);
  if (status.frames_created) add("frames_created", *status.frames_created);
  if (status.start_us)
    add("start", fmt::format("{}.{:06} s", *status.start_us / 1000000, *status.start_us % 1000000));
  if (status.stop_us)
    add("stop", fmt::format("{}.{:06} s", *status.stop_us / 1000000, *status.stop_us % 1000000));
  if (!status.user.empty()) add("user", status.user);
  if (!status.notes.empty()) add("notes", status.notes);
  if (trace.description.status) add("circular", static_cast<std::uint32_t>(status.circular));
  if (status.buffer_size) add("buffer_size", *status.buffer_size);
  if (status.buffer_free) add("buffer_free", *status.buffer_free);
  if (status.frames && *status.frames != survey.time.frames) add("frames_expected", *status.frames);
  if (!trace.architecture.empty()) add("architecture", trace.architecture);
  add("clock", name_of(survey.time.base));
  return arguments;
}

}  // namespace convert::tfile
