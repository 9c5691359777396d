// Gives every frame a time: its own stamp where it has one, else a place between its neighbours.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "converters/model/lanes/event.h"
#include "converters/tfile/description/numbers.h"
#include "converters/tfile/frames/frame_pattern.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/frames/trace_file.h"

namespace convert::tfile {

enum class TimeBase : std::uint8_t {
  None,       // no stamps
  Monotonic,  // $trace_timestamp, microseconds of CLOCK_MONOTONIC
  Unix,       // $trace_timestamp of old gdbservers, microseconds since 1970
  Kernel,     // KGTP's clock, nanoseconds of cpu_clock()
  WallClock,  // KGTP's xtime_sec and xtime_nsec
};
std::string_view name_of(TimeBase base);
// How much of the time a stamp cuts off, at most, and 1 ns.
std::uint64_t resolution_ns(TimeBase base);

// Microseconds of a stamp or of the status line as ns; nothing at 2^63 ns and later.
inline std::optional<std::uint64_t> ns_of_us(std::uint64_t time_us) {
  constexpr std::uint64_t kNsPerUs = 1000;
  if (time_us >= kTimeLimitNs / kNsPerUs) return std::nullopt;
  return time_us * kNsPerUs;
}

// Reads the stamp out of a frame.
class StampReader {
 public:
  explicit StampReader(const Description& description);

  // The frame's own time in ns; nothing without a stamp or with an impossible one (see was_impossible()).
  std::optional<std::uint64_t> stamp_ns(const Frame& frame);

  // The same for frames of a pattern, unless KGTP's clocks are in it: where they hold their stamp, if they
  // do, and the time of the one at the beginning of `bytes`.
  bool is_simple(const FramePattern& pattern) const;
  std::optional<std::size_t> stamp_offset(const FramePattern& pattern) const {
    return pattern.value_of(timestamp_);
  }
  std::optional<std::uint64_t> stamp_ns(std::span<const std::byte> bytes, std::size_t offset,
                                        std::endian order) {
    return from_timestamp(load<std::int64_t>(bytes.data() + offset, order));
  }

  bool was_impossible() const { return was_impossible_; }  // the stamp of the latest frame asked for

  // Known once a stamp was read.
  TimeBase base() const { return base_; }
  // The variable that stamps are read from; it is no counter.
  std::optional<std::uint64_t> variable() const;

 private:
  std::optional<std::uint64_t> from_timestamp(std::int64_t time_us) {
    // The year 2001; nothing has been up for that long.
    constexpr std::int64_t kUnixFromUs = 1'000'000'000'000'000;
    const auto ns = time_us > 0 ? ns_of_us(static_cast<std::uint64_t>(time_us)) : std::nullopt;
    return checked(time_us >= kUnixFromUs ? TimeBase::Unix : TimeBase::Monotonic, ns);
  }
  std::optional<std::uint64_t> checked(TimeBase base, std::optional<std::uint64_t> ns) {
    was_impossible_ = base != TimeBase::None && !ns;
    if (ns) base_ = base;
    return ns;
  }

  std::uint64_t timestamp_, clock_, seconds_, nanoseconds_;  // numbers of variables, or none
  TimeBase base_ = TimeBase::None;
  bool was_impossible_ = false;
};

// What a first reading of all frames has found out about their times.
struct TimeSurvey {
  std::uint64_t frames = 0;
  std::uint64_t stamped = 0;
  std::uint64_t reversed = 0;  // stamped earlier than one before
  std::uint64_t impossible = 0;
  std::uint64_t first_ns = 0, last_ns = 0;  // of the stamps
  TimeBase base = TimeBase::None;
};

struct FrameTime {
  std::uint64_t ns = 0;
  bool is_synthetic = false;
};

class FrameClock {
 public:
  // `trace` is borrowed. A second reader runs ahead to the next stamp where frames have none.
  FrameClock(const TraceFile& trace, const TimeSurvey& survey);

  // When the recording began and ended, by the status line; nothing where it has another clock than the
  // stamps, or they contradict it. No frame's time is before the start or after the stop.
  std::optional<std::uint64_t> start_ns() const { return start_ns_; }
  std::optional<std::uint64_t> stop_ns() const { return stop_ns_; }

  // Frames in the order of the file. Not monotonic where the stamps are not.
  FrameTime time_of(const Frame& frame, bool is_step) {
    return time_of(frame.number, stamps_.stamp_ns(frame), is_step);
  }
  // `stamp`: the frame's own, if it has one.
  FrameTime time_of(std::uint64_t frame, std::optional<std::uint64_t> stamp, bool is_step) {
    if (!stamp) return time_between_stamps(frame, is_step);
    last_ns_ = *stamp;
    return {.ns = *stamp, .is_synthetic = false};
  }

 private:
  struct Run {  // of frames without a stamp
    std::uint64_t first_frame = 0, end_frame = 0;
    std::uint64_t begin_ns = 0, end_ns = 0;
  };
  FrameTime time_between_stamps(std::uint64_t frame, bool is_step);
  void start_run(std::uint64_t frame);

  const TraceFile& trace_;
  TimeSurvey survey_;
  StampReader stamps_;
  std::optional<std::uint64_t> start_ns_, stop_ns_;
  std::uint64_t last_ns_ = 0;
  Run run_;
  std::unique_ptr<FileWindow> scout_file_;
  std::unique_ptr<FrameReader> scout_;
  std::unique_ptr<StampReader> scout_stamps_;
};

}  // namespace convert::tfile
