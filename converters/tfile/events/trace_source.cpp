#include "converters/tfile/events/trace_source.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <utility>

#include "converters/tfile/events/trace_status.h"

namespace convert::tfile {
namespace {

// Frames that wait to be put in order: as many as any tracer is known to shuffle, and then some.
constexpr std::size_t kMaxWaitingFrames = 4096;
constexpr std::size_t kMaxWaitingBytes = std::size_t{16} << 20;

constexpr std::string_view kSessionCategory = "session";

}  // namespace

TraceSource::TraceSource(std::unique_ptr<Recording> recording, std::vector<Lane*> lanes, Lane& main,
                         ImportContext& context)
    : recording_(std::move(recording)),
      lanes_(std::move(lanes)),
      main_(main),
      context_(context),
      reader_(*recording_->trace.file, recording_->trace.description, recording_->trace.format),
      placer_(recording_->trace, *recording_->locations),
      clock_(recording_->trace, recording_->survey.time),
      planner_(recording_->trace, *recording_->locations, recording_->symbols.get(), recording_->options,
               context),
      stamps_(recording_->trace.description) {}

bool TraceSource::pump(const PumpBudget& turn) {
  const std::uint64_t bytes_before = reader_.offset(), frames_before = reader_.frames_read();
  const bool goes_on = read_on(turn.lane_bytes);
  context_.stats.add_read(reader_.offset() - bytes_before, reader_.frames_read() - frames_before);
  return goes_on;
}

bool TraceSource::read_on(std::size_t lane_bytes) {
  for (std::size_t bytes = 0; bytes < lane_bytes;) {
    if (const std::size_t known_bytes = read_known(); known_bytes != 0) {
      bytes += known_bytes;
      continue;
    }
    const Frame* frame = reader_.next();
    if (frame == nullptr) {
      while (!waiting_.empty()) say_earliest();
      say_beginning();
      say_damage();
      say_end();
      return false;
    }
    bytes += read_frame(*frame) + 1;
  }
  return true;
}

// The hot path: a frame of a known pattern. Returns 0 where another one stands, or one that is to be said in
// another way.
std::size_t TraceSource::read_known() {
  if (known_.empty()) return 0;
  const auto ahead = reader_.ahead();
  const std::size_t pattern = patterns_.find(ahead);
  if (pattern == FramePatterns::kNone) return 0;
  Known& known = known_[pattern];
  const std::uint64_t number = reader_.frames_read();
  const std::endian order = recording_->trace.format.order;
  std::optional<std::uint64_t> stamp;
  if (known.stamp_offset) stamp = stamps_.stamp_ns(ahead, *known.stamp_offset, order);
  if (stamp.has_value() != known.stamp_offset.has_value()) return 0;  // an impossible one

  Lane& lane = *lanes_[known.track];
  const FrameTime time = clock_.time_of(number, stamp, false);
  const std::uint64_t time_ns = begin_frame(lane, known.tracepoint, false, time.ns);
  const std::size_t bytes = known.plan.run(ahead, number, order, time_ns, lane);
  reader_.take(known.size);
  return bytes;
}

std::size_t TraceSource::read_frame(const Frame& frame) {
  Placement placement = placer_.place(frame);
  if (lanes_[placement.track] == nullptr) return 0;  // not wanted
  placement.is_guessed = recording_->survey.shown_track[placement.track] != placement.track;
  // A call around steps would cross those that they lead into and out of.
  if (lane_of(placement).is_matched()) placement.opens_call = placement.closes_call = false;
  const FrameTime time = clock_.time_of(frame, placement.is_step);
  if (recording_->survey.time.reversed > 0) return put_in_order(frame, placement, time);
  const std::size_t bytes = say(frame, placement, time);
  if (placer_.places_alike(frame) && patterns_.wants_another(frame)) learn(frame, placement, time);
  return bytes;
}

// Others like the frame that was said just now can be said by its plan.
void TraceSource::learn(const Frame& frame, const Placement& placement, const FrameTime& time) {
  auto pattern = FramePattern::of(frame);
  if (!pattern || !stamps_.is_simple(*pattern) || !plan_.fits_all_alike()) return;
  const auto stamp_offset = stamps_.stamp_offset(*pattern);
  if (time.is_synthetic == stamp_offset.has_value()) return;
  known_.push_back({.plan = plan_,
                    .tracepoint = frame.tracepoint,
                    .size = pattern->size(),
                    .track = placement.track,
                    .stamp_offset = stamp_offset});
  patterns_.add(frame, *std::move(pattern));
}

std::size_t TraceSource::put_in_order(const Frame& frame, const Placement& placement, const FrameTime& time) {
  Waiting& added = waiting_.emplace_back();
  added.frame = frame;
  added.placement = placement;
  added.time = time;
  added.bytes.assign(frame.bytes.begin(), frame.bytes.end());
  added.frame.bytes = added.bytes;
  for (Block& block : added.frame.blocks)
    block.bytes = added.frame.bytes.subspan(static_cast<std::size_t>(block.bytes.data() - frame.bytes.data()),
                                            block.bytes.size());
  waiting_bytes_ += added.bytes.size();
  const auto registers = std::ranges::find(added.frame.blocks, Block::Kind::Registers, &Block::kind);
  if (registers != added.frame.blocks.end()) added.placement.registers = &*registers;
  std::ranges::push_heap(waiting_, std::greater{},
                         [](const Waiting& w) { return std::pair(w.time.ns, w.frame.number); });
  if (waiting_.size() <= kMaxWaitingFrames && waiting_bytes_ <= kMaxWaitingBytes) return frame.bytes.size();
  return say_earliest();
}

std::size_t TraceSource::say_earliest() {
  std::ranges::pop_heap(waiting_, std::greater{},
                        [](const Waiting& w) { return std::pair(w.time.ns, w.frame.number); });
  const Waiting earliest = std::move(waiting_.back());
  waiting_.pop_back();
  waiting_bytes_ -= earliest.bytes.size();
  return say(earliest.frame, earliest.placement, earliest.time);
}

// Says what comes before a frame. Returns its time as it is shown.
std::uint64_t TraceSource::begin_frame(Lane& lane, std::int16_t tracepoint, bool is_step,
                                       std::uint64_t time_ns) {
  last_ns_ = std::max(time_ns, last_ns_);
  if (!has_begun_) say_beginning();
  if (reader_.has_damage()) say_damage();
  if (!is_step && !open_calls_.empty()) end_calls(lane, tracepoint);
  return last_ns_;
}

std::size_t TraceSource::say(const Frame& frame, const Placement& placement, const FrameTime& time) {
  Lane& lane = lane_of(placement);
  const std::uint64_t time_ns = begin_frame(lane, frame.tracepoint, placement.is_step, time.ns);
  planner_.draw_up(plan_, frame, placement, time.is_synthetic);
  const std::size_t bytes =
      plan_.run(frame.bytes, frame.number, recording_->trace.format.order, time_ns, lane);
  if (placement.opens_call)
    open_calls_.push_back(
        {.lane = &lane, .tracepoint = frame.tracepoint, .is_over = false, .last_step_ns = time_ns});
  if (placement.is_step) {
    const auto call = std::find_if(open_calls_.rbegin(), open_calls_.rend(), [&](const OpenCall& open) {
      return open.lane == &lane && open.tracepoint == frame.tracepoint && !open.is_over;
    });
    if (call != open_calls_.rend()) call->last_step_ns = time_ns;
    if (placement.closes_call) end_calls(lane, frame.tracepoint);
  }
  return bytes;
}

// Ends the call of this tracepoint, if one is open; one that has others inside ends with the last of them.
// Without a tracepoint all calls of the lane end.
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

void TraceSource::say_damage() {
  Names& names = context_.names;
  for (const Damage& damage : reader_.take_damage()) {
    main_.instant(last_ns_, names.intern_label(kSessionCategory, "damaged bytes"),
                  {{names.intern("begin"), damage.begin},
                   {names.intern("end"), damage.end},
                   {names.intern("problem"), damage.problem}});
  }
}

// The status stands at the first event's time; the start mark, when it is known, before it.
void TraceSource::say_beginning() {
  if (std::exchange(has_begun_, true)) return;
  Names& names = context_.names;
  const TraceFile& trace = recording_->trace;
  const std::uint64_t first_frame_ns = last_ns_;
  const auto& status = trace.description.status;
  const std::uint64_t begin_ns = clock_.start_ns().value_or(first_frame_ns);
  if (clock_.start_ns()) main_.instant(begin_ns, names.intern_label(kSessionCategory, "trace start"));
  main_.instant(begin_ns, names.intern_label(kSessionCategory, "trace status"),
                status_arguments(trace, recording_->survey, names));
  if (context_.options.blobs != Blobs::None) {
    const auto text = std::as_bytes(std::span(trace.description.text));
    main_.blob(begin_ns, "gdb/description", text);
  }
  if (status && status->frames && status->frames_created && *status->frames_created > *status->frames)
    main_.instant(begin_ns, names.intern_label(kSessionCategory, "overwritten before saving"),
                  {{names.intern("count"), *status->frames_created - *status->frames}});
  last_ns_ = std::max(begin_ns, first_frame_ns);
}

void TraceSource::say_end() {
  while (!open_calls_.empty()) end_calls(*open_calls_.back().lane, std::nullopt);
  Names& names = context_.names;
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

}  // namespace convert::tfile
