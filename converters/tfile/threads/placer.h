// Decides for each frame which thread it belongs to and whether it is a hit or a step of while-stepping.
// Nothing in a frame says so; fact sheet, sections 3 and 6, has the rules. Two placers that see the same
// frames decide the same.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converters/tfile/actions/action_plan.h"
#include "converters/tfile/frames/frame_reader.h"
#include "converters/tfile/frames/trace_file.h"

namespace convert::tfile {

// How a frame's thread is known.
enum class ThreadClue : std::uint8_t {
  Pid,            // KGTP's current_task_pid
  Task,           // KGTP's current_task
  ThreadPointer,  // a register that differs between threads
  Cpu,            // KGTP's cpu_id: no thread, but a place
  Stack,          // guessed: the stack pointer lies near that of other frames
  Tracepoint,     // not known at all
};

// Something that frames are shown on: a thread, or what stands for one.
struct Track {
  ThreadClue clue;
  std::uint64_t value = 0;                                      // pid, task, register, cpu, tracepoint number
  std::uint64_t stack_low = ~std::uint64_t{0}, stack_high = 0;  // stack pointers seen
  std::uint64_t frames = 0;
};

// The locations of each tracepoint, and what their frames look like.
class LocationTable {
 public:
  // Borrows all for its life.
  LocationTable(const Description& description, const RegisterLayout* layout, const Symbols* symbols,
                Names& names);

  struct Entry {
    const TracepointLocation* location;
    LocationActions plan;
  };
  // Those of one tracepoint; empty when it is unknown.
  std::span<const Entry> of(std::int16_t tracepoint) const;
  const std::vector<Entry>& all() const { return entries_; }  // by number and address

 private:
  std::vector<Entry> entries_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges_;  // by number: first entry, count
};

struct Placement {
  std::size_t track = 0;
  bool is_guessed = false;  // the track, from the stack pointer
  bool is_step = false;
  bool opens_call = false;   // a hit whose steps follow
  bool closes_call = false;  // the last step of that call
  const LocationTable::Entry* entry =
      nullptr;  // its location; null when several are possible, or none is known
  std::optional<std::uint64_t> pc;
  bool pc_is_recorded = false;  // in a register, not concluded from the location
  const Block* registers = nullptr;
};

class Placer {
 public:
  static constexpr std::size_t kMaxTracks = 10000;

  Placer(const TraceFile& trace, const LocationTable& locations);

  Placement place(const Frame& frame);
  // Whether every frame of its pattern gets the place that this one got: it holds no registers, nothing else
  // tells its thread, and its tracepoint has no steps. Then they need not be placed one by one, only counted.
  bool places_alike(const Frame& frame) const {
    return !is_kernel_ && !has_steps_[static_cast<std::uint16_t>(frame.tracepoint)];
  }
  void count_more(std::size_t track, std::uint64_t frames) { tracks_[track].frames += frames; }

  const std::vector<Track>& tracks() const { return tracks_; }
  // For each track the one it is shown on: a guessed one is joined to the thread whose stack it lies in.
  std::vector<std::size_t> merged_tracks() const;
  std::uint64_t frames_without_own_track() const { return overflow_; }

 private:
  // Steps that are still to come.
  struct Stepping {
    std::int16_t tracepoint;
    std::size_t track;
    std::uint64_t left;
  };
  struct Clue {
    ThreadClue clue;
    std::uint64_t value;
  };

  void find_location(const Frame& frame, std::span<const LocationTable::Entry> entries,
                     Placement& placement) const;
  std::optional<std::size_t> track_by_clue(const Frame& frame, const Placement& placement);
  std::optional<std::size_t> track_by_stack(const Placement& placement);
  std::size_t track_of(ThreadClue clue, std::uint64_t value);
  void note_stack(std::size_t track, const Placement& placement);
  bool is_step(const Frame& frame, std::span<const LocationTable::Entry> entries, const Placement& placement,
               bool is_expected) const;
  Stepping* stepping(std::int16_t tracepoint, std::optional<std::size_t> track);
  std::optional<std::uint64_t> register_value(const Register& reg, const Block& block) const;

  const TraceFile& trace_;
  const LocationTable& locations_;
  std::optional<std::uint64_t> pid_variable_, task_variable_, cpu_variable_;  // of KGTP
  bool is_kernel_;                                                            // one of them is there
  std::vector<Track> tracks_;
  std::map<std::pair<ThreadClue, std::uint64_t>, std::size_t> by_clue_;
  std::vector<std::size_t> stacks_;  // tracks known by their stack only
  std::size_t recent_stack_ = 0;
  std::vector<Stepping> steppings_;
  std::uint64_t overflow_ = 0;
  std::vector<bool> has_steps_;  // by tracepoint number
};

// "thread fs=0x7ffff7d8a740", "thread pid=12 (KGTP)", "cpu 2", "thread at stack 0x7ffe… (guessed)",
// "tracepoint 3".
std::string name_of(const Track& track, const RegisterLayout* layout);

}  // namespace convert::tfile
