// Decides for each frame which thread it belongs to, and whether it is a hit or a while-stepping step. A
// frame does not record either. Two classifiers that see the
// same frames decide the same.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converters/tfile/actions/expected_blocks.h"
#include "converters/tfile/description/description.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/frames/trace_file.h"

namespace convert::tfile {

// How a frame's thread is known.
enum class ThreadClue : std::uint8_t {
  Pid,            // KGTP's current_task_pid
  Task,           // KGTP's current_task
  ThreadPointer,  // a register that differs between threads
  Collected,      // the actions collect its id
  Cpu,            // KGTP's cpu_id: not the thread, but the CPU it ran on
  Stack,          // guessed: the stack pointer is near that of other frames
  None,           // unknown: all such frames are shown together
};

// What frames are shown on: a thread, or a substitute for one.
struct ThreadTrack {
  ThreadClue clue;
  std::uint64_t value = 0;                                      // pid, task, register, cpu
  std::uint64_t stack_low = ~std::uint64_t{0}, stack_high = 0;  // range of its stack pointers
  std::uint64_t frames = 0;
  std::uint64_t id = 0;          // of the thread, by KGTP or collected; 0: unknown
  bool has_several_ids = false;  // what was collected is no id of the thread
};

// What is known about a frame besides its blocks.
struct FrameContext {
  std::size_t track = 0;
  bool is_guessed = false;  // the track is another one's, by the stack pointer
  bool is_step = false;
  bool opens_call = false;                   // a hit that is followed by steps
  bool closes_call = false;                  // the last step of that call
  const ExpectedFrames* location = nullptr;  // null when unknown, or one of several
  std::optional<std::uint64_t> pc;
  bool pc_is_recorded = false;  // in a register; otherwise it is the location's address
  const Block* registers = nullptr;
};

// Where the hits of a tracepoint hold the id of their thread, because its actions collect a variable `tid`.
class CollectedThreadIds {
 public:
  explicit CollectedThreadIds(const Description& description);

  bool are_collected(std::int16_t tracepoint) const { return block_of_.contains(tracepoint); }
  // Nothing if the frame holds none, or a number that is no thread's.
  std::optional<std::uint64_t> of(const Frame& frame, std::endian order) const;

 private:
  std::map<std::int16_t, std::size_t> block_of_;  // the block that holds it, by tracepoint
};

class FrameClassifier {
 public:
  static constexpr std::size_t kMaxTracks = 10000;

  // Borrows both.
  FrameClassifier(const TraceFile& trace, const LocationTable& locations);

  // Call it for every frame, in the order of the file; but see add_frames().
  FrameContext classify(const Frame& frame);
  // Whether all frames of this frame's pattern have the same context, so that they may be counted by
  // add_frames() instead: nothing in them identifies a thread, and their tracepoint has no steps.
  bool classifies_alike(const Frame& frame) const {
    return !is_kernel_ && !has_steps_[static_cast<std::uint16_t>(frame.tracepoint)] &&
           !thread_ids_.are_collected(frame.tracepoint);
  }
  void add_frames(std::size_t track, std::uint64_t frames) { tracks_[track].frames += frames; }

  const std::vector<ThreadTrack>& tracks() const { return tracks_; }
  // For each track the one it is shown on: a guessed track is merged into the thread that has the same stack,
  // one with an id only into the thread of that id, and frames of unknown threads into the only thread that
  // there is.
  std::vector<std::size_t> merged_tracks() const;
  // Frames that are shown on a shared track because there are too many tracks.
  std::uint64_t frames_without_own_track() const { return frames_without_own_track_; }

 private:
  // Steps of a hit that are still to come.
  struct OpenSteps {
    std::int16_t tracepoint;
    std::size_t track;
    std::uint64_t left;
  };

  void find_location(const Frame& frame, std::span<const ExpectedFrames> locations,
                     FrameContext& context) const;
  std::optional<std::size_t> track_by_clue(const Frame& frame, const FrameContext& context);
  std::optional<std::size_t> track_by_stack(std::optional<std::uint64_t> stack_pointer);
  std::size_t track_of(ThreadClue clue, std::uint64_t value);
  bool is_step(const Frame& frame, std::span<const ExpectedFrames> locations, const FrameContext& context,
               bool is_expected) const;
  OpenSteps* open_steps(std::int16_t tracepoint, std::optional<std::size_t> track);
  std::optional<std::uint64_t> register_value(const Register* reg, const FrameContext& context) const;

  const TraceFile& trace_;
  const LocationTable& locations_;
  std::optional<std::uint64_t> pid_variable_, task_variable_, cpu_variable_;  // of KGTP
  bool is_kernel_;                                                            // one of them exists
  std::vector<ThreadTrack> tracks_;
  std::map<std::pair<ThreadClue, std::uint64_t>, std::size_t> by_clue_;
  std::vector<std::size_t> stacks_;  // tracks that are known by their stack only
  std::size_t recent_stack_ = 0;     // index in stacks_
  std::vector<OpenSteps> open_steps_;
  std::uint64_t frames_without_own_track_ = 0;
  std::vector<bool> has_steps_;  // by tracepoint number
  CollectedThreadIds thread_ids_;
};

// "thread fs=0x7ffff7d8a740", "thread pid=12", "cpu 2", "thread sp=0x7ffe… (guessed)", "unknown thread".
std::string name_of(const ThreadTrack& track, const RegisterLayout* layout);

}  // namespace convert::tfile
