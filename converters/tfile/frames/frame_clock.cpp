#include "converters/tfile/frames/frame_clock.h"

#include <algorithm>
#include <array>

namespace convert::tfile {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
// The time from one frame to the next, if their times are unknown.
constexpr std::uint64_t kSyntheticStepNs = 1000;

// No variable has this number, because variables have numbers of 32 bits.
constexpr std::uint64_t kNoVariable = ~std::uint64_t{0};

std::uint64_t interpolated(std::uint64_t begin, std::uint64_t end, std::uint64_t part, std::uint64_t whole) {
  if (end <= begin || whole == 0) return begin;
  __extension__ using Wide = unsigned __int128;
  return begin + static_cast<std::uint64_t>(Wide{end - begin} * part / whole);
}

}  // namespace

std::string_view name_of(TimeBase base) {
  static constexpr std::array<std::string_view, 5> kNames{"none", "monotonic", "unix", "kernel cpu clock",
                                                          "kernel wall clock"};
  return kNames[static_cast<std::size_t>(base)];
}

std::uint64_t resolution_ns(TimeBase base) {
  constexpr std::uint64_t kNsPerUs = 1000;
  return base == TimeBase::Monotonic || base == TimeBase::Unix ? kNsPerUs : 1;
}

StampReader::StampReader(const Description& description)
    : timestamp_(description.computed_variable("trace_timestamp").value_or(kNoVariable)),
      clock_(description.computed_variable("clock").value_or(kNoVariable)),
      seconds_(description.computed_variable("xtime_sec").value_or(kNoVariable)),
      nanoseconds_(description.computed_variable("xtime_nsec").value_or(kNoVariable)) {}

std::optional<std::uint64_t> StampReader::variable() const {
  if (timestamp_ != kNoVariable) return timestamp_;
  return clock_ != kNoVariable ? std::optional(clock_) : std::nullopt;
}

std::optional<std::uint64_t> StampReader::stamp_ns(const Frame& frame) {
  std::optional<std::int64_t> timestamp, clock, seconds, nanoseconds;
  for (const Block& block : frame.blocks) {
    if (block.kind != Block::Kind::Variable) continue;
    if (block.address == timestamp_)
      timestamp = block.value;
    else if (block.address == clock_)
      clock = block.value;
    else if (block.address == seconds_)
      seconds = block.value;
    else if (block.address == nanoseconds_)
      nanoseconds = block.value;
  }
  std::optional<std::uint64_t> ns;
  TimeBase base = TimeBase::None;
  if (timestamp) return from_timestamp(*timestamp);
  if (clock) {
    base = TimeBase::Kernel;
    if (*clock > 0) ns = static_cast<std::uint64_t>(*clock);
  } else if (seconds && nanoseconds) {
    base = TimeBase::WallClock;
    const bool fits = *seconds > 0 &&
                      static_cast<std::uint64_t>(*seconds) < kTimeLimitNs / kNsPerSecond - 1 &&
                      *nanoseconds >= 0 && static_cast<std::uint64_t>(*nanoseconds) < kNsPerSecond;
    if (fits)
      ns = static_cast<std::uint64_t>(*seconds) * kNsPerSecond + static_cast<std::uint64_t>(*nanoseconds);
  }
  return checked(base, ns);
}

bool StampReader::is_simple(const FramePattern& pattern) const {
  return !pattern.value_of(clock_) && !pattern.value_of(seconds_) && !pattern.value_of(nanoseconds_);
}

FrameClock::FrameClock(const TraceFile& trace, const TimeSurvey& survey) : trace_(trace), survey_(survey) {
  const auto& status = trace.description.status;
  // The status line uses gdbserver's clock, which is not the clock of KGTP.
  const bool same_clock = survey.base != TimeBase::Kernel && survey.base != TimeBase::WallClock;
  if (status && same_clock) {
    if (status->start_us) start_ns_ = ns_of_us(*status->start_us);
    if (status->stop_us) stop_ns_ = ns_of_us(*status->stop_us);
  }
  if (survey.stamped > 0 && start_ns_ > survey.first_ns) start_ns_.reset();
  if (stop_ns_ < std::max(survey.last_ns, start_ns_.value_or(0))) stop_ns_.reset();
  const std::uint64_t before = std::min(survey.first_ns, survey.frames * kSyntheticStepNs);
  last_ns_ = start_ns_.value_or(survey.first_ns - before);
}

FrameTime FrameClock::time_between_stamps(std::uint64_t frame, bool is_step) {
  if (frame >= unstamped_.end_frame) find_next_stamp(frame);
  const std::uint64_t spread =
      interpolated(unstamped_.begin_ns, unstamped_.end_ns, frame - unstamped_.first_frame + 1,
                   unstamped_.end_frame - unstamped_.first_frame + 1);
  // A step is at most kSyntheticStepNs after the frame before it, even if the next timestamp is much later.
  last_ns_ = is_step ? std::min(spread, std::max(last_ns_, unstamped_.begin_ns) + kSyntheticStepNs) : spread;
  last_ns_ = std::min(last_ns_, kTimeLimitNs - 1);
  return {.ns = last_ns_, .is_synthetic = true};
}

// Reads ahead to the next timestamp after `frame`. In total, the file is read ahead only once.
void FrameClock::find_next_stamp(std::uint64_t frame) {
  unstamped_ = {.first_frame = frame, .end_frame = survey_.frames, .begin_ns = last_ns_, .end_ns = last_ns_};
  const std::uint64_t open_end = last_ns_ + (survey_.frames - frame + 1) * kSyntheticStepNs;
  if (survey_.stamped > 0) {
    if (!ahead_reader_) {
      ahead_file_ = std::make_unique<FileWindow>(fxt::FilePlace(trace_.path), FileWindow::EarlyEnd::End);
      ahead_reader_ = std::make_unique<FrameReader>(*ahead_file_, trace_.description, trace_.format);
      ahead_stamps_ = std::make_unique<StampReader>(trace_.description);
    }
    while (const Frame* ahead = ahead_reader_->next()) {
      if (ahead->number <= frame) continue;
      if (const auto stamp = ahead_stamps_->stamp_ns(*ahead)) {
        unstamped_.end_frame = ahead->number;
        unstamped_.end_ns = *stamp;
        return;
      }
    }
  }
  unstamped_.end_ns = stop_ns_.value_or(open_end);
}

}  // namespace convert::tfile
