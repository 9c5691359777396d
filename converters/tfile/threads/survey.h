// The first pass over all frames. It collects the facts about a trace file before events are emitted. The
// size of the result does not grow with the number of frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "converters/model/merging/thread_match.h"
#include "converters/tfile/frames/frame_clock.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/threads/frame_classifier.h"

namespace convert::tfile {

// A sample of the hits of a track, evenly distributed. The times and addresses in the sample are enough to
// find the same thread in another input.
class MarkSample {
 public:
  static constexpr std::size_t kMaxMarks = 2048;

  void add(std::uint64_t time_ns, std::uint64_t address) {
    if ((seen_++ & skip_mask_) != 0) return;
    if (marks_.size() == kMaxMarks) halve();
    marks_.push_back({time_ns, address});
  }
  const std::vector<ThreadMark>& marks() const { return marks_; }

 private:
  // Keeps every second mark. From now on, the distance between two marks is twice as many hits. The hit that
  // is being added becomes a mark, because kMaxMarks is even.
  void halve() {
    for (std::size_t i = 0; i < kMaxMarks / 2; ++i) marks_[i] = marks_[2 * i];
    marks_.resize(kMaxMarks / 2);
    skip_mask_ = 2 * skip_mask_ + 1;
  }

  std::vector<ThreadMark> marks_;
  std::uint64_t seen_ = 0;
  std::uint64_t skip_mask_ = 0;  // number of hits to skip between two marks: a power of two, minus one
};

struct TraceSurvey {
  static constexpr std::size_t kKeptDamage = 1000;
  static constexpr std::size_t kMarkedTracks = 256;
  static constexpr std::size_t kTracepointTracks = 10'000;

  TimeSurvey time;
  std::vector<ThreadTrack> tracks;       // numbered as in FrameClassifier
  std::vector<std::size_t> shown_track;  // for each track, the track on which it is shown
  // For each track, a sample of the hits that are shown on it, sorted by time. The samples have only hits
  // with a timestamp and a known location, and only hits of the first kMarkedTracks tracks.
  std::vector<std::vector<ThreadMark>> marks;
  std::uint64_t frames_without_own_track = 0;
  std::map<std::int16_t, std::uint64_t> frames_of;  // by tracepoint
  // The number of frames of each pair of tracepoint and track, for at most kTracepointTracks pairs.
  std::map<std::pair<std::int16_t, std::size_t>, std::uint64_t> frames_on;
  std::map<const TracepointLocation*, std::uint64_t> hits_of;
  std::uint64_t hits = 0, steps = 0, partial_frames = 0;
  std::uint64_t memory_blocks = 0, memory_bytes = 0, variable_values = 0;
  std::vector<Damage> damage;  // the first kKeptDamage entries
  std::uint64_t damage_count = 0;
  // The bytes after the end of the frames, which are not read. `size` is 0 if no bytes are left.
  struct Rest {
    std::uint64_t begin = 0, size = 0;
    std::optional<std::uint64_t> next_trace = {};  // the offset at which another trace begins
  };
  Rest rest;

  std::vector<std::uint64_t> frames_shown() const;
};

TraceSurvey survey_frames(const TraceFile& trace, const LocationTable& locations);

}  // namespace convert::tfile
