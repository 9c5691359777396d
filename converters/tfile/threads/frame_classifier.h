// Decides for each frame to which thread it belongs, and whether it is a hit or a step of `while-stepping`.
// The file does not record this. For the same frames, every classifier gives the same results.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "converters/tfile/actions/expected_blocks.h"
#include "converters/tfile/description/description.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/frames/trace_file.h"
#include "converters/tfile/threads/thread_tracks.h"

namespace convert::tfile {

// The facts about a frame besides its blocks.
struct FrameContext {
  std::size_t track = 0;
  bool is_guessed = false;  // the track on which the frame is shown was guessed
  bool is_step = false;
  bool opens_call = false;                   // true for a hit that is followed by steps
  bool closes_call = false;                  // true for the last step of such a hit
  const ExpectedFrames* location = nullptr;  // null if unknown, or if several are possible
  std::optional<std::uint64_t> pc;
  bool pc_is_recorded = false;  // true if a register has the pc; otherwise, pc is the location's address
  bool has_registers = false;
};

// Finds the thread's id in hits of a tracepoint whose actions collect `tid`, `gettid()` or `thread_id`.
class CollectedThreadIds {
 public:
  explicit CollectedThreadIds(const LocationTable& locations);

  bool are_collected(std::int16_t tracepoint) const { return block_of_.contains(tracepoint); }
  // Returns nothing if the frame lacks the collected number, or if this number can't be the id of a thread.
  std::optional<std::uint64_t> id_of(const Frame& frame, std::endian order) const;

 private:
  std::map<std::int16_t, std::size_t> block_of_;
};

class FrameClassifier {
 public:
  FrameClassifier(const TraceFile& trace, const LocationTable& locations);

  // Must be called for every frame in the order of the file, unless add_frames() counts it.
  FrameContext classify(const Frame& frame);
  // True if all frames of this frame's pattern have the same context: nothing in them identifies a thread,
  // and the tracepoint has no steps. Then add_frames() may count these frames.
  bool classifies_alike(const Frame& frame) const {
    return !is_kernel_ && !has_steps_[static_cast<std::uint16_t>(frame.tracepoint)] &&
           !thread_ids_.are_collected(frame.tracepoint);
  }
  void add_frames(std::size_t track, std::uint64_t frames) { tracks_.add_frames(track, frames); }

  const ThreadTracks& tracks() const { return tracks_; }

 private:
  // The expected steps of a hit.
  struct OpenSteps {
    std::int16_t tracepoint;
    std::size_t track;
    std::uint64_t left;
  };

  void find_location(const Frame& frame, FrameContext& context) const;
  std::optional<std::size_t> track_by_clue(const Frame& frame);
  bool is_step(const Frame& frame, const FrameContext& context, bool is_expected) const;
  OpenSteps* open_steps(std::int16_t tracepoint, std::optional<std::size_t> track);
  std::optional<std::uint64_t> register_value(const Register* reg) const;

  const TraceFile& trace_;
  const LocationTable& locations_;
  std::optional<std::uint64_t> pid_variable_, task_variable_, cpu_variable_;  // in KGTP
  bool is_kernel_;  // true if one of these variables exists
  ThreadTracks tracks_;
  std::vector<OpenSteps> open_steps_;
  std::vector<bool> has_steps_;  // by tracepoint number
  CollectedThreadIds thread_ids_;
  const Block* registers_ = nullptr;  // of the current frame
};

}  // namespace convert::tfile
