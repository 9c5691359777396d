// The first reading of all frames: what a trace file holds, before anything is shown of it. Its size does not
// grow with the number of frames.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "converters/model/merging/thread_match.h"
#include "converters/tfile/frames/frame_clock.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/threads/placer.h"

namespace convert::tfile {

struct Survey {
  static constexpr std::size_t kKeptDamage = 1000;
  static constexpr std::size_t kMarkedTracks = 256;

  TimeSurvey time;
  std::vector<Track> tracks;             // as a Placer counts them
  std::vector<std::size_t> shown_track;  // for each the one it is shown on
  // Hits with a stamp of their own and a known location, some of them, by time; of the first kMarkedTracks
  // tracks, by the track that they are shown on.
  std::vector<std::vector<ThreadMark>> marks;
  std::uint64_t frames_without_own_track = 0;
  std::map<std::int16_t, std::uint64_t> frames_of;  // by tracepoint
  std::map<const TracepointLocation*, std::uint64_t> hits_of;
  std::uint64_t hits = 0, steps = 0, partial_frames = 0;
  std::uint64_t memory_blocks = 0, memory_bytes = 0, variable_values = 0;
  std::vector<Damage> damage;  // the first kKeptDamage
  std::uint64_t damage_count = 0;
};

// `tick` is called now and then.
Survey survey_frames(const TraceFile& trace, const LocationTable& locations,
                     const std::function<void()>& tick);

}  // namespace convert::tfile
