// The tracks on which frames are shown. A clue to the thread of a frame identifies its track.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convert::tfile {

// The way in which a frame's thread is known.
enum class ThreadClue : std::uint8_t {
  Pid,            // KGTP's current_task_pid
  Task,           // KGTP's current_task
  ThreadPointer,  // a register that differs between threads
  Collected,      // the actions collect the thread's id
  Cpu,            // KGTP's cpu_id: not the thread, but the CPU on which it ran
  Stack,          // guessed: the stack pointer is near that of other frames
  None,           // unknown: all such frames are shown together
};

// A track that shows frames: a thread, or a substitute for one.
struct ThreadTrack {
  ThreadClue clue;
  std::uint64_t value = 0;                                      // pid, task, register, cpu
  std::uint64_t stack_low = ~std::uint64_t{0}, stack_high = 0;  // range of the track's stack pointers
  std::uint64_t frames = 0;
  std::uint64_t id = 0;          // id of the thread, from KGTP or collected; 0 if unknown
  bool has_several_ids = false;  // the collected numbers differ, so they are not an id of the thread

  bool has_id() const { return id != 0 && !has_several_ids; }
};

class ThreadTracks {
 public:
  static constexpr std::size_t kMaxTracks = 10000;

  // The track of a clue. A new clue gets a new track. If there are too many tracks, it gets the track of
  // unknown threads.
  std::size_t track_of(ThreadClue clue, std::uint64_t value);
  // Guesses the track by the stack: a track with stack pointers near `stack_pointer`, or a new track. Returns
  // nothing if too many stacks are known.
  std::optional<std::size_t> near_stack(std::uint64_t stack_pointer);

  void add_frames(std::size_t track, std::uint64_t frames) { tracks_[track].frames += frames; }
  void add_stack_pointer(std::size_t track, std::uint64_t stack_pointer) {
    tracks_[track].stack_low = std::min(tracks_[track].stack_low, stack_pointer);
    tracks_[track].stack_high = std::max(tracks_[track].stack_high, stack_pointer);
  }
  // Adds an id that a frame of the track has collected. Only a track with a thread pointer gets the id. If it
  // gets different ids, the thread has no id.
  void add_id(std::size_t track, std::uint64_t id);

  const std::vector<ThreadTrack>& all() const { return tracks_; }
  // For each track, the track on which its frames are shown. A track with a guessed stack is merged into a
  // thread if its stack pointers are near those of this thread, and of no other thread. A track with a
  // collected id is merged into the thread with this id. If there is only one thread, the track of unknown
  // threads is merged into it.
  std::vector<std::size_t> merged() const;
  // The number of frames that are shown on a shared track because there are too many tracks.
  std::uint64_t frames_without_own() const { return frames_without_own_; }

 private:
  std::vector<ThreadTrack> tracks_;
  std::map<std::pair<ThreadClue, std::uint64_t>, std::size_t> by_clue_;
  std::vector<std::size_t> stacks_;  // tracks that are known only by their stack
  std::size_t recent_stack_ = 0;
  std::uint64_t frames_without_own_ = 0;
};

// The names of tracks: "thread 4711", "thread pid=12", "cpu 2", "thread sp=0x7ffe… (guessed)", "unknown
// thread". If only the thread pointer is known, the name has the number of the thread in the timeline, and
// the last digits of the pointer: "thread 1 (…d8a740)". `shown` is from merged().
std::vector<std::string> names_of(const std::vector<ThreadTrack>& tracks,
                                  const std::vector<std::size_t>& shown);

}  // namespace convert::tfile
