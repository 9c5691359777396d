// Gives every frame a time. A frame without a timestamp gets a time between the timestamps around it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "converters/model/lanes/event.h"
#include "converters/tfile/description/numbers.h"
#include "converters/tfile/frames/frame_pattern.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/frames/trace_file.h"

namespace convert::tfile {

enum class TimeBase : std::uint8_t {
  None,       // no timestamps
  Monotonic,  // $trace_timestamp, microseconds of CLOCK_MONOTONIC
  Unix,       // $trace_timestamp of old gdbservers, microseconds since 1970
  Kernel,     // KGTP's clock, nanoseconds of cpu_clock()
  WallClock,  // KGTP's xtime_sec and xtime_nsec
};
std::string_view name_of(TimeBase base);
// The unit of the timestamps. A frame was recorded at most this time after its timestamp.
std::uint64_t resolution_ns(TimeBase base);

// Converts microseconds of a timestamp or of the status line to ns. Returns nothing from 2^63 ns on.
inline std::optional<std::uint64_t> ns_of_us(std::uint64_t time_us) {
  constexpr std::uint64_t kNsPerUs = 1000;
  if (time_us >= kTimeLimitNs / kNsPerUs) return std::nullopt;
  return time_us * kNsPerUs;
}

class StampReader {
 public:
  explicit StampReader(const Description& description);

  // Returns nothing if the frame has no timestamp, or an impossible one (see was_impossible()).
  std::optional<std::uint64_t> stamp_ns(const Frame& frame);

  // True for a pattern whose frames do not use the clocks of KGTP. For such a pattern, stamp_offset() returns
  // the place of $trace_timestamp in a frame, or nothing if the frames lack it.
  bool is_simple(const FramePattern& pattern) const;
  std::optional<std::size_t> stamp_offset(const FramePattern& pattern) const {
    return pattern.value_of(timestamp_);
  }
  std::optional<std::uint64_t> stamp_ns(std::span<const std::byte> frame, std::size_t offset,
                                        std::endian order) {
    return from_timestamp(load<std::int64_t>(frame.data() + offset, order));
  }

  bool was_impossible() const { return was_impossible_; }  // refers to the latest timestamp

  // Valid after a timestamp was read.
  TimeBase base() const { return base_; }
  // The variable that holds the timestamps. It is not drawn as a counter, because its values are times.
  std::optional<std::uint64_t> variable() const;

 private:
  std::optional<std::uint64_t> from_timestamp(std::int64_t time_us) {
    // Timestamps of at least this value (September 2001) count from 1970. They can't count from the start of
    // the machine, because no machine has been running for that long.
    constexpr std::int64_t kUnixFromUs = 1'000'000'000'000'000;
    const auto ns = time_us > 0 ? ns_of_us(static_cast<std::uint64_t>(time_us)) : std::nullopt;
    return checked(time_us >= kUnixFromUs ? TimeBase::Unix : TimeBase::Monotonic, ns);
  }
  std::optional<std::uint64_t> checked(TimeBase base, std::optional<std::uint64_t> ns) {
    was_impossible_ = base != TimeBase::None && !ns;
    if (ns) base_ = base;
    return ns;
  }

  std::uint64_t timestamp_, clock_, seconds_, nanoseconds_;  // numbers of variables, or kNoVariable
  TimeBase base_ = TimeBase::None;
  bool was_impossible_ = false;
};

struct TimeSurvey {
  std::uint64_t frames = 0;
  std::uint64_t stamped = 0;
  std::uint64_t reversed = 0;  // frames with an earlier timestamp than a frame before them
  std::uint64_t impossible = 0;
  std::uint64_t first_ns = 0, last_ns = 0;
  TimeBase base = TimeBase::None;
};

struct FrameTime {
  std::uint64_t ns = 0;
  bool is_synthetic = false;
};

class FrameClock {
 public:
  // If frames have no timestamps, a second reader reads ahead to the next timestamp.
  FrameClock(const TraceFile& trace, const TimeSurvey& survey);

  // The start and the end of the recording, from the status line. Nothing if the line lacks them, or if the
  // line and the timestamps use different clocks or contradict each other. No frame is shown before the start
  // or after the end.
  std::optional<std::uint64_t> start_ns() const { return start_ns_; }
  std::optional<std::uint64_t> stop_ns() const { return stop_ns_; }

  // Returns the time of a frame whose own timestamp is `stamp_ns`. Must be called once per frame, in the
  // order of the file. If timestamps go back, the results do as well.
  FrameTime time_of(std::uint64_t frame, std::optional<std::uint64_t> stamp_ns, bool is_step) {
    if (!stamp_ns) return time_between_stamps(frame, is_step);
    last_ns_ = *stamp_ns;
    return {.ns = *stamp_ns, .is_synthetic = false};
  }

 private:
  struct UnstampedFrames {
    std::uint64_t first_frame = 0, end_frame = 0;
    std::uint64_t begin_ns = 0, end_ns = 0;  // the times of the frames before and after
  };
  FrameTime time_between_stamps(std::uint64_t frame, bool is_step);
  void find_next_stamp(std::uint64_t frame);

  const TraceFile& trace_;
  TimeSurvey survey_;
  std::optional<std::uint64_t> start_ns_, stop_ns_;
  std::uint64_t last_ns_ = 0;
  UnstampedFrames unstamped_;
  std::unique_ptr<FileWindow> ahead_file_;
  std::unique_ptr<FrameReader> ahead_reader_;
  std::unique_ptr<StampReader> ahead_stamps_;
};

}  // namespace convert::tfile
