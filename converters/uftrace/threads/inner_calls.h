// The inner calls of a thread: calls of the kernel, and a call for the time off the CPU. On the lane, they
// are inside all calls of the program. When a call of the program begins or ends, they are suspended or cut,
// so that all calls nest. The rest of a cut call is not drawn, and its exit has no effect.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "converters/model/lanes/lane.h"
#include "converters/model/names/names.h"
#include "converters/model/notes.h"
#include "converters/uftrace/kernel/kernel_queue.h"
#include "converters/uftrace/threads/call_filter.h"

namespace convert::uftrace {

struct ThreadNoteNames {
  std::string record_file = {};    // for example "DIR/100.dat"
  std::string kernel_thread = {};  // for example "DIR: thread 100"
};

class InnerCalls {
 public:
  InnerCalls(Lane& lane, CallFilter& filter, Names& names, Notes& notes, ThreadNoteNames note_names);

  // The number of inner calls that are open on the lane now.
  std::size_t open() const { return open_kernel() + (is_off_cpu_ ? 1 : 0); }
  bool has_kernel() const { return open_kernel() != 0; }
  std::size_t program_depth() const { return lane_.depth() - open(); }
  // True if an event that is not a call must be left out now, because no call of the program is open.
  bool leaves_out_event() { return program_depth() == 0 && !filter_.shows_outside(); }
  // The number of calls around the next event. Kernel calls that are hidden by a filter also count.
  std::size_t depth() const {
    return frames_.empty() || frames_.back().is_over ? program_depth() : frames_.back().around + 1;
  }

  // ---- The kernel's calls, by its own depths. ----

  // Begins a call. A call that is not `wanted` is tracked, but not drawn.
  void enter_kernel(std::uint64_t time_ns, const KernelMessage& entry, bool wanted);
  void leave_kernel(std::uint64_t time_ns, const KernelMessage& exit);
  // Ends the kernel calls at `known_until_ns`, because kernel events after this time are missing.
  void lose_kernel_events(std::uint64_t known_until_ns);

  // ---- Off the CPU ----

  struct SwitchOut {
    LabelId label{};
    NameId state{};
    std::uint16_t cpu = 0;
    bool is_short = false;
  };
  // Begins the call for the time off the CPU. Returns false if a filter hides the call.
  bool begin_off_cpu(std::uint64_t time_ns, const SwitchOut& out);
  // Ends the call for the time off the CPU with `arguments`. Returns false if this call is not open.
  bool end_off_cpu(std::uint64_t time_ns, const Arguments& arguments = {});

  // ---- Calls of the program ----

  // Must be called if the thread has a record at this time. Cuts the call for the time off the CPU.
  void cut_off_cpu(std::uint64_t time_ns);
  // Suspends the kernel's calls, so that a hidden call of the program can begin or end. Afterwards,
  // resume_kernel() continues them. Returns false if no kernel call is open, or if the thread is off the CPU.
  bool suspend_kernel();
  void resume_kernel();
  // Cuts the kernel's calls, because a call of the program begins or ends.
  void cut_kernel(std::uint64_t time_ns);
  // Ends the kernel's calls at the end of the thread, or after the thread's last record.
  void end_kernel(std::uint64_t time_ns);

 private:
  static constexpr std::size_t kOnCpu = ~std::size_t{0};

  // A kernel call whose exit has not come. A call that was cut or that a filter hides is not on the lane.
  struct KernelFrame {
    std::uint64_t address;
    std::uint64_t begin_ns;
    LabelId label;
    std::size_t depth;
    bool is_drawn;
    std::uint64_t shortest_ns = 0;  // if the call is shorter, it is hidden, unless `holds_kept`
    bool holds_kept = false;        // a call inside is kept
    std::size_t around = 0;         // number of calls of program and kernel around this call
    std::uint64_t passed_ns = 0;    // start of the first later call that is not deeper; 0 if there is none
    bool is_over = false;  // true if filters treat the call as ended, because a program call began or ended

    bool is_kept(std::uint64_t end_ns) const {
      return holds_kept || shortest_ns == 0 ||
             end_ns >= begin_ns + std::min(shortest_ns, kForever - begin_ns);
    }
  };
  struct ArgumentNames {
    NameId repaired, caller, retval, cpu, state;
  };

  std::string_view name_of(LabelId label) const { return all_names_.text(all_names_.label(label).name); }
  std::size_t open_kernel() const { return is_suspended_ ? 0 : drawn_ + late_; }
  std::size_t find_frame(const KernelMessage& exit) const;
  void keep_around(std::size_t frame);
  bool retract_top(std::uint64_t time_ns);
  void end_top(std::uint64_t time_ns, const std::uint64_t* returned, std::string_view repaired);
  bool end_earlier(const KernelFrame& frame, const NoteKind& kind);
  void end_frames_above(std::size_t frames, std::uint64_t time_ns);
  void cut_drawn_above(std::size_t drawn, std::uint64_t time_ns, const NoteKind& kind);
  void end_frames_for_filter();
  void close_off_cpu(std::uint64_t time_ns, const Arguments& arguments);
  template <typename Describe>
  void note(const NoteKind& kind, Describe&& describe);

  Lane& lane_;
  CallFilter& filter_;
  Notes& notes_;
  const ThreadNoteNames note_names_;
  const Names& all_names_;
  const ArgumentNames names_;
  std::vector<KernelFrame> frames_;    // outermost first
  std::size_t drawn_ = 0;              // number of frames that are on the lane
  bool is_suspended_ = false;          // the drawn frames are suspended
  std::size_t below_switch_ = kOnCpu;  // number of drawn frames around the off-CPU call
  // number of kernel calls around the off-CPU call that end together with it, because their exits came during
  // it
  std::size_t late_ = 0;
  bool is_off_cpu_ = false;
};

}  // namespace convert::uftrace
